package order

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestOR6ReplicasThatInsertAtOneSpotAgreeAndAThirdCellGoesBetween(t *testing.T) {
	lo, hi := Place{"R", "lo"}, Place{"Z", "hi"}
	mine := Place{Key: mustBetween(t, lo, hi), ID: "mine"}
	yours := Place{Key: mustBetween(t, lo, hi), ID: "yours"}
	if mine.Key != yours.Key {
		t.Fatalf("got keys %q and %q, want them equal", mine.Key, yours.Key)
	}
	third := mustBetween(t, mine, yours)
	checkBetween(t, mine, yours, third)
}

func TestOR6CellsGoBetweenCellsWithOneKeyAHundredLevelsDeep(t *testing.T) {
	tests := []struct {
		name   string
		levels int
		id     func(r *rand.Rand, n int) string
	}{
		{"random ids of 20 letters", 100, func(r *rand.Rand, _ int) string {
			id := make([]byte, 20)
			for i := range id {
				id[i] = byte('a' + r.IntN(26))
			}
			return string(id)
		}},
		{"ids with a client's counter", 100, func(r *rand.Rand, n int) string {
			return fmt.Sprintf("%06x-%d", r.IntN(1<<24), n)
		}},
		{"long ids that differ at their end only", 7, func(_ *rand.Rand, n int) string {
			return fmt.Sprintf("%063d%d", 0, n%2)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 1))
			var lo, hi Place
			for n := range test.levels {
				key := mustBetween(t, lo, hi)
				checkBetween(t, lo, hi, key)
				lo, hi = Place{key, test.id(r, 2*n)}, Place{key, test.id(r, 2*n+1)}
				if Compare(lo, hi) > 0 {
					lo, hi = hi, lo
				}
			}
			t.Logf("key after %d levels: %d bytes", test.levels, len(lo.Key))
		})
	}
}

func TestOR10CellsThatAreMovedIntoOneGapBothLandInIt(t *testing.T) {
	var places []Place
	for n := range 20 {
		places = append(places, Place{Key(encode(n)), fmt.Sprintf("c%d", n)})
	}
	first, last := places[3], places[15]
	lo, hi := places[8], places[9]
	key := mustBetween(t, lo, hi)
	got := append(slices.Delete(slices.Clone(places), 15, 16), Place{key, last.ID})
	got = append(slices.Delete(got, 3, 4), Place{key, first.ID})
	slices.SortFunc(got, Compare)

	at := slices.Index(got, lo)
	want := []Place{lo, {key, last.ID}, {key, first.ID}, hi}
	if Compare(want[1], want[2]) > 0 {
		want[1], want[2] = want[2], want[1]
	}
	if between := got[at : at+4]; !slices.Equal(between, want) {
		t.Errorf("got %v in the gap, want %v", between, want)
	}
}

// shown is the expected notebook of a property test: the order that the inserts and moves asked for, which the keys
// must give too.
type shown struct {
	places []Place
	made   int
}

func (s *shown) gap(t *rapid.T, i int) Key {
	var lo, hi Place
	if i > 0 {
		lo = s.places[i-1]
	}
	if i < len(s.places) {
		hi = s.places[i]
	}
	key, err := Between(lo, hi)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// insert inserts count cells into one gap, concurrently.
func (s *shown) insert(t *rapid.T, count int) {
	i := rapid.IntRange(0, len(s.places)).Draw(t, "gap")
	key := s.gap(t, i)
	for range count {
		s.made++
		id := fmt.Sprintf("%s%d", rapid.StringMatching(`[a-b]{0,3}`).Draw(t, "id"), s.made)
		s.places = slices.Insert(s.places, i, Place{key, id})
	}
	slices.SortFunc(s.places[i:i+count], Compare)
}

func (s *shown) move(t *rapid.T) {
	if len(s.places) == 0 {
		return
	}
	from := rapid.IntRange(0, len(s.places)-1).Draw(t, "from")
	id := s.places[from].ID
	s.places = slices.Delete(s.places, from, from+1)
	to := rapid.IntRange(0, len(s.places)).Draw(t, "to")
	s.places = slices.Insert(s.places, to, Place{s.gap(t, to), id})
}

func (s *shown) remove(t *rapid.T) {
	if len(s.places) == 0 {
		return
	}
	i := rapid.IntRange(0, len(s.places)-1).Draw(t, "cell")
	s.places = slices.Delete(s.places, i, i+1)
}

func TestOR5KeysGiveTheOrderThatWasAskedForAfterAnyEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s shown
		t.Repeat(map[string]func(*rapid.T){
			"insert one":         func(t *rapid.T) { s.insert(t, 1) },
			"insert some, apart": func(t *rapid.T) { s.insert(t, rapid.IntRange(2, 4).Draw(t, "cells")) },
			"move":               s.move,
			"remove":             s.remove,
			"": func(t *rapid.T) {
				if !slices.IsSortedFunc(s.places, Compare) {
					t.Fatalf("the keys give another order than was asked for: %v", s.places)
				}
			},
		})
	})
}
