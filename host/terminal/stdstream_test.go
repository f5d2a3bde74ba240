package terminal

import (
	"bytes"
	"testing"
)

// ill is what a program can print: colours, a title for the window, and the screen cleared.
const ill = "\x1b[31mred\x1b[0m\x1b]0;t\x07\x1b[2J\n"

func TestWhatReachesAStreamIsOneRule(t *testing.T) {
	for _, c := range []struct {
		name              string
		terminal          bool
		config            StreamConfig
		rendered, printed string
	}{
		{"a terminal", true, StreamConfig{}, "\x1b[31mred\x1b[0m␛]0;t␛[2J\n", "\x1b[31mred\x1b[0m␛]0;t␛[2J\n"},
		{"a terminal of a user who wants no colours", true, StreamConfig{NoColour: true}, "red␛]0;t␛[2J\n", "red␛]0;t␛[2J\n"},
		{"a terminal that has none", true, StreamConfig{Dumb: true}, "red␛]0;t␛[2J\n", "red␛]0;t␛[2J\n"},
		{"a terminal without them by the flag", true, StreamConfig{Colour: ColourNever}, "red␛]0;t␛[2J\n", "red␛]0;t␛[2J\n"},
		{"a pipe", false, StreamConfig{}, "red\n", ill},
		{"a pipe with colours by the flag", false, StreamConfig{Colour: ColourAlways, NoColour: true}, "\x1b[31mred\x1b[0m␛]0;t␛[2J\n", ill},
	} {
		c.config.Terminal = c.terminal
		var out bytes.Buffer
		s := NewStream(&out, c.config)
		if got := s.Render(ill); got != c.rendered {
			t.Errorf("%s: rendered as %q, want %q", c.name, got, c.rendered)
		}
		if got, rest := s.printed(ill); got != c.printed || rest != "" {
			t.Errorf("%s: printed as %q and %q, want %q", c.name, got, rest, c.printed)
		}
		parts := s.Rendered()
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
