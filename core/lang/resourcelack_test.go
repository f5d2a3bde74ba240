package lang_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/quirehq/quire/core/lang"
)

func TestTheLackOfAProgramIsKnownByTheErrorOfAKernel(t *testing.T) {
	for _, c := range []struct {
		name, message string
		want          lang.Lack
	}{
		{"MemoryError", "", lang.LackMemory},
		{"numpy.core._exceptions._ArrayMemoryError", "Unable to allocate 8 GiB", lang.LackMemory},
		{"OSError", "[Errno 12] Cannot allocate memory", lang.LackMemory},
		{"simpleError", "cannot allocate vector of size 3.7 Gb", lang.LackMemory}, // R
		{"CPULimitExceeded", "", lang.LackCPU},
		{"OSError", "[Errno 27] File too large", lang.LackFileSize},
		{"OSError", "[Errno 24] Too many open files: 'x'", lang.LackFiles},
		{"BlockingIOError", "[Errno 11] Resource temporarily unavailable", lang.LackProcesses},
		{"RuntimeError", "can't start new thread", lang.LackProcesses},
		{"gaierror", "[Errno -3] Temporary failure in name resolution", lang.LackNetwork},
		{"URLError", "<urlopen error [Errno -2] Name or service not known>", lang.LackNetwork},
		{"OperationalError", "could not translate host name \"db\" to address: Name or service not known", lang.LackNetwork},
		{"OSError", "[Errno 101] Network is unreachable", lang.LackNetwork},
		{lang.InstallError, "%pip ended with status 1", lang.LackPackages},
		{"OSError", "[Errno 2] No such file", ""},
		{"ValueError", "[Errno 27] of a text", ""},
		{"ValueError", "pip ended with status 1", ""},
		{"OSError", "[Errno 99999999999999999999] of nothing", ""},
		{"", "", ""},
	} {
		if got := lang.LackOf(c.name, c.message); got != c.want {
			t.Errorf("%s: %s: got %q, want %q", c.name, c.message, got, c.want)
		}
	}
}

func TestADeathBySpentTimeIsKnownByItsType(t *testing.T) {
	err := fmt.Errorf("%w: python ended: %w", lang.ErrDied, &lang.SpentError{CPU: time.Minute})
	var spent *lang.SpentError
	if !errors.As(err, &spent) || spent.CPU != time.Minute {
		t.Errorf("got %v, want the limit", err)
	}
	if want := "the engine died: python ended: killed: it has used its 1m0s of processor time"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}
