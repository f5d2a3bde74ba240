package ipython

import (
	"testing"

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
		{"OSError", "[Errno 27] File too large", lang.LackFileSize},
		{"OSError", "[Errno 24] Too many open files: 'x'", lang.LackFiles},
		{"BlockingIOError", "[Errno 11] Resource temporarily unavailable", lang.LackProcesses},
		{"RuntimeError", "can't start new thread", lang.LackProcesses},
		{"gaierror", "[Errno -3] Temporary failure in name resolution", lang.LackNetwork},
		{"URLError", "<urlopen error [Errno -2] Name or service not known>", lang.LackNetwork},
		{"OperationalError", "could not translate host name \"db\" to address: Name or service not known", lang.LackNetwork},
		{"OSError", "[Errno 101] Network is unreachable", lang.LackNetwork},
		{"InstallError", "%pip ended with status 1", lang.LackPackages},
		{"FileNotFoundError", "[Errno 2] No such file", lang.LackAccess},
		{"ModuleNotFoundError", "No module named 'x'", lang.LackAccess},
		{"OSError", "[Errno 2] No such file", ""},
		{"ValueError", "[Errno 27] of a text", ""},
		{"ValueError", "pip ended with status 1", ""},
		{"OSError", "[Errno 99999999999999999999] of nothing", ""},
		{"", "", ""},
	} {
		if got := LackOf(c.name, c.message); got != c.want {
			t.Errorf("%s: %s: got %q, want %q", c.name, c.message, got, c.want)
		}
	}
}
