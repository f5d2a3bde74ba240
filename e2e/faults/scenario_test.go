//go:build linux

package faults_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// The times that the server and its runtimes keep to, which are short so that a
// scenario is.
const (
	ping  = 400 * time.Millisecond
	lease = 3 * time.Second
	start = 10 * time.Second
)

// scenario is what happens, as it is drawn from a seed: numbers in it choose among
// what there is when their time comes.
type scenario struct {
	seed    uint64
	idle    time.Duration // for a room to stay open without users
	waits   bool          // for programs to run before anything fails
	small   bool          // the disk
	ages    bool          // all clocks go on by far more than anything may take, twice
	books   []bookPlan
	strikes []strike
}

// bookPlan is what happens in one notebook.
type bookPlan struct {
	programs int             // that are run at the start
	people   [][]act         // what each does, in order
	commands []strike        // clients as processes, which are killed when their time is over
	threads  int             // programs whose runs end at the start, and whose threads go on
	visits   []time.Duration // when somebody opens the page
}

// act is something that a person does.
type act struct {
	at   time.Duration
	verb verb
	a, b int // choose where and what
}

// verb says what a person does.
type verb string

// The verbs. What is typed goes into the common cell, in which nobody deletes.
const (
	typeCommon verb = "types"
	edit       verb = "edits"
	addCell    verb = "adds a cell"
	moveCell   verb = "moves a cell"
	deleteCell verb = "deletes a cell"
	restore    verb = "restores a cell"
	setTitle   verb = "sets the title"
	handle     verb = "handles the common cell"
	runCells   verb = "runs"
	cancelRun  verb = "cancels a run"
	cancelAll  verb = "cancels all runs"
)

// verbRow says how likely a verb is.
type verbRow struct {
	verb
	share int
}

var verbs = []verbRow{
	{typeCommon, 50}, {edit, 20}, {addCell, 5}, {moveCell, 4}, {deleteCell, 2}, {restore, 2}, {setTitle, 2},
}

// strike is a fault: when, which, for how long, and numbers that choose where and how.
type strike struct {
	at    time.Duration
	kind  kind
	lasts time.Duration
	draw  int
}

// draw draws a scenario with some kinds of faults.
func draw(seed uint64, among []kindRow) *scenario {
	r := rand.New(rand.NewPCG(seed, 1))
	s := &scenario{seed: seed, waits: r.IntN(4) > 0, idle: time.Minute}
	if r.IntN(2) == 0 {
		s.idle = 150 * time.Millisecond
	}
	long := 1_000*time.Millisecond + drawTime(r, 1_000*time.Millisecond)
	for range 1 + r.IntN(2) {
		s.books = append(s.books, drawBook(r, long))
	}
	for range 2 + r.IntN(4) {
		k := drawStrike(r, among)
		k.at = drawTime(r, long)
		s.small = s.small || k.kind == diskFull
		s.strikes = append(s.strikes, k)
	}
	slices.SortStableFunc(s.strikes, func(a, b strike) int { return int(a.at - b.at) })
	s.makeOneLong(r)
	s.addMore(rand.New(rand.NewPCG(seed, 4)), long)
	return s
}

// addMore adds what leaves everything else of a seed as it was.
func (s *scenario) addMore(r *rand.Rand, long time.Duration) {
	s.ages = r.IntN(2) == 0
	for i := range s.books {
		b := &s.books[i]
		b.threads = r.IntN(3)
		for range 1 + r.IntN(2) {
			b.visits = append(b.visits, drawTime(r, long))
		}
		for j := range b.people {
			for range r.IntN(4) {
				b.people[j] = append(b.people[j], act{at: drawTime(r, long), verb: handle, a: r.IntN(1 << 20), b: r.IntN(1 << 20)})
			}
			slices.SortStableFunc(b.people[j], func(a, b act) int { return int(a.at - b.at) })
		}
		for _, k := range s.strikes { // and as the server goes, and before it is back
			if k.kind == serverKilled {
				b.visits = append(b.visits, k.at+k.lasts/2)
			}
		}
	}
}

// makeOneLong makes one fault of some scenarios longer than a lease.
func (s *scenario) makeOneLong(r *rand.Rand) {
	if r.IntN(6) > 0 {
		return
	}
	for i := range s.strikes {
		switch k := &s.strikes[i]; k.kind {
		case serverFrozen, runtimeFrozen, engineFrozen, networkCut:
			k.lasts += lease + 2*ping
			return
		}
	}
}

func drawBook(r *rand.Rand, long time.Duration) bookPlan {
	b := bookPlan{programs: 1 + r.IntN(2)}
	for range 2 + r.IntN(2) {
		b.people = append(b.people, drawPerson(r, long))
	}
	for range r.IntN(3) {
		b.commands = append(b.commands, strike{at: drawTime(r, long), kind: clientKilled, lasts: 20*time.Millisecond + drawTime(r, 400*time.Millisecond)})
	}
	return b
}

func drawPerson(r *rand.Rand, long time.Duration) (acts []act) {
	for at := drawTime(r, 50*time.Millisecond); at < long; at += 4*time.Millisecond + drawTime(r, 50*time.Millisecond) {
		acts = append(acts, act{at: at, verb: choose(r, verbs, func(v verbRow) int { return v.share }).verb})
	}
	// The rarer ones, which take their time.
	for range 1 + r.IntN(2) {
		acts = append(acts, act{at: drawTime(r, long), verb: runCells})
	}
	if r.IntN(2) == 0 {
		acts = append(acts, act{at: drawTime(r, long), verb: cancelRun})
	}
	if r.IntN(10) == 0 {
		acts = append(acts, act{at: drawTime(r, long), verb: cancelAll})
	}
	slices.SortStableFunc(acts, func(a, b act) int { return int(a.at - b.at) })
	for i := range acts {
		acts[i].a, acts[i].b = r.IntN(1<<20), r.IntN(1<<20)
	}
	return acts
}

// String prints the scenario for whoever looks for a mistake: its faults, and of what
// people do all but the typing.
func (s *scenario) String() string {
	var w strings.Builder
	fmt.Fprintf(&w, "seed %d: rooms stay open for %v; the faults wait for programs: %v; time passes: %v\n", s.seed, s.idle, s.waits, s.ages)
	for i, b := range s.books {
		fmt.Fprintf(&w, "notebook %d: %d programs at the start, %d with threads that go on\n", i, b.programs, b.threads)
		for _, at := range b.visits {
			fmt.Fprintf(&w, "  %5d ms  somebody opens the page\n", at.Milliseconds())
		}
		for j, acts := range b.people {
			for _, a := range acts {
				if a.verb != typeCommon && a.verb != edit {
					fmt.Fprintf(&w, "  %5d ms  person %d %s (%d, %d)\n", a.at.Milliseconds(), j, a.verb, a.a, a.b)
				}
			}
		}
		for _, c := range b.commands {
			fmt.Fprintf(&w, "  %5d ms  a command adds a cell, and is killed after %v\n", c.at.Milliseconds(), c.lasts)
		}
	}
	for _, k := range s.strikes {
		fmt.Fprintf(&w, "%7d ms  %s, for %v (%d)\n", k.at.Milliseconds(), k.kind, k.lasts, k.draw)
	}
	return w.String()
}

func TestASeedAlwaysGivesTheSameScenario(t *testing.T) {
	for seed := range uint64(100) {
		if a, b := draw(seed, kinds), draw(seed, kinds); !reflect.DeepEqual(a, b) {
			t.Fatalf("seed %d gives\n%s\nand\n%s", seed, a, b)
		}
	}
}
