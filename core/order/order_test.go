package order

import (
	"cmp"
	"slices"
	"strings"
	"testing"
)

// samples are places of every structure, among them all with equal beginnings.
var samples = []Place{
	{"R", "a"},
	{"R", "ab"},
	{"R", "b"},
	{"R", "-"},
	{"R!a!R", "a"},
	{"R!a!R", "z"},
	{"R!a!RR", "a"},
	{"R!a!R!a!R", "a"},
	{"R!ab!J", "a"},
	{"RJ", "a"},
	{"RR", "a"},
	{"RR!a!R", "b"},
	{"S", "a"},
	{"J", "a"},
	{"J~####", "a"},
	{"~~~~~", "a"},
}

func TestOR1PlacesCompareAsBytesOfKeyMarkIDMark(t *testing.T) {
	spell := func(p Place) string { return string(p.Key) + "!" + p.ID + "!" }
	for _, a := range samples {
		for _, b := range samples {
			got, want := cmp.Compare(Compare(a, b), 0), strings.Compare(spell(a), spell(b))
			if got != want {
				t.Errorf("Compare(%v, %v): got %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestOR1WhatWasPutBehindACellWithATagStaysBeforeLongerIDsAndDeeperKeys(t *testing.T) {
	want := []Place{{"R", "a"}, {"R!a!R", "x"}, {"R", "a-"}, {"R", "ab"}, {"R", "b"}, {"RJ", "x"}, {"S", "x"}}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, Compare)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestOR1ComparingAllocatesNothing(t *testing.T) {
	a, b := Place{"R!a!R", "first"}, Place{"R", "aaaaaaaaaaaaaaaa"}
	if got := testing.AllocsPerRun(100, func() { Compare(a, b) }); got != 0 {
		t.Errorf("got %v allocations, want 0", got)
	}
}

func BenchmarkCompare(b *testing.B) {
	x, y := Place{"R!k3!Zb", "k3f9x-12"}, Place{"R!k3!Zb", "k3f9x-13"}
	for b.Loop() {
		Compare(x, y)
	}
}
