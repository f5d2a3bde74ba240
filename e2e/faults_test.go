//go:build linux

package e2e_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
)

// A fault is what befalls a server and its runtimes while runs are in flight.
const (
	killServer  = "server killed"
	killRuntime = "runtime killed"
	killEngine  = "engine killed"
	cutNetwork  = "network cut"
	freeze      = "engine frozen"
)

// The size of the test, in notebooks and faults of each kind. QUIRE_FAULTS asks for
// more rounds, until each kind has struck so often.
const (
	faultsNotebooks     = 4
	faultsEach          = 6
	faultsLongNotebooks = 8
	faultsLongEach      = 12 // in one round
)

// TestNoOutputIsLostOrRepeatedWhateverIsKilled has people run programs in several
// notebooks of a real server, with real runtimes and engines, while each of these is
// killed at random and the network between them is cut. When all has come to rest
// every run must have ended once and have every line that it had certainly written,
// once and in order, before its end; and the notebooks must be usable.
func TestNoOutputIsLostOrRepeatedWhateverIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 40 s")
	}
	t.Parallel()
	each, rounds, books := faultsEach, 1, faultsNotebooks
	if s := os.Getenv("QUIRE_FAULTS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("QUIRE_FAULTS: %v", err)
		}
		each, books = faultsLongEach, faultsLongNotebooks
		rounds = (n + each - 1) / each
	}
	f := newFaults(t, newSeed(t), books)
	for i := range rounds {
		f.storm(t, each)
		f.settle(t)
		f.use(t, i)
		f.verify(t)
		if t.Failed() {
			f.explain(t)
			return
		}
	}
}

// faults is a server with notebooks in which people run programs, and what befalls
// it.
type faults struct {
	*server
	people, runtimes *network
	rand             *rand.Rand
	books            []*faultyBook
	byHand           sync.WaitGroup // runtimes that the test started

	mu     sync.Mutex
	killed map[event.RuntimeID]bool
	struck map[string]int // faults of each kind
	during map[string]int // those that struck while a program of that notebook ran
	cuts   map[string]int // ways in which the network was cut
	hands  int
}

// newFaults starts a server and those who use it. All processes end with the test.
func newFaults(t *testing.T, seed uint64, books int) *faults {
	t.Helper()
	f := &faults{
		server: newServer(t), rand: rand.New(rand.NewPCG(seed, 1)),
		killed: map[event.RuntimeID]bool{}, struck: map[string]int{}, during: map[string]int{}, cuts: map[string]int{},
	}
	f.people, f.runtimes = newNetwork(t, f.addr), newNetwork(t, f.addr)
	f.front = f.runtimes.url()
	t.Cleanup(f.end)
	f.start(t)
	living, stop := context.WithCancel(context.Background())
	var clients errgroup.Group
	for range books {
		f.books = append(f.books, f.open(t, func(s *replica.Session) {
			clients.Go(func() error { return ignoreEnd(s.Run(living)) })
		}))
	}
	t.Cleanup(func() {
		stop()
		if err := clients.Wait(); err != nil {
			t.Errorf("a client's connection ended for good: %v", err)
		}
	})
	return f
}

// end ends all processes that serve the data directory.
func (f *faults) end() {
	f.kill()
	for found := agents(f.dir, ""); len(found) > 0; found = agents(f.dir, "") {
		for _, a := range found {
			_ = a.Kill() // its engine ends with it
		}
	}
	f.byHand.Wait()
}

// storm has programs run in all notebooks, and everything fail meanwhile.
func (f *faults) storm(t *testing.T, each int) {
	t.Helper()
	var plan []string
	for range each {
		plan = append(plan, killServer, killRuntime, killEngine, cutNetwork)
	}
	for range each / 3 {
		plan = append(plan, freeze)
	}
	f.rand.Shuffle(len(plan), func(i, j int) { plan[i], plan[j] = plan[j], plan[i] })
	working, rest := context.WithCancel(t.Context())
	var people errgroup.Group
	for _, b := range f.books {
		people.Go(func() error { return ignoreEnd(b.work(working)) })
	}
	for _, kind := range plan {
		time.Sleep(time.Duration(100+f.rand.IntN(500)) * time.Millisecond)
		f.strike(t, kind)
	}
	rest()
	if err := people.Wait(); err != nil {
		t.Error(err)
	}
}

// settle waits until nothing is pending or queued, and everybody has everything.
func (f *faults) settle(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, b := range f.books {
		for _, s := range b.sessions() {
			if err := s.Wait(ctx, isAtRest); err != nil {
				f.explain(t)
				t.Fatalf("notebook %s does not come to rest: %v; its queue: %s", b.id, err, b.queue())
			}
		}
	}
}

func isAtRest(r *replica.Replica) bool {
	return r.Online() && r.Pending() == 0 && len(r.Confirmed().Queue()) == 0
}

// use wants all notebooks to be usable: a program runs in each, and another person
// sees what it prints. An engine that was killed between two runs may take one
// with it.
func (f *faults) use(t *testing.T, round int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var using errgroup.Group
	for _, b := range f.books {
		using.Go(func() error {
			run, err := b.runToEnd(ctx, fmt.Sprintf("usable%d", round))
			if err == nil && run.Status == event.StatusLost {
				run, err = b.runToEnd(ctx, fmt.Sprintf("usable%d-again", round))
			}
			if err == nil && run.Status != event.StatusOK {
				err = fmt.Errorf("finished as %s (%s)", run.Status, run.Reason)
			}
			if err != nil {
				return fmt.Errorf("notebook %s is not usable: %w", b.id, err)
			}
			return nil
		})
	}
	if err := using.Wait(); err != nil {
		t.Error(err)
	}
}

// runToEnd runs a program, the same each time, and returns how that ended.
func (b *faultyBook) runToEnd(ctx context.Context, tag string) (run notebook.Run, err error) {
	p := b.write(tag, rand.New(rand.NewPCG(0, 0)))
	if err := b.request(true, p); err != nil {
		return run, err
	}
	err = b.watcher.Wait(ctx, func(r *replica.Replica) bool {
		held := r.Confirmed().Run(p.run)
		if held == nil || held.State != notebook.RunFinished {
			return false
		}
		run = *held
		return true
	})
	return run, err
}
