package text

import (
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

func TestPositionExamples(t *testing.T) {
	tests := []struct {
		name          string
		edit          string
		pos           int
		before, after int
	}{
		{"nothing", `[]`, 3, 3, 3},
		{"left of an insertion", `[4,"ab"]`, 3, 3, 3},
		{"at an insertion", `[3,"ab"]`, 3, 3, 5},
		{"right of an insertion", `[2,"ab"]`, 3, 5, 5},
		{"right of an astral insertion", `["😀"]`, 3, 5, 5},
		{"left of a deletion", `[3,-2]`, 3, 3, 3},
		{"in a deletion", `[2,-2]`, 3, 2, 2},
		{"right of a deletion", `[1,-2]`, 3, 1, 1},
		{"at the start of a replaced part", `[3,"xyz",-2]`, 3, 3, 6},
		{"in a replaced part", `[2,"xyz",-2]`, 3, 2, 5},
		{"at the end of a replaced part", `[1,"xyz",-2]`, 3, 4, 4},
		{"between changes", `["a",-2,2,"b"]`, 3, 2, 2},
		{"behind changes", `["abc",-2,1,"d",9,-1]`, 5, 7, 7},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := parse(t, tt.edit)
			check(t, "before", e.Position(tt.pos, Before), tt.before)
			check(t, "after", e.Position(tt.pos, After), tt.after)
		})
	}
}

func TestTX7PositionsKeepTheirOrderAndStayInTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts().Draw(t, "s")
		e := editsOf(s).Draw(t, "e")
		last := 0
		for pos := range UTF16Len(s) + 1 {
			before, after := e.Position(pos, Before), e.Position(pos, After)
			if before < last || after < before {
				t.Errorf("unit %d goes to %d or %d through %v, after %d", pos, before, after, e, last)
			}
			last = before
		}
		check(t, "start", e.Position(0, Before), 0)
		check(t, "end", e.Position(UTF16Len(s), After), UTF16Len(applied(t, s, e)))
	})
}

func TestUTF16OffsetsAreThoseOfTheEncoding(t *testing.T) {
	const s = "aé€𝄞b"
	units := utf16.Encode([]rune(s))
	for n := -1; n <= len(units)+1; n++ {
		inside := n >= 0 && n <= len(units)
		whole := inside && (n == 0 || n == len(units) || !utf16.IsSurrogate(rune(units[n])) || !utf16.IsSurrogate(rune(units[n-1])))
		at, ok := UTF16Offset(s, n)
		if ok != whole || ok && s[:at] != string(utf16.Decode(units[:n])) {
			t.Errorf("unit %d is at byte %d, %v; want %v", n, at, ok, whole)
		}
		if !inside {
			continue
		}
		left := s[:WithoutUTF16(s, len(units)-n)]
		want := string(utf16.Decode(units[:n]))
		if !whole { // the other half goes, too
			want = string(utf16.Decode(units[:n-1]))
		}
		if left != want {
			t.Errorf("without the last %d units: got %q, want %q", len(units)-n, left, want)
		}
	}
}
