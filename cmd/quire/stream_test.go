package main

import (
	"bytes"
	"errors"
	"testing"
)

// ill is what a program can print: colours, a title for the window, and the screen cleared.
const ill = "\x1b[31mred\x1b[0m\x1b]0;t\x07\x1b[2J\n"

func TestWhatReachesAStreamIsOneRule(t *testing.T) {
	for _, c := range []struct {
		name              string
		terminal          bool
		config            config
		rendered, printed string
	}{
		{"a terminal", true, config{}, "\x1b[31mred\x1b[0m␛]0;t␛[2J\n", "\x1b[31mred\x1b[0m␛]0;t␛[2J\n"},
		{"a terminal of a person who wants no colours", true, config{NoColour: true}, "red␛]0;t␛[2J\n", "red␛]0;t␛[2J\n"},
		{"a terminal that has none", true, config{Term: "dumb"}, "red␛]0;t␛[2J\n", "red␛]0;t␛[2J\n"},
		{"a terminal without them by the flag", true, config{Colour: colourNever}, "red␛]0;t␛[2J\n", "red␛]0;t␛[2J\n"},
		{"a pipe", false, config{}, "red\n", ill},
		{"a pipe with colours by the flag", false, config{Colour: colourAlways, NoColour: true}, "\x1b[31mred\x1b[0m␛]0;t␛[2J\n", ill},
	} {
		if c.config.Colour == "" {
			c.config.Colour = colourAuto
		}
		var out bytes.Buffer
		s := newStream(&out, c.terminal, &c.config)
		if got := s.render(ill); got != c.rendered {
			t.Errorf("%s: rendered as %q, want %q", c.name, got, c.rendered)
		}
		if got, rest := s.printed(ill); got != c.printed || rest != "" {
			t.Errorf("%s: printed as %q and %q, want %q", c.name, got, rest, c.printed)
		}
		parts := &rendered{to: s}
		for i := range len(ill) {
			if _, err := parts.Write([]byte(ill[i : i+1])); err != nil {
				t.Fatal(err)
			}
		}
		if c.terminal && out.String() != c.rendered {
			t.Errorf("%s: rendered in parts as %q, want %q", c.name, out.String(), c.rendered)
		}
	}
}

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
		{"a reader that has gone", errGone, errGone, nil},
		{"a reader that has gone, unnoticed", errGone, nil, nil},
		{"a failure after the reader has gone", errGone, errors.Join(cell, errGone), cell},
		{"another pipe", nil, errGone, errGone},
	} {
		s := newStream(broken{c.write}, false, &config{Colour: colourAuto})
		_, _ = s.Write([]byte("x"))
		if got := s.verdict(c.err); c.want == nil && got != nil || c.want != nil && !errors.Is(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
