package main

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/core/text"
)

func TestAnEditKeepsWhatOthersDidMeanwhile(t *testing.T) {
	for _, c := range []struct{ name, base, mine, current, want string }{
		{"nobody else", "a = 1\n", "a = 2\n", "a = 1\n", "a = 2\n"},
		{"I did nothing", "a = 1\n", "a = 1\n", "a = 5\n", "a = 5\n"},
		{"other lines", "a = 1\nb = 2\n", "a = 1\nb = 3\n", "a = 0\nb = 2\n", "a = 0\nb = 3\n"},
		{"a line above", "b\n", "b\nc\n", "a\nb\n", "a\nb\nc\n"},
		{"the same change", "x\n", "y\n", "y\n", "yy\n"},
		{"all deleted by others", "a b\n", "a c b\n", "", "c "},
		{"outside the basic plane", "😀a\n", "😀ab\n", "x😀a\n", "x😀ab\n"},
		{"from nothing", "", "mine", "theirs", "theirsmine"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := text.NewText(c.current)
			if err := got.Apply(merge(c.base, c.mine, c.current)); err != nil {
				t.Fatal(err)
			}
			if got.String() != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestWhatIsInsertedSurvivesAnyEditOfOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringOf(rapid.RuneFrom([]rune("ab \n😀")))
		base, current := line.Draw(t, "base"), line.Draw(t, "current")
		at := rapid.IntRange(0, len([]rune(base))).Draw(t, "at")
		mine := string([]rune(base)[:at]) + "<mine>" + string([]rune(base)[at:])
		got := text.NewText(current)
		if err := got.Apply(merge(base, mine, current)); err != nil {
			t.Fatalf("the edit does not fit: %v", err)
		}
		if !strings.Contains(got.String(), "<mine>") {
			t.Errorf("got %q, want what was inserted in it", got)
		}
	})
}
