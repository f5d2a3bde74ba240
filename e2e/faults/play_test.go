//go:build linux

package faults_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/e2e/stage"
)

// playing is a scenario that is being played.
type playing struct {
	*scenario
	house            *house
	people, runtimes *network
	clock, age, mark string
	tally            *tally
	books            []*book
	byHand           sync.WaitGroup // runtimes that were started by hand
	tracing          sync.Mutex     // held while the server is traced

	mu       sync.Mutex
	killed   map[event.RuntimeID]bool
	hands    int
	diskHurt bool // something may have failed because of the disk
	noDisk   error
}

// play plays a scenario and checks every promise.
func play(t *testing.T, s *scenario, sum *tally) {
	t.Helper()
	p := newPlaying(t, s, sum)
	t.Cleanup(func() {
		if t.Failed() {
			p.explain(t)
		}
	})
	for _, phase := range []struct {
		name string
		do   func(*testing.T)
	}{{"begin", p.begin}, {"storm", p.storm}, {"settle", p.settle}, {"grow old", p.growOld}, {"use", p.use}, {"stop", p.stop}, {"verify", p.verify}} {
		began := time.Now()
		if phase.do(t); t.Failed() {
			return
		}
		sum.took(phase.name, time.Since(began))
	}
}

func newPlaying(t *testing.T, s *scenario, sum *tally) *playing {
	t.Helper()
	scratch := t.TempDir()
	p := &playing{
		scenario: s, tally: sum, killed: map[event.RuntimeID]bool{},
		clock: filepath.Join(scratch, "clock"), age: filepath.Join(scratch, "age"), mark: fmt.Sprintf("QUIRE_TEST_MARK=%s", scratch),
	}
	// A test keeps what it has cleaned up until the last one of all ends.
	t.Cleanup(func() { p.books, p.house = nil, nil })
	disk := filepath.Join(scratch, "disk")
	if err := os.Mkdir(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	p.house = &house{binary: buildProgram(t), dir: filepath.Join(disk, "data"), Server: stage.Server{Addr: stage.FreeAddr(t)}}
	t.Cleanup(p.endAll)
	if s.small {
		p.noDisk = smallDisk(t, disk)
	}
	p.people, p.runtimes = newNetwork(t, p.house.Addr), newNetwork(t, p.house.Addr)
	p.house.environ = append(stage.Environ(), p.mark, fmt.Sprintf("QUIRE_TIMING=ping=%v,lease=%v,start=%v,idle=%v,clock=%s,age=%s,front=%s",
		ping, lease, start, s.idle, p.clock, p.age, p.runtimes.url()))
	return p
}

// endAll ends all processes of the scenario.
func (p *playing) endAll() {
	if p.house.cmd != nil {
		_, _ = p.house.end(context.Background(), syscall.SIGKILL) // it ends whatever it does
	}
	for found := stage.Runtimes(p.house.dir, ""); len(found) > 0; found = stage.Runtimes(p.house.dir, "") {
		for _, a := range found {
			_ = a.Kill() // its engine ends with it
		}
	}
	p.byHand.Wait()
}

// begin starts the server, makes the notebooks and has everybody connect.
func (p *playing) begin(t *testing.T) {
	t.Helper()
	if err := p.house.start(never); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(p.seed, 2))
	for i, plan := range p.scenario.books {
		b := &book{
			play: p, id: p.house.Create(t), files: t.TempDir(), ledger: newLedger(), rand: rand.New(rand.NewPCG(r.Uint64(), 3)),
			programs: map[event.RunID]*printer{}, letters: map[rune]event.ID{},
		}
		p.books = append(p.books, b)
		b.watcher = b.connect("watcher")
		for j := range plan.people {
			b.people = append(b.people, newPerson(b, fmt.Sprintf("p%d%d", i, j), j))
		}
	}
	t.Cleanup(func() { p.disconnect(t) })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for i, b := range p.books {
		err := b.prepare(ctx, p.scenario.books[i].programs, p.scenario.books[i].threads)
		if err == nil && p.waits {
			err = b.watcher.Wait(ctx, hasStarted)
		}
		if err != nil {
			t.Fatalf("notebook %s does not begin: %v", b.id, err)
		}
	}
	if p.ages && p.waits { // all is well, so that nothing has waited for that long
		if err := p.pass(1); err != nil {
			t.Fatal(err)
		}
	}
}

func never() bool { return false }

// hasStarted reports whether a program runs, or has run.
func hasStarted(r *replica.Replica) bool {
	book := r.Confirmed()
	return book.Runtime(event.TakesCode) != nil && (len(book.Queue()) == 0 || book.Run(book.Queue()[0]).State == notebook.RunStarted)
}

// disconnect ends all clients.
func (p *playing) disconnect(t *testing.T) {
	t.Helper()
	for _, b := range p.books {
		for _, c := range b.clients() {
			if err := c.end(); err != nil {
				t.Errorf("notebook %s: %v", b.id, err)
			}
		}
	}
}

