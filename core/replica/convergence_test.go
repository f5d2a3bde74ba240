package replica_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
	"github.com/quirehq/quire/core/text"
)

var (
	seeds     = flag.Int("seeds", manySeeds, "how many seeds of the network to run")
	firstSeed = flag.Uint64("first-seed", 1, "the first of them")
)

// TestSY1ReplicasConvergeOverANetworkThatLosesWhatItLikes drives several clients
// over a network that drops, delays, duplicates, cuts links and crashes the room,
// and then wants one notebook everywhere and every acknowledged event once.
func TestSY1ReplicasConvergeOverANetworkThatLosesWhatItLikes(t *testing.T) {
	t.Parallel()
	n := *seeds
	if testing.Short() {
		n = min(n, 200)
	}
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for first := range workers {
		wg.Go(func() {
			for i := first; i < n && !t.Failed(); i += workers {
				seed := *firstSeed + uint64(i)
				if err := simulate(t.Context(), seed, 200); err != nil {
					t.Errorf("seed %d: %v\nrun it alone with: go test ./core/replica -run SY1 -seeds 1 -first-seed %d", seed, err, seed)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d seeds from %d", n, *firstSeed)
}

// world is one run of the simulation.
type world struct {
	*roomtest.Network
	rand   *rand.Rand
	acked  map[event.ID]bool // events that a client saw acknowledged
	typed  []string          // what clients inserted, each text once
	made   int
	erases bool // clients delete text, so typed words may be gone

	robots []*robot // runtimes, the latest at the end
	prints map[work][]string
}

func simulate(ctx context.Context, seed uint64, steps int) error {
	net, err := roomtest.NewNetwork(ctx)
	if err != nil {
		return err
	}
	w := &world{
		Network: net, rand: rand.New(rand.NewPCG(seed, 1)), acked: map[event.ID]bool{},
		erases: seed%2 == 0, prints: map[work][]string{},
	}
	for i := range 2 + w.rand.IntN(3) {
		id := event.ClientID(fmt.Sprintf("c%d", i))
		net.Add(replica.New(id), event.NewActor(event.ActorPerson, string(id)), access.Editor)
	}
	net.Add(replica.New("viewer"), event.NewActor(event.ActorPerson, "viewer"), access.Viewer)
	w.addRobot()
	if seed%4 < 2 { // all are there at the beginning, and the runtime works
		if err := w.finishAll(ctx); err != nil {
			return err
		}
	}
	for range steps {
		if err := w.step(ctx); err != nil {
			return err
		}
	}
	if err := w.finishAll(ctx); err != nil {
		return err
	}
	return w.verify(ctx)
}

// settle lets all come to rest, however often the disk fails.
func (w *world) settle(ctx context.Context) error {
	for {
		if err := w.Settle(ctx); !errors.Is(err, errDisk) {
			return err
		}
	}
}

var errDisk = errors.New("the disk did not answer")

// anyLink returns a link, often that of the latest runtime, which has most to do.
func (w *world) anyLink() *roomtest.Link {
	if w.rand.IntN(4) == 0 {
		return w.robots[len(w.robots)-1].Link
	}
	return w.Links[w.rand.IntN(len(w.Links))]
}

// step does one random thing: a client acts, something moves, or something breaks.
func (w *world) step(ctx context.Context) error {
	l := w.anyLink()
	switch p := w.rand.IntN(100); {
	case p < 25:
		return w.act(l)
	case p < 40:
		return l.Send()
	case p < 58:
		return w.some(func() error { _, err := w.Up(ctx, l); return err })
	case p < 78:
		defer w.noteAcks()
		return w.some(func() error { _, err := w.Down(ctx, l); return err })
	case p < 85:
		return w.connectSome()
	case p < 88:
		w.BeginCommit()
	case p < 90:
		w.Store(ctx)
	case p < 95:
		return ignoreDisk(w.Commit(ctx))
	case p < 96:
		return ignoreDisk(w.Settle(ctx))
	default:
		return w.breakSomething(ctx, l)
	}
	return nil
}

// connectSome connects about half of those who are not.
func (w *world) connectSome() error {
	for _, l := range w.Links {
		if w.rand.IntN(2) == 0 {
			if err := l.Connect(); err != nil {
				return err
			}
		}
	}
	return nil
}

// some does a thing once or a few times.
func (w *world) some(f func() error) error {
	for range 1 + w.rand.IntN(4) {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// breakSomething makes what can go wrong go wrong.
func (w *world) breakSomething(ctx context.Context, l *roomtest.Link) error {
	switch w.rand.IntN(14) {
	case 12, 13:
		return w.overtake(ctx)
	case 0, 1, 2:
		w.Cut(l)
	case 3, 4, 5:
		l.Duplicate()
	case 6, 7:
		w.Log.Fail(errDisk, w.rand.IntN(2) == 0)
		return ignoreDisk(w.Commit(ctx))
	case 8:
		return w.Restart(ctx)
	default:
		return w.disturbRobot(ctx)
	}
	return nil
}

// overtake lets another process append to the log, and wants the room to go on with everyone.
func (w *world) overtake(ctx context.Context) error {
	before := w.Room.Members()
	if err := w.appendElsewhere(ctx); err != nil {
		return err
	}
	w.made++
	title := &event.NotebookTitled{Title: fmt.Sprintf("<%d>", w.made)} // so there is a batch that loses the race
	if err := w.Room.Submit(ctx, "person:elsewhere", title); err != nil {
		return err
	}
	if err := w.Commit(ctx); err != nil {
		return ignoreDisk(err) // of a batch that was stored before
	}
	if after := w.Room.Members(); after != before {
		return fmt.Errorf("another process appended first, and of %d members %d are left", before, after)
	}
	return nil
}

// appendElsewhere creates a cell in another process, or types into one.
func (w *world) appendElsewhere(ctx context.Context) error {
	book, err := room.Fold(ctx, w.Log)
	if err != nil {
		return err
	}
	w.made++
	word := fmt.Sprintf("<%d>", w.made)
	cells := book.Cells()
	if len(cells) > 0 && w.rand.IntN(3) > 0 {
		c := book.Cell(cells[w.rand.IntN(len(cells))])
		edit := text.Insert(w.rand.IntN(c.Text().Len()+1), word)
		if c.Text().Clone().Apply(edit) != nil {
			return nil // it would split a pair
		}
		w.typed = append(w.typed, word)
		return w.Overtake(ctx, "person:elsewhere", &event.SourceEdited{Cell: c.ID, Rev: c.Rev, Edit: edit})
	}
	key, err := book.Between(w.rand.IntN(len(cells) + 1))
	if err != nil {
		return err
	}
	w.typed = append(w.typed, word)
	return w.Overtake(ctx, "person:elsewhere", &event.CellCreated{Cell: event.CellID(fmt.Sprintf("cell%d", w.made)), Kind: event.KindCode, Order: key, Source: word})
}

func ignoreDisk(err error) error {
	if errors.Is(err, errDisk) {
		return nil
	}
	return err
}

// act lets a client do something to its view.
func (w *world) act(l *roomtest.Link) error {
	if l.Role == access.Viewer {
		return nil
	}
	if r := w.robotOf(l); r != nil {
		return w.workOften(r, 3)
	}
	view := l.Replica.View()
	cells := view.Cells()
	if len(cells) == 0 || w.rand.IntN(12) == 0 {
		return w.create(l)
	}
	cell := cells[w.rand.IntN(len(cells))]
	switch w.rand.IntN(14) {
	case 0:
		return ignoreMoot(l.Replica.Do(&event.CellDeleted{Cell: cell}))
	case 1:
		return w.restore(l)
	case 2:
		key, err := view.Between(w.rand.IntN(len(cells) + 1))
		if err != nil {
			return err
		}
		return ignoreMoot(l.Replica.Do(&event.CellMoved{Cell: cell, Order: key}))
	case 3, 4, 5:
		return w.request(l, cell)
	default:
		return w.typeInto(l, cell)
	}
}

func (w *world) create(l *roomtest.Link) error {
	key, err := l.Replica.View().Between(w.rand.IntN(len(l.Replica.View().Cells()) + 1))
	if err != nil {
		return err
	}
	w.made++
	id := event.CellID(fmt.Sprintf("cell%d", w.made))
	return ignoreMoot(l.Replica.Do(&event.CellCreated{Cell: id, Kind: event.KindCode, Order: key}))
}

func (w *world) restore(l *roomtest.Link) error {
	return ignoreMoot(l.Replica.Do(&event.CellRestored{Cell: event.CellID(fmt.Sprintf("cell%d", 1+w.rand.IntN(w.made)))}))
}

func (w *world) typeInto(l *roomtest.Link, cell event.CellID) error {
	c := l.Replica.View().Cell(cell)
	size := c.Text().Len()
	if w.erases && size > 0 && w.rand.IntN(3) == 0 {
		at := w.rand.IntN(size)
		edit := text.Delete(at, 1+w.rand.IntN(min(4, size-at)))
		if c.Text().Clone().Apply(edit) != nil {
			return nil // it would split a pair, which no editor does
		}
		return ignoreMoot(l.Replica.Edit(cell, edit))
	}
	w.made++
	word := fmt.Sprintf("<%d>", w.made)
	if w.rand.IntN(4) == 0 {
		word += "\U0001F600"
	}
	at := 0
	if size > 0 {
		at = w.rand.IntN(size + 1)
	}
	edit := text.Insert(at, word)
	if c.Text().Clone().Apply(edit) != nil {
		return nil
	}
	w.typed = append(w.typed, word)
	return ignoreMoot(l.Replica.Edit(cell, edit))
}

// ignoreMoot passes on errors, but for an event that the view says is moot.
func ignoreMoot(_ event.ID, _ []notebook.Change, err error) error {
	var moot *notebook.Moot
	if errors.As(err, &moot) {
		return nil
	}
	return err
}

// noteAcks remembers which events clients have seen in the log.
func (w *world) noteAcks() {
	for _, l := range w.Links {
		for _, peer := range w.Links {
			id := event.ClientID(peer.Actor.Name())
			if n := l.Replica.Confirmed().Seen(id); n > 0 {
				w.acked[event.ID{Client: id, N: n}] = true
			}
		}
	}
}

// FuzzSY1 explores seeds beyond those of the test.
func FuzzSY1(f *testing.F) {
	f.Add(uint64(1), uint8(100))
	f.Fuzz(func(t *testing.T, seed uint64, steps uint8) {
		if err := simulate(t.Context(), seed, int(steps)); err != nil {
			t.Fatal(err)
		}
	})
}
