package screen

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// colours are the only sequences that may be in a text.
var colours = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// FuzzScreen prints anything, in two parts wherever it is cut: who reads the edits has the text
// that a terminal shows of the whole, with nothing in it that could steer a terminal, and lines
// that can be shown by themselves.
func FuzzScreen(f *testing.F) {
	for _, seed := range []string{
		"10%\r20%\n", "a 1\nb 1\n\x1b[2Aa 2\n", "\x1b[38;2;1;2;3mred\x1b[1;4mmore\nnext\x1b[0m", "\x1b]0;title\x07x\x1b]8;;http://x\x1b\\y", "\x1b[999999999A\x1b[99999G\x1b[2J", "é🐎\b\b\x1b[K",
		"\x1b[38;5", "\x1bP\x1b\\\x9b31m\u009b1m", strings.Repeat("x\n", 120) + "\x1b[200Ay", strings.Repeat("w", Columns+3), "\xff\xfe\x1b[m", "\t\v\f\x00\x7f\x1b(B\x1bc", "\x1b[4:3;58:2::1:2:3mcurly",
	} {
		f.Add(seed, len(seed)/2)
	}
	f.Fuzz(func(t *testing.T, text string, cut int) {
		if len(text) > 1<<14 {
			return
		}
		text = strings.ToValidUTF8(text, "\uFFFD")
		cut = max(0, min(cut, len(text)))
		for cut < len(text) && !utf8.RuneStart(text[cut]) {
			cut++
		}
		var s Screen
		var r reader
		for _, part := range []string{text[:cut], text[cut:]} {
			s.Write(part)
			if e, ok := s.Take(); ok {
				r.take(t, e)
			}
		}
		s.End()
		if e, ok := s.Take(); ok {
			r.take(t, e)
		}
		got := r.text()
		if want := Shown([]byte(text)); got != want {
			t.Fatalf("%q in two parts is shown as %q, want %q", text, got, want)
		}
		for i, line := range strings.Split(got, "\n") {
			bare := colours.ReplaceAllString(line, "")
			if strings.ContainsFunc(bare, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
				t.Fatalf("line %d of what %q shows is %q", i, text, line)
			}
			if all := colours.FindAllString(line, -1); len(all) > 0 && all[len(all)-1] != plainPen {
				t.Fatalf("the colours of line %d, %q, do not end with it", i, line)
			}
		}
	})
}