// storm has people do what they do, and everything fail meanwhile. When it returns all
// is healed.
func (p *playing) storm(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	answering, answered := context.WithCancel(t.Context())
	t.Cleanup(answered)
	began := time.Now()
	var doing errgroup.Group
	for i, b := range p.books {
		for j, acts := range p.scenario.books[i].people {
			doing.Go(func() error { return b.people[j].act(ctx, began, acts) })
		}
		for n, c := range p.scenario.books[i].commands {
			doing.Go(func() error {
				sleepUntil(ctx, began, c.at)
				return b.run(n, c.lasts)
			})
		}
		for _, at := range p.scenario.books[i].visits {
			doing.Go(func() error {
				sleepUntil(ctx, began, at)
				return b.visit(ctx)
			})
		}
		go func() { _ = b.answer(answering) }() // it ends with the test, or its client, at the latest
	}
	for _, k := range p.strikes {
		doing.Go(func() error {
			sleepUntil(ctx, began, k.at)
			return p.strike(k)
		})
	}
	if err := doing.Wait(); err != nil {
		t.Error(err)
	}
}

// settle waits until nothing is pending or queued, and everybody has everything.
func (p *playing) settle(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, b := range p.books {
		for _, c := range b.clients() {
			if err := c.Wait(ctx, isAtRest); err != nil {
				t.Fatalf("notebook %s does not come to rest: %v: %s", b.id, err, b.state())
			}
		}
	}
}

func isAtRest(r *replica.Replica) bool {
	return r.Online() && r.Pending() == 0 && len(r.Confirmed().Queue()) == 0
}

// use wants all notebooks to be usable: a program runs in each. An engine or runtime
// that was killed after its last run may take one with it.
func (p *playing) use(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, b := range p.books {
		run, err := b.runToEnd(ctx)
		if err == nil && run.Status == event.StatusLost {
			run, err = b.runToEnd(ctx)
		}
		if err == nil && run.Status == event.StatusLost {
			err = fmt.Errorf("finished as %s (%s)", run.Status, run.Reason)
		}
		if err != nil {
			t.Errorf("notebook %s is not usable: %v: %s", b.id, err, b.state())
		}
	}
}

// runToEnd runs a program, and returns how that ended.
func (b *book) runToEnd(ctx context.Context) (run notebook.Run, err error) {
	id := event.RunID("r" + strconv.Itoa(len(b.programs)+1))
	if err := b.request(b.watcher, true, 1); err != nil {
		return run, err
	}
	err = b.watcher.Wait(ctx, func(r *replica.Replica) bool {
		held := r.Confirmed().Run(id)
		if held == nil || held.State != notebook.RunFinished {
			return false
		}
		run = *held
		return true
	})
	return run, err
}

// stop stops the runtimes and then the server, which must do so in good order, and
// leave nothing behind.
func (p *playing) stop(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, b := range p.books {
		resp, err := p.house.Request(ctx, "DELETE", "/api/notebooks/"+b.id+"/runtime", nil)
		if err == nil {
			err = resp.Body.Close()
		}
		if err != nil {
			t.Errorf("stop the runtime of notebook %s: %v", b.id, err)
		}
	}
	p.awaitStopped(ctx, t)
	code, err := p.house.end(ctx, syscall.SIGTERM)
	if err != nil || code != 0 {
		t.Errorf("the server was told to stop, and ended with code %d (%v)", code, err)
	}
	p.byHand.Wait()
	for left := stage.Marked(p.mark); len(left) > 0; left = stage.Marked(p.mark) {
		if ctx.Err() != nil {
			t.Errorf("processes are left: %v", left)
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// awaitStopped waits until everybody knows that the runtimes have stopped.
func (p *playing) awaitStopped(ctx context.Context, t *testing.T) {
	t.Helper()
	for _, b := range p.books {
		for _, c := range b.clients() {
			err := c.Wait(ctx, func(r *replica.Replica) bool {
				rt := r.Confirmed().Runtime(event.TakesCode)
				return isAtRest(r) && (rt == nil || rt.State == notebook.RuntimeStopped)
			})
			if err != nil {
				t.Errorf("the runtime of notebook %s does not stop: %v: %s", b.id, err, b.state())
			}
		}
	}
}

// explain prints the scenario and what the processes said, and keeps the data if that
// was asked for.
func (p *playing) explain(t *testing.T) {
	t.Helper()
	kinds := ""
	if *only != "" {
		kinds = fmt.Sprintf(" KINDS='%s'", *only)
	}
	t.Logf("to repeat it: make faults FIRST=%d SEEDS=1%s KEEP=DIR\n%s", p.seed, kinds, p.scenario)
	for name, log := range p.house.logs() {
		t.Logf("the log of %s:\n%s", name, end(log))
	}
	if *keep == "" {
		return
	}
	dir := filepath.Join(*keep, fmt.Sprintf("seed-%d", p.seed))
	if err := errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(p.house.dir))); err != nil {
		t.Errorf("keep the data: %v", err)
	}
	t.Logf("the data is in %s", dir)
}
