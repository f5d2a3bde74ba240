package replica_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room/roomtest"
	"github.com/quirehq/quire/core/text"
)

// TestSY140WhatWasKeptIsInTheLogOnce is the simulation of SY1 with clients that are
// persisted, killed at any moment and restored from their storage.
func TestSY140WhatWasKeptIsInTheLogOnce(t *testing.T) {
	t.Parallel()
	n := max(1, *seeds/4)
	if testing.Short() {
		n = min(n, 100)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	total := tally{}
	workers := runtime.GOMAXPROCS(0)
	for first := range workers {
		wg.Go(func() {
			for i := first; i < n && !t.Failed(); i += workers {
				seed := *firstSeed + uint64(i)
				w, err := simulateSaved(t.Context(), seed, 250)
				if err != nil {
					t.Errorf("seed %d: %v\nrun it alone with: go test ./core/replica -run SY140 -seeds 1 -first-seed %d", seed, err, seed)
					return
				}
				mu.Lock()
				for what, n := range w.tally {
					total[what] += n
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	t.Logf("%d seeds from %d: %v", n, *firstSeed, total)
	for _, what := range []string{"flush", "lost flush", "kill", "restored", "anew", "pending", "kept", "gone"} {
		if n >= 100 && total[what] == 0 && !t.Failed() {
			t.Errorf("got no %q in all of the seeds, want the simulation to meet it", what)
		}
	}
}

// tally counts what a simulation met.
type tally map[string]int

// savedWorld is a world whose people have disks. A mark is something that one of
// them made, each unique: a character in a source, or a title.
type savedWorld struct {
	*world
	disks map[*roomtest.Link]*disk
	marks int
	gone  map[int]bool // marks that were lost with the process before they were stored
	tally tally
}

// disk is the storage of one client.
type disk struct {
	kept    replica.Persisted
	pending int
	under   *replica.Flush // under way
	broken  bool           // the last flush failed, so that the client may not be killed

	fresh []int // marks that no flush has yet
	aloft []int // those that are under way
}

func simulateSaved(ctx context.Context, seed uint64, steps int) (*savedWorld, error) {
	net, err := roomtest.NewNetwork(ctx)
	if err != nil {
		return nil, err
	}
	w := &savedWorld{
		world: &world{
			Network: net, rand: rand.New(rand.NewPCG(seed, 130)), acked: map[event.ID]bool{},
			erases: seed%2 == 0, prints: map[work][]string{},
		},
		disks: map[*roomtest.Link]*disk{}, gone: map[int]bool{}, tally: tally{},
	}
	for i := range 2 + w.rand.IntN(2) {
		id := event.ClientID(fmt.Sprintf("c%d", i))
		l := net.Add(replica.New(id), event.NewActor(event.ActorPerson, string(id)), access.Owner)
		w.disks[l] = &disk{}
	}
	w.addRobot()
	for range steps {
		if err := w.step(ctx); err != nil {
			return nil, err
		}
	}
	return w, w.finish(ctx)
}

func (w *savedWorld) step(ctx context.Context) error {
	people := slices.DeleteFunc(slices.Clone(w.Links), func(l *roomtest.Link) bool { return w.disks[l] == nil })
	l := people[w.rand.IntN(len(people))]
	switch p := w.rand.IntN(100); {
	case p < 20:
		return w.mark(l)
	case p < 38:
		return w.flush(l)
	case p < 42:
		return w.kill(ctx, l)
	case p < 44:
		w.Cut(l)
		return nil
	}
	return notRefolding(w.world.step(ctx))
}

// notRefolding ignores the error of a client that is being refolded.
func notRefolding(err error) error {
	if errors.Is(err, replica.ErrRefolding) {
		return nil
	}
	return err
}

// mark lets a client type a character, or set a title, that is there but once.
func (w *savedWorld) mark(l *roomtest.Link) error {
	view := l.Replica.View()
	cells := view.Cells()
	if w.rand.IntN(8) == 0 {
		return w.made1(l, &event.NotebookTitled{Title: title(w.marks)})
	}
	if len(cells) == 0 {
		return notRefolding(w.create(l))
	}
	cell := view.Cell(cells[w.rand.IntN(len(cells))])
	edit := text.Insert(w.rand.IntN(cell.Text().Len()+1), string(character(w.marks)))
	if cell.Text().Clone().Apply(edit) != nil {
		return nil // it would split a pair
	}
	return w.made1(l, &event.SourceEdited{Cell: cell.ID, Edit: edit})
}

func (w *savedWorld) made1(l *roomtest.Link, p event.Payload) error {
	if _, _, err := l.Replica.Do(p); err != nil {
		return notRefolding(err)
	}
	w.disks[l].fresh = append(w.disks[l].fresh, w.marks)
	w.marks++
	return nil
}

// character returns that of a mark, of one or of two units.
func character(mark int) rune {
	if mark%2 == 0 {
		return rune(0x4e00 + mark)
	}
	return rune(0x20000 + mark)
}

func title(mark int) string { return fmt.Sprintf("title %d", mark) }

// flush begins a flush of a client, or ends the one that is under way.
func (w *savedWorld) flush(l *roomtest.Link) error {
	d := w.disks[l]
	if d.under != nil {
		w.endFlush(l, w.rand.IntN(10) > 0)
		return nil
	}
	f, err := l.Replica.Persist()
	if f == nil || err != nil {
		return err
	}
	d.under, d.aloft, d.fresh = f, d.fresh, nil
	if w.rand.IntN(2) == 0 {
		w.endFlush(l, true)
	}
	return nil
}

func (w *savedWorld) endFlush(l *roomtest.Link, ok bool) {
	d := w.disks[l]
	l.Replica.Stored(ok)
	if !ok {
		w.tally["lost flush"]++
		d.under, d.broken = nil, true
		d.fresh, d.aloft = append(d.aloft, d.fresh...), nil
		return
	}
	d.store()
	w.tally["flush"]++
}

// store does what a storage has to do with a flush.
func (d *disk) store() {
	f := d.under
	d.kept.State = bytes.Clone(f.State)
	if f.Snapshot != nil {
		d.kept.Snapshot, d.kept.Events = bytes.Clone(f.Snapshot), nil
	}
	d.kept.Events = append(slices.Clip(d.kept.Events), f.Events...)
	d.under, d.broken, d.aloft, d.pending = nil, false, nil, f.Pending
}

// kill ends a client's process at a bad moment, and begins another from its disk.
func (w *savedWorld) kill(ctx context.Context, l *roomtest.Link) error {
	d := w.disks[l]
	if d.broken {
		return nil
	}
	for range w.rand.IntN(4) { // messages that were sent may arrive all the same
		if _, err := w.Up(ctx, l); err != nil {
			return err
		}
	}
	w.Cut(l)
	w.tally["kill"]++
	if d.under != nil && w.rand.IntN(2) == 0 {
		d.store() // the replica dies before it learns of it
	}
	for _, mark := range slices.Concat(d.aloft, d.fresh) {
		w.gone[mark] = true
	}
	d.under, d.aloft, d.fresh = nil, nil, nil
	if d.kept.State == nil {
		w.made++
		l.Replica = replica.New(event.ClientID(fmt.Sprintf("new%d", w.made)))
		return nil
	}
	r, err := replica.Restore(w.shaken(d.kept))
	if err != nil {
		return err
	}
	l.Replica = r
	w.tally["restored"]++
	w.tally["pending"] += d.pending
	if r.Pending() != d.pending {
		return fmt.Errorf("client %s has %d pending events after it was restored, it had %d", r.Client(), r.Pending(), d.pending)
	}
	return nil
}

// shaken returns a persisted replica, sometimes as another version of the fold would leave it, or
// without its snapshot.
func (w *savedWorld) shaken(k replica.Persisted) replica.Persisted {
	switch w.rand.IntN(10) {
	case 0:
		k.State = bytes.Replace(k.State, fmt.Appendf(nil, `"fold":%d`, notebook.Version), []byte(`"fold":0`), 1)
	case 1:
		k = replica.Persisted{State: k.State}
	default:
		return k
	}
	w.tally["anew"]++
	return k
}

// finish lets all come to rest, with flushes, and looks at what became of the marks.
func (w *savedWorld) finish(ctx context.Context) error {
	for range 100 {
		if err := w.finishAll(ctx); err != nil {
			return err
		}
		waiting := 0
		for l, d := range w.disks {
			if d.under != nil {
				w.endFlush(l, true)
			}
			f, err := l.Replica.Persist()
			if err != nil {
				return err
			}
			if f != nil {
				d.under, d.aloft, d.fresh = f, d.fresh, nil
				w.endFlush(l, true)
				waiting++
			}
			waiting += l.Replica.Pending()
		}
		if waiting == 0 {
			return w.verifySaved(ctx)
		}
	}
	return errors.New("something stays pending, or is never kept")
}

func (w *savedWorld) verifySaved(ctx context.Context) error {
	exact := !w.erases
	w.erases = true // the later checks do not count typed words, of which some are gone
	if err := w.verify(ctx); err != nil {
		return err
	}
	for l, d := range w.disks {
		r, err := replica.Restore(d.kept)
		if err != nil {
			return err
		}
		if !notebook.Equal(r.View(), l.Replica.View()) {
			return fmt.Errorf("what is kept of client %s is another notebook than its own", r.Client())
		}
	}
	titles, err := w.titles(ctx)
	if err != nil {
		return err
	}
	return w.verifyMarks(titles, exact)
}

// titles returns how often each title is in the log.
func (w *savedWorld) titles(ctx context.Context) (map[string]int, error) {
	titles := map[string]int{}
	return titles, w.Log.Read(ctx, 0, func(r event.Record) error {
		e, err := event.Decode(r.Data)
		if p, ok := e.Payload.(*event.NotebookTitled); ok {
			titles[p.Title]++
		}
		return err
	})
}

// verifyMarks wants no mark twice, and each that was stored once, unless a client may
// have erased it.
func (w *savedWorld) verifyMarks(titles map[string]int, exact bool) error {
	var sources strings.Builder
	for i := 1; i <= w.made; i++ {
		if c := w.Room.Notebook().Cell(event.CellID(fmt.Sprintf("cell%d", i))); c != nil {
			sources.WriteString(c.Source())
		}
	}
	found := map[rune]int{}
	for _, r := range sources.String() {
		found[r]++
	}
	for mark := range w.marks {
		isTitle := titles[title(mark)]
		n := found[character(mark)] + isTitle
		switch {
		case n > 1:
			return fmt.Errorf("mark %d (%c) is there %d times", mark, character(mark), n)
		case n == 0 && w.gone[mark]:
			w.tally["gone"]++
		case n == 0 && exact:
			return fmt.Errorf("mark %d (%c) was stored and is gone", mark, character(mark))
		case n == 1:
			w.tally["kept"]++
		}
	}
	return nil
}

// FuzzSY140 explores seeds beyond those of the test.
func FuzzSY140(f *testing.F) {
	f.Add(uint64(1), uint8(100))
	f.Fuzz(func(t *testing.T, seed uint64, steps uint8) {
		if _, err := simulateSaved(t.Context(), seed, int(steps)); err != nil {
			t.Fatal(err)
		}
	})
}
