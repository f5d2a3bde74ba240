package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestATextCannotSteerATerminal(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"colours", "\x1b[1;31mred\x1b[m", "\x1b[1;31mred\x1b[m"},
		{"clipboard", "a\x1b]52;c;b3duZWQ=\x07b", "a␛]52;c;b3duZWQ=b"},
		{"title", "\x1b]0;x\x1b\\", "␛]0;x␛\\"},
		{"device control", "\x1bPq#0\x1b\\\x90q\u009c", "␛Pq#0␛\\\ufffdq"},
		{"one byte controls", "\u009b2J\u009d0;x\u009c", "2J0;x"},
		{"direction", "a\u202ebmoc.knab\u202c\u2066x\u2069\u200f\u061c", "abmoc.knabx"},
		{"not to be seen", "pass\u200bword\u2060\ufeff\u00ad\u180e\U000e0041\U000e007f", "password"},
		{"joined letters", "\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"},
		{"joined pictures", "👩\u200d💻", "👩\u200d💻"},
		{"joined Latin", "a\u200db", "ab"},
		{"line ends", "a\r\nb\u0085c", "a\nbc"},
	} {
		out, rest := cleanPart(c.in)
		if got := out + visible(rest); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzATextInPartsIsCleanedAsAWhole(f *testing.F) {
	f.Add("é\x1b[31m\x1b]0;x\x07👩\u200d💻", 3)
	f.Add("\xe2\x80", 1)
	f.Fuzz(func(t *testing.T, s string, cut int) {
		if cut < 0 || cut > len(s) {
			return
		}
		whole, end := cleanPart(s)
		first, rest := cleanPart(s[:cut])
		second, rest := cleanPart(rest + s[cut:])
		for _, out := range []string{whole, first + second} {
			if !utf8.ValidString(out) {
				t.Fatalf("%q is no text", out)
			}
			for i, r := range out {
				if n, _ := colour(out[i:]); special(r) && !isJoiner(r) && n == 0 {
					t.Fatalf("%q has %U", out, r)
				}
			}
		}
		if strip := strings.NewReplacer("\u200c", "", "\u200d", ""); utf8.ValidString(s) && strip.Replace(whole) != strip.Replace(first+second) || end != rest {
			t.Fatalf("in parts: %q and %q, want %q and %q", first+second, rest, whole, end)
		}
	})
}
