package main

import (
	"cmp"
	"errors"
	"io"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/cmd/quire/internal/signals"
	"github.com/quirehq/quire/host/terminal"
)

// newStdStream returns stdout or stderr, as the configuration wants it.
func newStdStream(w io.Writer, isTerminal bool, c *settings.Config) *terminal.Stream {
	return terminal.NewStream(w, terminal.StreamConfig{Terminal: isTerminal, Dumb: c.Term == "dumb", Colour: c.Colour, NoColour: c.NoColour})
}

// colourFlag is --color.
type colourFlag struct{ app *app }

// Set implements [pflag.Value].
func (f colourFlag) Set(when string) error {
	if err := terminal.CheckColour(when); err != nil {
		return err
	}
	f.app.config.Colour = when
	terminal.StreamOf(f.app.stdout).SetColours(when, f.app.config.NoColour)
	terminal.StreamOf(f.app.stderr).SetColours(when, f.app.config.NoColour)
	return nil
}

// String implements [pflag.Value]: help says the default.
func (colourFlag) String() string { return "" }

// Type implements [pflag.Value].
func (colourFlag) Type() string { return "WHEN" }

// streamVerdict returns the error of a command that has written to a stream: one also when not all
// was written, and none when its reader has gone, which reads as much as it wants.
func streamVerdict(s *terminal.Stream, err error) error {
	lost := s.Err()
	_, said := codeOf(err)
	switch {
	case lost == nil, said:
		return err
	case !isGone(lost):
		return fail(exitFailed, "%w", cmp.Or(err, lost))
	case errors.Is(err, lost):
		return nil
	}
	return err
}

// isGone reports whether a write failed since nothing reads any more.
func isGone(err error) bool { return errors.Is(err, signals.ErrGone) }
