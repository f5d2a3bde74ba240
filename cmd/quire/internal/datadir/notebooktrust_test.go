package datadir

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/quirehq/quire/host/server"
	environment "github.com/quirehq/quire/internal/env"
)

func TestAFailedLookForASandboxIsNotRemembered(t *testing.T) {
	flags := []string{"--sandbox"}
	none := fmt.Errorf("%w: there is no bwrap", environment.ErrNoSandbox)
	for name, c := range map[string]struct {
		answers []error // of one look after the other; nil for a sandbox
		boxed   bool    // an untrusted notebook runs in the sandbox, or not at all
		fails   []bool
		looks   int
		warned  bool
	}{
		"it works":          {[]error{nil, errors.New("unasked")}, true, []bool{false, false}, 1, false},
		"there can be none": {[]error{none, nil}, false, []bool{false, false}, 1, true},
		"no memory, and then it works": {
			[]error{errors.New("fork: cannot allocate memory"), context.DeadlineExceeded, nil}, true, []bool{true, true, false, false}, 3, false,
		},
		"no memory, and then there can be none": {[]error{errors.New("cannot allocate memory"), none, nil}, false, []bool{true, false, false}, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			looks, warned := 0, 0
			l := &NotebookSettings{Dir: t.TempDir(), Untrusted: &UntrustedSandbox{
				Find: func(ctx context.Context) ([]string, error) {
					if _, ends := ctx.Deadline(); !ends {
						t.Error("the look has no end")
					}
					looks++
					return flags, c.answers[looks-1]
				},
				Warn: func(error) { warned++ },
			}}
			if err := l.SetTrust("nb", false); err != nil {
				t.Fatal(err)
			}
			for i, fails := range c.fails {
				got, err := l.trustFlags("nb")
				want := flags
				if fails || !c.boxed {
					want = nil
				}
				if (err != nil) != fails || !slices.Equal(got, want) {
					t.Errorf("start %d: got %q and %v, want %q and a failure %t", i, got, err, want, fails)
				}
			}
			trust, err := l.Trust("nb")
			if want := (server.NotebookTrust{Sandboxed: c.boxed}); err != nil || trust != want {
				t.Errorf("got %+v, %v, want %+v", trust, err, want)
			}
			if looks != c.looks || warned != 0 != c.warned {
				t.Errorf("got %d looks and %d warnings, want %d and whether one is %t", looks, warned, c.looks, c.warned)
			}
		})
	}
}

func TestWhileNobodyKnowsOfASandboxANotebookIsSaidToBeShutIn(t *testing.T) {
	l := &NotebookSettings{Dir: t.TempDir(), Untrusted: &UntrustedSandbox{Find: func(context.Context) ([]string, error) { return nil, context.DeadlineExceeded }}}
	if err := l.SetTrust("nb", false); err != nil {
		t.Fatal(err)
	}
	if trust, err := l.Trust("nb"); err != nil || !trust.Sandboxed {
		t.Errorf("got %+v, %v, want that its programs do not run outside", trust, err)
	}
}
