package text

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAppendDoesWhatTheEditOfTheEndDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := longTexts().Draw(t, "s")
		text := NewText(want)
		for range rapid.IntRange(1, 12).Draw(t, "times") {
			runes := []rune(want)
			kept := len(runes) - rapid.IntRange(0, min(len(runes), 40)).Draw(t, "drop")
			drop, s := UTF16Len(string(runes[kept:])), longTexts().Draw(t, "text")
			if err := text.Append(drop, s); err != nil {
				t.Fatal(err)
			}
			want = string(runes[:kept]) + s
			checkChunks(t, text)
			check(t, "text", text.String(), want)
		}
	})
}

func TestTX2AppendThatDoesNotFitChangesNothing(t *testing.T) {
	tests := []struct {
		name string
		drop int
		want string
	}{
		{"more than there is", 5, "drop 5 units of a text of 4"},
		{"less than nothing", -1, "drop -1 units"},
		{"half a pair", 1, "splits the surrogate pair around unit 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := NewText("ab😀")
			err := text.Append(tt.drop, "x")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q in it", err, tt.want)
			}
			check(t, "text", text.String(), "ab😀")
			checkChunks(t, text)
		})
	}
}

func TestAppendedBytesThatAreNotUTF8AreReplaced(t *testing.T) {
	var text Text
	if err := text.Append(0, "a\xff"); err != nil {
		t.Fatal(err)
	}
	check(t, "text", text.String(), "a\uFFFD")
	check(t, "length", text.Len(), 2)
}
