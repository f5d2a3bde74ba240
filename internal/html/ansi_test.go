package html

import (
	"strings"
	"testing"
)

func TestTerminalColoursBecomeSpans(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"none", "a <b>\n&c", "a &lt;b&gt;\n&amp;c"},
		{"sixteen", "\x1b[31ma\x1b[92mb\x1b[39mc\x1b[44;103md\x1b[0me", `<span class="q-f1">a</span><span class="q-f10">b</span>c<span class="q-b11">d</span>e`},
		{"weights", "\x1b[1;3ma\x1b[22mb\x1b[23;4;9mc\x1b[md", `<span class="q-bold q-italic">a</span><span class="q-italic">b</span><span class="q-underline q-strike">c</span>d`},
		{"256", "\x1b[38;5;9ma\x1b[38;5;208mb\x1b[48;5;250mc", `<span class="q-f9">a</span><span class="q-fx" style="--c:#ff8700;">b</span><span class="q-fx q-bx" style="--c:#ff8700;--d:#bcbcbc;">c</span>`},
		{"true colour", "\x1b[38;2;1;2;255;1ma", `<span class="q-fx q-bold" style="--c:#0102ff;">a</span>`},
		{"inverse", "\x1b[7ma\x1b[31mb\x1b[27mc", `<span class="q-flip-fore q-flip-back">a</span><span class="q-flip-fore q-b1">b</span><span class="q-f1">c</span>`},
		{"over lines", "\x1b[2ma\nb", `<span class="q-faint">a</span>` + "\n" + `<span class="q-faint">b</span>`},
		{"out of range", "\x1b[38;2;999;-1;ma\x1b[999mb\x1b[38;5mc", `<span class="q-fx" style="--c:#ff0000;">a</span><span class="q-fx" style="--c:#ff0000;">b</span><span class="q-fx" style="--c:#ff0000;">c</span>`},
		{"other sequences", "a\x1b[2Kb\x1b[10;5Hc\x1b(Bd\x1b=e", "abcBde"},
		{"links", "\x1b]8;;javascript:alert(1)\x1b\\text\x1b]8;;\x1b\\ \x1b]0;title\x07x", "text x"},
		{"cut off", "a\x1b", "a"},
		{"cut off in a sequence", "a\x1b[31", "a"},
		{"cut off in a link", "a\x1b]8;;x", "a"},
		{"an escape before text", "\x1bé\x1b[é", "éé"},
		{"carriage returns", "10%\r\x1b[32m100%\r\nnext\r", `<span class="q-f2">100%</span>` + "\n" + `<span class="q-f2">next</span>`},
		{"control characters", "a\x00\x08\tb\x7f", "a\tb"},
	} {
		if got := terminal(test.text); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

func FuzzATerminalShowsTextOnly(f *testing.F) {
	for _, seed := range []string{"", "\x1b[31mx", "\x1b]8;;javascript:x\x07<b>\x1b]8;;\x07", "\x1b[38;5;\x1b", "\x1b[7;48;2;1;2;3ma"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := terminal(text)
		rest := got
		for {
			_, after, found := strings.Cut(rest, "<")
			if !found {
				return
			}
			tag, behind, _ := strings.Cut(after, ">")
			if tag != "/span" && !strings.HasPrefix(tag, "span class=\"q-") {
				t.Fatalf("got the tag <%s> in %q", tag, got)
			}
			rest = behind
		}
	})
}
