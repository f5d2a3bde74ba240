package screen

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// edits prints each text and returns what the screen then says.
func edits(printed ...string) []Edit {
	var s Screen
	var all []Edit
	for _, text := range printed {
		s.Write(text)
		if e, ok := s.Take(); ok {
			all = append(all, e)
		}
	}
	return all
}

func TestAG20TextThatOnlyGrowsDropsNothing(t *testing.T) {
	got := edits("a", "", "b\n", "c\nd", " ")
	want := []Edit{{Text: "a"}, {Text: "b\n"}, {Text: "c\nd"}, {Text: " "}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("edits (-want +got):\n%s", diff)
	}
}

func TestAG20AProgressBarStaysOneLine(t *testing.T) {
	for _, c := range []struct {
		name    string
		printed []string
		want    []Edit
	}{
		{"a carriage return", []string{"10%", "\r20%"}, []Edit{{Text: "10%"}, {3, "20%"}}},
		{"what stays is not said again", []string{"step 1", "\rstep 2"}, []Edit{{Text: "step 1"}, {1, "2"}}},
		{"a shorter line leaves the rest", []string{"long", "\rab"}, []Edit{{Text: "long"}, {4, "abng"}}},
		{"the line is erased first", []string{"long", "\x1b[2K\rab"}, []Edit{{Text: "long"}, {4, "ab"}}},
		{"a backspace", []string{"1%", "\b\b2%"}, []Edit{{Text: "1%"}, {2, "2%"}}},
		{"two bars", []string{"a 1\nb 1\n", "\x1b[2Aa 2\n"}, []Edit{{Text: "a 1\nb 1\n"}, {6, "2\nb 1\n"}}},
		{"a bar that is taken away", []string{"x\ny", "\x1b[1A\r\x1b[Jz"}, []Edit{{Text: "x\ny"}, {3, "z"}}},
		{"a Windows line end", []string{"a\r", "\nb"}, []Edit{{Text: "a"}, {Text: "\nb"}}},
		{"nothing at all", []string{"\x1b[?25l", "\r"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, edits(c.printed...)); diff != "" {
				t.Errorf("edits (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAG21DropsAreCountedInUTF16UnitsAndInWholeRunes(t *testing.T) {
	for _, c := range []struct {
		name    string
		printed []string
		want    []Edit
	}{
		{"a pair of surrogates counts two", []string{"a🐎", "\rab"}, []Edit{{Text: "a🐎"}, {2, "b"}}},
		{"runes that begin alike", []string{"é", "\rè"}, []Edit{{Text: "é"}, {1, "è"}}},
		{"pairs that begin alike", []string{"x🐎", "\rx🐏"}, []Edit{{Text: "x🐎"}, {2, "🐏"}}},
		{"bytes that are no text", []string{"\xff"}, []Edit{{Text: "\uFFFD"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, edits(c.printed...)); diff != "" {
				t.Errorf("edits (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAG22ColoursStayAndEveryLineHasItsOwn(t *testing.T) {
	for _, c := range []struct{ name, printed, want string }{
		{"as they came", "\x1b[1;31mbad\x1b[0m ok", "\x1b[1;31mbad\x1b[0m ok"},
		{"over two lines", "\x1b[32ma\nb\x1b[m", "\x1b[32ma\x1b[0m\n\x1b[32mb\x1b[0m"},
		{"one colour of two ends", "\x1b[31;44ma\x1b[49mb", "\x1b[31;44ma\x1b[0;31mb"},
		{"of 256 and of all", "\x1b[38;5;9ma\x1b[48;2;1;2;3mb", "\x1b[38;5;9ma\x1b[48;2;1;2;3mb"},
		{"with colons", "\x1b[38:2::1:2:3ma", "\x1b[38;2;1;2;3ma"},
		{"written over", "\x1b[31mred\x1b[0m\rg", "g\x1b[31med\x1b[0m"},
		{"a title and a link", "\x1b]0;t\a\x1b]8;;u\x1b\\a\x1b]8;;\x1b\\", "a"},
		{"a title without an end", "\x1b]0;t\nb", "\nb"},
		{"a sequence broken off", "\x1b[3\ra\x1b", "a"},
		{"too long to be a sequence", "\x1b[" + strings.Repeat("1", maxSequence) + "a", "11a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s Screen
			s.Write(c.printed)
			if got, _ := s.Take(); got.Text != c.want {
				t.Errorf("got %q, want %q", got.Text, c.want)
			}
		})
	}
}

func TestAG22ASequenceThatIsBrokenOffTakesNoLetter(t *testing.T) {
	for printed, want := range map[string]string{
		"\x1b é": "é", "\x1b(🐎": "🐎", "\x1b(\nx": "\nx", "\x1b[3é": "é", "\x1b(Bx": "x",
	} {
		if diff := cmp.Diff([]Edit{{Text: want}}, edits(printed)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", printed, diff)
		}
	}
}

func TestAG22TheEndOfATextEndsItsColour(t *testing.T) {
	var s Screen
	s.Write("\x1b[31ma\x1b[3")
	s.End()
	if got, _ := s.Take(); got.Text != "\x1b[31ma\x1b[0m" {
		t.Errorf("got %q, want the colour to end", got.Text)
	}
}

func TestAG23TheCursorGoesUpAHundredLinesAndNoMore(t *testing.T) {
	var s Screen
	for i := range 150 {
		s.Write(fmt.Sprintf("%d\n", i))
	}
	first, _ := s.Take()
	s.Write("\x1b[500Ax")
	got, _ := s.Take()
	var want bytes.Buffer
	for i := 51; i < 150; i++ {
		fmt.Fprintf(&want, "%d\n", i)
	}
	if got.Drop != want.Len() || got.Text != "x"+want.String()[1:] {
		t.Errorf("got an edit of %d units, %.10q, after %d bytes; want one of %d", got.Drop, got.Text, len(first.Text), want.Len())
	}
}

func BenchmarkPlainLines(b *testing.B) {
	chunk := strings.Repeat("a line of output as programs print them, say 64 bytes in length\n", 512)
	var s Screen
	b.SetBytes(int64(len(chunk)))
	b.ReportAllocs()
	for b.Loop() {
		s.Write(chunk)
		s.Take()
	}
}

func BenchmarkProgressBar(b *testing.B) {
	var s Screen
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Write(fmt.Sprintf("\r%3d%%|████████          | %d/1000 [00:01<00:00, 996.51it/s]", i%100, i))
		s.Take()
	}
}
