//go:build linux

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/internal/ws"
)

// faultyBook is a notebook with a person who runs programs in it, and another who
// watches.
type faultyBook struct {
	faults          *faults
	id, files       string
	author, watcher *replica.Session
	acked           *ledger
	enginesKilled   atomic.Int64

	// Owned by whoever requests runs.
	rand *rand.Rand

	mu       sync.Mutex
	printers map[event.RunID]*printer
	refused  []string // what the room refused
}

// open makes a notebook and has its people connect.
func (f *faults) open(t *testing.T, run func(*replica.Session)) *faultyBook {
	t.Helper()
	b := &faultyBook{
		faults: f, id: f.create(t), files: t.TempDir(), acked: newLedger(),
		rand: rand.New(rand.NewPCG(f.rand.Uint64(), 2)), printers: map[event.RunID]*printer{},
	}
	b.author, b.watcher = b.session("author"), b.session("watcher")
	for _, s := range b.sessions() {
		run(s)
	}
	return b
}

func (b *faultyBook) sessions() []*replica.Session { return []*replica.Session{b.author, b.watcher} }

func (b *faultyBook) session(client event.ClientID) *replica.Session {
	return replica.NewSession(replica.SessionConfig{
		Replica: replica.New(client),
		Dial: func(ctx context.Context) (replica.Conn, error) {
			return ws.Dial(ctx, b.faults.people.url()+"/api/notebooks/"+b.id+"/sync", b.faults.token, ws.Options{})
		},
		Updated: func(r *replica.Replica, up replica.Update) {
			b.acked.note(up.Committed)
			for _, no := range r.Refused() {
				b.mu.Lock()
				b.refused = append(b.refused, fmt.Sprintf("%s: %s", no.Draft.Payload.Type(), no.Message))
				b.mu.Unlock()
			}
		},
	})
}

// work requests runs until ctx ends, connected or not, so that there is always
// something to run.
func (b *faultyBook) work(ctx context.Context) error {
	for {
		err := b.author.Wait(ctx, func(r *replica.Replica) bool { return len(r.View().Queue()) < 2 })
		if err != nil {
			return err
		}
		var batch []*printer
		for range 1 + b.rand.IntN(3) {
			batch = append(batch, b.write("", b.rand))
		}
		if err := b.request(b.rand.IntN(2) == 0, batch...); err != nil {
			return err
		}
	}
}

// write writes a program with a tag, which is the next number if it is empty.
func (b *faultyBook) write(tag string, r *rand.Rand) *printer {
	b.mu.Lock()
	defer b.mu.Unlock()
	if tag == "" {
		tag = fmt.Sprintf("r%d", len(b.printers)+1)
	}
	p := newPrinter(tag, filepath.Join(b.files, tag), r)
	b.printers[p.run] = p
	return p
}

// request asks for programs to be run, each in a cell of its own.
func (b *faultyBook) request(keepGoing bool, batch ...*printer) error {
	return b.author.With(func(r *replica.Replica) error {
		var runs []event.RunOf
		for _, p := range batch {
			key, err := r.View().Between(len(r.View().Cells()))
			if err != nil {
				return err
			}
			_, _, err = r.Do(&event.CellCreated{Cell: p.cell, Kind: event.KindCode, Order: key, Source: p.source})
			if err != nil {
				return err
			}
			runs = append(runs, event.RunOf{Run: p.run, Cell: p.cell})
		}
		_, _, err := r.Do(&event.RunRequested{Runs: runs, KeepGoing: keepGoing})
		return err
	})
}

// isRunning reports whether a runtime that lives executes a program, as far as the
// watcher knows.
func (b *faultyBook) isRunning() (running bool) {
	_ = b.watcher.With(func(r *replica.Replica) error {
		book := r.Confirmed()
		for _, id := range book.Queue() {
			running = running || book.Run(id).State == notebook.RunStarted
		}
		return nil
	})
	return running && !b.isDead()
}

// isDead reports whether the notebook's runtime was killed, and has no successor.
func (b *faultyBook) isDead() (dead bool) {
	_ = b.watcher.With(func(r *replica.Replica) error {
		rt := r.Confirmed().Runtime(event.TakesCode)
		dead = rt != nil && b.faults.isKilled(rt.ID)
		return nil
	})
	return dead
}

