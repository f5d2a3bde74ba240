package order

import (
	"slices"
	"testing"
)

// levels has every level near zero and near where the length changes.
func levels() []int {
	var all []int
	edges := []int{0, 27, 27 + 4*base, 27 + 4*base + 11*base*base, greatest}
	for _, edge := range edges {
		for v := max(edge-200, 0); v <= min(edge+200, greatest); v++ {
			all = append(all, v, -v)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func TestOR3LevelsReadBackAndCompareAsTheirBytesDo(t *testing.T) {
	before := ""
	for _, want := range levels() {
		s := encode(want)
		got, n := decode(s + "R")
		if got != want || n != len(s) {
			t.Errorf("decode(%q): got %d in %d symbols, want %d in %d", s, got, n, want, len(s))
		}
		if s <= before {
			t.Errorf("level %d: got %q, which is not above %q", want, s, before)
		}
		before = s
	}
}

func TestOR3LevelsHaveTheLengthsThatTheRuleGives(t *testing.T) {
	tests := map[int]string{
		0: "R", 1: "S", -1: "Q", 27: "n", -27: "5", 28: "o#", -28: "4~", 375: "r~", -375: "1#", 376: "s##", -376: "0~~",
		83_634: "}~~", -83_634: "$##", 83_635: "~####", -83_635: "#~~~~", 57_373_395: "~~~~~", -57_373_395: "#####",
	}
	for level, want := range tests {
		if got := encode(level); got != want {
			t.Errorf("level %d: got %q, want %q", level, got, want)
		}
	}
}

func TestOR3EveryFirstSymbolBelongsToOneLength(t *testing.T) {
	total := 1
	for _, c := range classes {
		total += 2 * c.firsts
	}
	if total != base {
		t.Errorf("got %d first symbols in use, want %d", total, base)
	}
	if !slices.IsSorted([]byte(alphabet)) {
		t.Error("the alphabet is not in order")
	}
}

func TestOR3WhatIsNoLevelHasNoSymbols(t *testing.T) {
	for _, s := range []string{"", "!", "o", "s#", "s#!", "~###", "4", `o"`, " "} {
		if _, n := decode(s); n != 0 {
			t.Errorf("decode(%q): got %d symbols, want 0", s, n)
		}
	}
}
