package lang

import (
	"testing"
	"unicode/utf8"
)

func TestTextIsTheSameWhereverItsBytesAreCut(t *testing.T) {
	for text, want := range map[string]string{
		"é🐎":                    "é🐎",
		"a\xffb":                "a\uFFFDb",
		"\xf0\x9f\x90":          "\uFFFD\uFFFD\uFFFD",
		"\xe2\x82x\xc3":         "\uFFFD\uFFFDx\uFFFD",
		"\xed\xa0\x80":          "\uFFFD\uFFFD\uFFFD", // half of a surrogate pair
		"\xf0\x9f\x90\x8e\xbf ": "🐎\uFFFD ",
	} {
		for size := 1; size <= len(text); size++ {
			var d TextDecoder
			got := ""
			for rest := []byte(text); len(rest) > 0; rest = rest[min(size, len(rest)):] {
				piece := d.Decode(rest[:min(size, len(rest)):min(size, len(rest))], false)
				if !utf8.ValidString(piece) {
					t.Errorf("%q: the piece %q is no UTF-8", text, piece)
				}
				got += piece
			}
			if got += d.Decode(nil, true); got != want {
				t.Errorf("%q in pieces of %d: got %q, want %q", text, size, got, want)
			}
		}
	}
}
