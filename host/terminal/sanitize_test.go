package terminal

import (
	"strings"
	"testing"
)

func TestATextCannotSteerTheTerminal(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "a\tb\n", "a\tb\n"},
		{"colours", "\x1b[1;31mred\x1b[m", "\x1b[1;31mred\x1b[m"},
		{"title", "\x1b]0;x\x07", "␛]0;x"},
		{"cursor", "\x1b[2Jx", "␛[2Jx"},
		{"one byte escapes", "\x9b2J\u009b2J", "\ufffd2J2J"},
		{"carriage return and backspace", "a\rb\bc\x7f", "abc"},
		{"cut off", "x\x1b[3", "x␛[3"},
		{"lone escape", "x\x1b", "x␛"},
		{"endless", "\x1b[" + strings.Repeat("1", 100) + "m", "␛[" + strings.Repeat("1", 100) + "m"},
		{"not UTF-8", "a\xffb", "a\ufffdb"},
	} {
		if got := Clean(c.in); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestATitleStaysOneLine(t *testing.T) {
	if got, want := CleanLine(" a\n\tb\r\n"), "a b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
