//go:build linux

// Package faults_test runs the program as real processes (server, runtimes, engines
// and clients) through scenarios that are drawn from seeds: what people do in some
// notebooks, and what fails meanwhile. Then everything is healed, and every promise of
// the design is checked against the log as it is on disk.
//
// A seed always gives the same scenario. The machine has a say in the order in which
// things then happen, so that a seed that failed may have to be run a few times.
package faults_test

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"testing"
	"time"
)

var (
	seeds   = flag.Int("seeds", 50, "how many scenarios to run")
	first   = flag.Uint64("first", 1, "the seed of the first")
	each    = flag.Int("each", 0, "go on until each kind of fault has struck so often while a program ran")
	only    = flag.String("kinds", "", "the kinds of faults, with commas between them; all if empty")
	keep    = flag.String("keep", "", "a directory in which the data of scenarios that failed is kept")
	program = flag.String("program", "", "a program that was built with -tags faults, instead of one that is built now")
)

// tooLong is more than all that waits with patience can take together: what takes longer is stuck, and all goroutines
// are printed.
const tooLong = 10 * patience

func TestMain(m *testing.M) {
	flag.Parse()
	debug.SetTraceback("all")
	code := m.Run()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir) // it is a directory for what may be removed
	}
	os.Exit(code)
}

// TestEveryPromiseHoldsWhateverFails runs the scenarios of the seeds, some at once: as
// many as -parallel says.
func TestEveryPromiseHoldsWhateverFails(t *testing.T) {
	if testing.Short() {
		t.Skip("takes two minutes")
	}
	kinds, err := kindsOf(*only)
	if err != nil {
		t.Fatal(err)
	}
	sum := newTally(kinds)
	t.Cleanup(func() { t.Log(sum) })
	if *each == 0 {
		runSeeds(t, *first, *seeds, kinds, sum)
		return
	}
	const some = 20
	for seed := *first; sum.least() < *each && !t.Failed(); seed += some {
		t.Run(fmt.Sprintf("from %d", seed), func(t *testing.T) { runSeeds(t, seed, some, kinds, sum) })
	}
}

func runSeeds(t *testing.T, from uint64, n int, kinds []kindRow, sum *tally) {
	for seed := from; seed < from+uint64(n); seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			defer time.AfterFunc(tooLong, func() { panic(fmt.Sprintf("seed %d has not come to an end within %v", seed, tooLong)) }).Stop()
			play(t, draw(seed, kinds), sum)
			t.Logf("took %v", time.Since(began).Round(time.Millisecond))
		})
	}
}
