package main

import (
	"errors"
	"testing"

	"github.com/quirehq/quire/cmd/quire/internal/signals"
	"github.com/quirehq/quire/host/terminal"
)

// broken is a writer that fails.
type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

func TestOutputThatIsLostIsAnError(t *testing.T) {
	full := errors.New("no space")
	cell := fail(exitDenied, "no")
	for _, c := range []struct {
		name             string
		write, err, want error
	}{
		{"all is well", nil, nil, nil},
		{"a full disk that the command has not noticed", full, nil, full},
		{"a full disk behind a failure", full, cell, cell},
		{"a reader that has gone", signals.ErrGone, signals.ErrGone, nil},
		{"a reader that has gone, unnoticed", signals.ErrGone, nil, nil},
		{"a failure after the reader has gone", signals.ErrGone, errors.Join(cell, signals.ErrGone), cell},
		{"another pipe", nil, signals.ErrGone, signals.ErrGone},
	} {
		s := terminal.NewStream(broken{c.write}, terminal.StreamConfig{})
		_, _ = s.Write([]byte("x"))
		if got := streamVerdict(s, c.err); c.want == nil && got != nil || c.want != nil && !errors.Is(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
