package lang_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/quirehq/quire/core/lang"
)

func TestTheLackOfAProgramIsKnownByTheTextOfTheSystem(t *testing.T) {
	for message, want := range map[string]lang.Lack{
		"cannot allocate vector of size 3.7 Gb":                                    lang.LackMemory, // R
		"Cannot allocate memory - fork(2)":                                         lang.LackMemory, // Ruby
		"getaddrinfo: Temporary failure in name resolution":                        lang.LackNetwork,
		`could not translate host name "db" to address: Name or service not known`: lang.LackNetwork,
		"connect: Network is unreachable":                                          lang.LackNetwork,
		"No such file":                                                             "",
		"":                                                                         "",
	} {
		if got := lang.LackOfText(message); got != want {
			t.Errorf("%s: got %q, want %q", message, got, want)
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