func (b *faultyBook) queue() string {
	var all []string
	_ = b.watcher.With(func(r *replica.Replica) error {
		for _, id := range r.Confirmed().Queue() {
			all = append(all, fmt.Sprintf("%s is %s", id, r.Confirmed().Run(id).State))
		}
		return nil
	})
	return strings.Join(all, ", ")
}

// read folds the notebook's log and puts the runs' transcripts together. It begins
// anew if somebody gets more of the log meanwhile.
func (b *faultyBook) read(t *testing.T) *reader {
	t.Helper()
	for {
		shown, events := b.acked.shown(), b.faults.readLog(t, b.id)
		last := event.Seq(len(events))
		if !b.isAt(t, last) {
			continue
		}
		reader := newReader()
		for i := range events {
			if err := reader.add(&events[i]); err != nil {
				t.Errorf("notebook %s, event %d (%s): %v", b.id, i+1, events[i].Payload.Type(), err)
			}
		}
		b.acked.verify(t, shown, reader.at)
		b.verifyHash(t, reader.book)
		return reader
	}
}

// isAt waits until everybody has a log up to its last event, and reports whether
// nobody has more.
func (b *faultyBook) isAt(t *testing.T, last event.Seq) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	same := true
	for _, s := range b.sessions() {
		err := s.Wait(ctx, func(r *replica.Replica) bool {
			same = same && r.Confirmed().Seq() <= last
			return r.Confirmed().Seq() >= last
		})
		if err != nil {
			t.Fatalf("a client of notebook %s does not get event %d: %v", b.id, last, err)
		}
	}
	return same
}

func (b *faultyBook) verifyHash(t *testing.T, book *notebook.Notebook) {
	t.Helper()
	want, err := book.Hash()
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range b.sessions() {
		err := s.With(func(r *replica.Replica) error {
			got, err := r.Confirmed().Hash()
			if err == nil && r.Confirmed().Seq() == book.Seq() && got != want {
				err = fmt.Errorf("has hash %x, and the log folds to %x", got, want)
			}
			return err
		})
		if err != nil {
			t.Errorf("client %d of notebook %s: %v", i, b.id, err)
		}
	}
}

// reader reads a log.
type reader struct {
	book     *notebook.Notebook
	at       map[event.ID]event.Seq
	runs     map[event.RunID]*transcript
	runtimes map[event.Epoch]event.RuntimeID
}

func newReader() *reader {
	return &reader{
		book: notebook.New(), at: map[event.ID]event.Seq{},
		runs: map[event.RunID]*transcript{}, runtimes: map[event.Epoch]event.RuntimeID{},
	}
}

// add takes in the next event, and says what is wrong with it.
func (r *reader) add(e *event.Event) error {
	var errs []error
	if want := r.book.Seq() + 1; e.Seq != want {
		errs = append(errs, fmt.Errorf("it has number %d", e.Seq))
	}
	if r.at[e.ID] != 0 {
		errs = append(errs, fmt.Errorf("event %s is there twice, at %d as well", e.ID, r.at[e.ID]))
	}
	r.at[e.ID] = e.Seq
	if id, ok := runOf(e.Payload); ok {
		run := r.run(id)
		if run.ended != "" {
			errs = append(errs, fmt.Errorf("run %s has ended before it, by %s", id, run.ended))
		}
		errs = append(errs, run.add(e.Payload))
	}
	changes, err := r.book.Apply(e, nil)
	errs = append(errs, err)
	if rt := r.book.Runtime(event.TakesCode); rt != nil {
		r.runtimes[rt.Epoch] = rt.ID
	}
	for _, c := range changes {
		if id := event.RunID(c.ID); c.Table == notebook.TableRuns && r.run(id).ended == "" {
			if held := r.book.Run(id); held != nil && held.State == notebook.RunFinished {
				r.run(id).ended = e.Payload.Type()
			}
		}
	}
	return errors.Join(errs...)
}

func (r *reader) run(id event.RunID) *transcript {
	if r.runs[id] == nil {
		r.runs[id] = newTranscript()
	}
	return r.runs[id]
}
