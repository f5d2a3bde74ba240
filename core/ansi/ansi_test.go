package ansi_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/ansi"
)

func TestALineIsWhatStandsBehindItsLastCarriageReturn(t *testing.T) {
	for line, want := range map[string]string{
		"": "", "a": "a", "a\r": "a", "a\r\r": "a", "10%\r100%": "100%", "10%\r100%\r": "100%", "\r\rx": "x", "\r": "",
	} {
		if got := ansi.Overwritten(line); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

func TestPlainTextHasNoSequences(t *testing.T) {
	for text, want := range map[string]string{
		"a\nb":                                "a\nb",
		"\x1b[1;31mred\x1b[0m\n":              "red\n",
		"10%\r\x1b[32m100%\x1b[m\r\nnext":     "100%\nnext",
		"a\x1b[2Kb\x1b[10;5Hc\x1b(Bd\x1b=e":   "abcBde",
		"\x1b]8;;x\x1b\\link\x1b]8;;\x07 end": "link end",
		"\x1bé\x1b[é":                         "éé",
		"a\x1b[31\nb":                         "a\nb",
		"a\x1b":                               "a",
	} {
		if got := ansi.Plain(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestCutSaysWhatASequenceIs(t *testing.T) {
	for text, want := range map[string]ansi.Sequence{
		"\x1b[31mx":      {Len: 5, Params: "31", Final: 'm'},
		"\x1b[mx":        {Len: 3, Final: 'm'},
		"\x1b[2Kx":       {Len: 4, Params: "2", Final: 'K'},
		"\x1b[3\nx":      {Len: 3, Params: "3"},
		"\x1b[38;5":      {Len: 6, Params: "38;5", Partial: true},
		"\x1b":           {Len: 1, Partial: true},
		"\x1b]0;a\x07x":  {Len: 6},
		"\x1b]0;a\x1b[m": {Len: 5},
		"\x1b]0;a":       {Len: 5, Partial: true},
		"\x1b=x":         {Len: 2},
		"\x1bé":          {Len: 1},
	} {
		if diff := cmp.Diff(want, ansi.Cut(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestSequencesSetTheStyle(t *testing.T) {
	var s ansi.Style
	for _, test := range []struct {
		sequence string
		want     ansi.Style
	}{
		{"\x1b[1;4;31m", ansi.Style{Bold: true, Underline: true, Fore: ansi.Colour{Kind: ansi.Indexed, Index: 1}}},
		{"\x1b[2J", ansi.Style{Bold: true, Underline: true, Fore: ansi.Colour{Kind: ansi.Indexed, Index: 1}}},
		{"\x1b[22;24;39;48;5;208m", ansi.Style{Back: ansi.Colour{Kind: ansi.Exact, RGB: "#ff8700"}}},
		{"\x1b[m", ansi.Style{}},
	} {
		s.Set(ansi.Cut(test.sequence))
		if s != test.want || s.IsZero() != (test.want == ansi.Style{}) {
			t.Errorf("%q: got %+v, want %+v", test.sequence, s, test.want)
		}
	}
}

// The parts and the sequences of a line are all of it, and no part has an escape character.
func FuzzParts(f *testing.F) {
	for _, seed := range []string{"", "a", "\x1b[31mx", "\x1b]8;;x\x07<b>\x1b]8;;\x07", "\x1b[38;5;\x1b", "a\x1b", "\x1bPq\x1b\\", "\x1b\x1b[1m"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		n := 0
		for part, q := range ansi.Parts(line) {
			if strings.Contains(part, "\x1b") || line[n:n+len(part)] != part {
				t.Fatalf("part %q at %d of %q", part, n, line)
			}
			n += len(part) + q.Len
		}
		if n != len(line) {
			t.Fatalf("got %d of %d bytes of %q", n, len(line), line)
		}
		if plain := ansi.Plain(line); strings.ContainsAny(plain, "\x1b\r") {
			t.Fatalf("%q is not plain: %q", line, plain)
		}
	})
}
