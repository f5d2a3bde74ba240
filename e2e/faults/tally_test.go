//go:build linux

package faults_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// tally counts what happened in all scenarios.
type tally struct {
	kinds []kindRow

	mu     sync.Mutex
	count  map[kind]int
	during map[kind]int // while a program of that notebook ran
	unable map[string]int
	cuts   map[string]int
	ends   map[string]int // of runs
	books  int
	events int
	large  int // values that lie outside the log
	acked  int
	late   int                      // lines that threads printed when their runs had ended, or before
	pages  int                      // that were opened
	times  map[string]time.Duration // of all scenarios, by their parts
}

func newTally(kinds []kindRow) *tally {
	return &tally{
		kinds: kinds, count: map[kind]int{}, during: map[kind]int{}, unable: map[string]int{}, cuts: map[string]int{}, times: map[string]time.Duration{}, ends: map[string]int{},
	}
}

// struck counts a fault, of which it is said what became of it.
func (s *tally) struck(k kind, what string, during bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case what == no:
	case what != yes:
		s.unable[fmt.Sprintf("%s: %s", k, what)]++
	default:
		s.count[k]++
		if during {
			s.during[k]++
		}
	}
}

// took counts the time that a part of a scenario took.
func (s *tally) took(part string, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.times[part] += d
}

// cut counts a way in which the network was cut.
func (s *tally) cut(way string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cuts[way]++
}

// ran counts a run by how it ended.
func (s *tally) ran(end string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends[end]++
}

// log counts a log that was verified.
func (s *tally) log(events, acked int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books++
	s.events += events
	s.acked += acked
}

// stored counts the values of a notebook that lie outside its log.
func (s *tally) stored(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.large += n
}

// printedLate counts lines of threads.
func (s *tally) printedLate(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late += n
}

// visited counts a page that was opened.
func (s *tally) visited() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages++
}

// least returns how often the rarest kind struck while a program ran.
func (s *tally) least() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	least := 1 << 30
	for _, k := range s.kinds {
		least = min(least, s.during[k.kind])
	}
	return least
}

// String prints the counts.
func (s *tally) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var w strings.Builder
	fmt.Fprintf(&w, "%d notebooks with %d events, of which %d were acknowledged to clients, and %d large values\n", s.books, s.events, s.acked, s.large)
	fmt.Fprintf(&w, "%d lines of threads, and %d pages that were opened\n", s.late, s.pages)
	for _, k := range s.kinds {
		fmt.Fprintf(&w, "%-15s %5d times, %5d while a program ran\n", k.kind, s.count[k.kind], s.during[k.kind])
	}
	for _, list := range []struct {
		name string
		of   map[string]int
	}{{"cut", s.cuts}, {"run", s.ends}, {"not done here", s.unable}} {
		for _, name := range slices.Sorted(maps.Keys(list.of)) {
			fmt.Fprintf(&w, "%s: %d × %s\n", list.name, list.of[name], name)
		}
	}
	for _, part := range slices.Sorted(maps.Keys(s.times)) {
		fmt.Fprintf(&w, "%s took %v in all\n", part, s.times[part].Round(time.Millisecond))
	}
	return w.String()
}
