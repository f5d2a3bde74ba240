package order

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// list is a notebook as a ring of cells. Cell 0 stands for both ends, as the zero Place does; cell n was inserted as
// the nth.
type list struct {
	places     []Place
	next, prev []int
}

func newList() *list {
	return &list{places: []Place{{}}, next: []int{0}, prev: []int{0}}
}

// insert puts a new cell after another and returns the length of its key.
func (l *list) insert(t *testing.T, after int) int {
	t.Helper()
	cell, before := len(l.places), l.next[after]
	lo, hi := l.places[after], l.places[before]
	p := Place{Key: mustBetween(t, lo, hi), ID: fmt.Sprintf("c%d", cell)}
	if after != 0 && Compare(lo, p) >= 0 || before != 0 && Compare(p, hi) >= 0 {
		t.Fatalf("insert %d: %v is not between %v and %v", cell, p, lo, hi)
	}
	l.places = append(l.places, p)
	l.next, l.prev = append(l.next, before), append(l.prev, after)
	l.next[after], l.prev[before] = cell, cell
	return len(p.Key)
}

// newest is the cell that was inserted last.
func (l *list) newest() int { return len(l.places) - 1 }

func mustBetween(t *testing.T, lo, hi Place) Key {
	t.Helper()
	key, err := Between(lo, hi)
	if err != nil {
		t.Fatal(err)
	}
	if err := key.Valid(); err != nil {
		t.Fatalf("Between(%v, %v): %v", lo, hi, err)
	}
	return key
}

func TestOR8KeysStayShortHoweverManyCellsAreInserted(t *testing.T) {
	tests := []struct {
		name    string
		inserts int
		longest int
		after   func(l *list) int
	}{
		{"at the tail", 10_000, 3, func(l *list) int { return l.prev[0] }},
		{"at the head", 10_000, 3, func(*list) int { return 0 }},
		{"always after the first cell", 10_000, 4, func(l *list) int { return min(l.newest(), 1) }},
		{"always before the last cell", 10_000, 4, func(l *list) int { return l.prev[min(l.newest(), 1)] }},
		{"always after a cell in the middle", 10_000, 6, afterTheFiftieth},
		{"at random, seed 1", 10_000, 8, random(1)},
		{"at random, seed 2", 10_000, 8, random(2)},
		{"at random, seed 3", 10_000, 8, random(3)},
		{"beside the newest cell, changing side", 1_000, 220, zigzag(1)},
		{"beside the newest cell, two a side", 1_000, 220, zigzag(2)},
		{"beside the newest cell, five a side", 1_000, 220, zigzag(5)},
		{"beside the newest cell, at a random side", 1_000, 220, coin(1)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l, longest := newList(), 0
			for range test.inserts {
				longest = max(longest, l.insert(t, test.after(l)))
			}
			t.Logf("longest key of %d inserts: %d bytes", test.inserts, longest)
			if longest > test.longest {
				t.Errorf("got a key of %d bytes, want at most %d", longest, test.longest)
			}
		})
	}
}

func TestOR8NoChoiceOfSidesGainsMoreThanOneByteInFourInserts(t *testing.T) {
	var longest int
	var split func(lo, hi Place, inserts int)
	split = func(lo, hi Place, inserts int) {
		if inserts == 0 {
			return
		}
		p := Place{Key: mustBetween(t, lo, hi), ID: "c"}
		longest = max(longest, len(p.Key))
		split(lo, p, inserts-1)
		split(p, hi, inserts-1)
	}
	for inserts := range 15 {
		longest = 0
		split(Place{}, Place{}, inserts)
		if want := 1 + inserts/4; longest > want {
			t.Errorf("%d inserts: got a key of %d bytes, want at most %d", inserts, longest, want)
		}
	}
}

// afterTheFiftieth fills a hundred cells and then inserts after one of them.
func afterTheFiftieth(l *list) int {
	if l.newest() < 100 {
		return l.newest()
	}
	return 50
}

// random inserts after any cell, or at the head.
func random(seed uint64) func(l *list) int {
	r := rand.New(rand.NewPCG(seed, seed))
	return func(l *list) int { return r.IntN(len(l.places)) }
}

// zigzag inserts beside the newest cell, and changes the side after each n inserts.
func zigzag(each int) func(l *list) int {
	return func(l *list) int {
		if n := l.newest(); n/each%2 == 0 {
			return n
		}
		return l.prev[l.newest()]
	}
}

// coin inserts beside the newest cell, at a random side.
func coin(seed uint64) func(l *list) int {
	r := rand.New(rand.NewPCG(seed, seed))
	return func(l *list) int {
		if r.IntN(2) == 0 {
			return l.newest()
		}
		return l.prev[l.newest()]
	}
}
