package replica_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/replica/replicatest"
	"github.com/quirehq/quire/core/text"
)

var (
	seeds     = flag.Int("seeds", 2_000, "how many seeds of the network to run")
	firstSeed = flag.Uint64("first-seed", 1, "the first of them")
)

// TestSY1ReplicasConvergeOverANetworkThatLosesWhatItLikes drives several clients
// over a network that drops, delays, duplicates, cuts links and crashes the room,
// and then wants one notebook everywhere and every acknowledged event once.
func TestSY1ReplicasConvergeOverANetworkThatLosesWhatItLikes(t *testing.T) {
	t.Parallel()
	n := *seeds
	if testing.Short() {
		n = 200
	}
	for i := range uint64(n) {
		seed := *firstSeed + i
		if err := simulate(t.Context(), seed, 150); err != nil {
			t.Fatalf("seed %d: %v\nrun it alone with: go test ./core/replica -run SY1 -seeds 1 -first-seed %d", seed, err, seed)
		}
	}
	t.Logf("%d seeds from %d", n, *firstSeed)
}

// world is one run of the simulation.
type world struct {
	*replicatest.Network
	rand   *rand.Rand
	acked  map[event.ID]bool // events that a client saw acknowledged
	typed  []string          // what clients inserted, each text once
	made   int
	erases bool // whether clients delete text, so that what was typed may be gone
}

func simulate(ctx context.Context, seed uint64, steps int) error {
	net, err := replicatest.NewNetwork(ctx)
	if err != nil {
		return err
	}
	w := &world{Network: net, rand: rand.New(rand.NewPCG(seed, 1)), acked: map[event.ID]bool{}, erases: seed%2 == 0}
	for i := range 2 + w.rand.IntN(3) {
		id := event.ClientID(fmt.Sprintf("c%d", i))
		net.Add(replica.New(id), event.NewActor(event.ActorPerson, string(id)), access.Editor)
	}
	for range steps {
		if err := w.step(ctx); err != nil {
			return err
		}
	}
	for err := w.Settle(ctx); err != nil; err = w.Settle(ctx) {
		if !errors.Is(err, errDisk) {
			return err
		}
	}
	return w.verify(ctx)
}

var errDisk = errors.New("the disk did not answer")

// step does one random thing.
func (w *world) step(ctx context.Context) error {
	l := w.Links[w.rand.IntN(len(w.Links))]
	switch p := w.rand.IntN(100); {
	case p < 40:
		return w.act(l)
	case p < 55:
		return l.Send()
	case p < 70:
		_, err := w.Up(ctx, l)
		return err
	case p < 88:
		_, err := w.Down(ctx, l)
		w.noteAcks()
		return err
	case p < 93:
		return l.Connect()
	case p < 95:
		w.Cut(l)
	case p < 97:
		l.Duplicate()
	case p < 98:
		w.Log.Fail(errDisk, w.rand.IntN(2) == 0)
	case p < 99:
		return w.Restart(ctx)
	}
	if err := w.Commit(ctx); err != nil && !errors.Is(err, errDisk) {
		return err
	}
	return nil
}

// act lets a client do something to its view.
func (w *world) act(l *replicatest.Link) error {
	view := l.Replica.View()
	cells := view.Cells()
	if len(cells) == 0 || w.rand.IntN(12) == 0 {
		return w.create(l)
	}
	cell := cells[w.rand.IntN(len(cells))]
	switch w.rand.IntN(12) {
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
	case 3:
		w.made++
		run := event.RunID(fmt.Sprintf("r%d", w.made))
		return ignoreMoot(l.Replica.Do(&event.RunRequested{Runs: []event.RunOf{{Run: run, Cell: cell}}}))
	default:
		return w.typeInto(l, cell)
	}
}

func (w *world) create(l *replicatest.Link) error {
	key, err := l.Replica.View().Between(w.rand.IntN(len(l.Replica.View().Cells()) + 1))
	if err != nil {
		return err
	}
	w.made++
	id := event.CellID(fmt.Sprintf("cell%d", w.made))
	return ignoreMoot(l.Replica.Do(&event.CellCreated{Cell: id, Kind: event.KindCode, Order: key}))
}

func (w *world) restore(l *replicatest.Link) error {
	return ignoreMoot(l.Replica.Do(&event.CellRestored{Cell: event.CellID(fmt.Sprintf("cell%d", 1+w.rand.IntN(w.made)))}))
}

func (w *world) typeInto(l *replicatest.Link, cell event.CellID) error {
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

// verify wants the same notebook everywhere, and in the log every acknowledged
// event once and without gaps.
func (w *world) verify(ctx context.Context) error {
	want, err := w.Room.Notebook().Hash()
	if err != nil {
		return err
	}
	for i, l := range w.Links {
		if n := l.Replica.Pending(); n != 0 {
			return fmt.Errorf("client %d: %d events still pending", i, n)
		}
		if l.Replica.View() != l.Replica.Confirmed() {
			return fmt.Errorf("client %d: its view differs from what is confirmed", i)
		}
		if got, err := l.Replica.Confirmed().Hash(); err != nil || got != want {
			return fmt.Errorf("client %d: hash %x, the room has %x (%v)", i, got, want, err)
		}
		for _, no := range l.Replica.Refused() {
			if _, ok := no.Draft.Payload.(*event.SourceEdited); ok {
				return fmt.Errorf("client %d: edit %s was refused: %s", i, no.Draft.ID, no.Message)
			}
		}
	}
	if err := w.verifyLog(ctx); err != nil {
		return err
	}
	return w.verifyTyped()
}

func (w *world) verifyLog(ctx context.Context) error {
	seen := map[event.ID]bool{}
	next := event.Seq(1)
	err := w.Log.Read(ctx, 0, func(r event.Record) error {
		e, err := event.Decode(r.Data)
		if err != nil {
			return err
		}
		if e.Seq != next || r.Seq != next {
			return fmt.Errorf("event %d (record %d) stands at %d", e.Seq, r.Seq, next)
		}
		if seen[e.ID] {
			return fmt.Errorf("event %s is there twice", e.ID)
		}
		seen[e.ID] = true
		next++
		return nil
	})
	if err != nil {
		return err
	}
	for id := range w.acked {
		if !seen[id] {
			return fmt.Errorf("event %s was acknowledged and is not in the log", id)
		}
	}
	return nil
}

// verifyTyped wants every word that anybody typed to be somewhere once, whole
// unless another word was typed into it. It holds where nobody erases.
func (w *world) verifyTyped() error {
	if w.erases {
		return nil
	}
	units := 0
	for _, word := range w.typed {
		units += text.NewText(word).Len()
	}
	got := 0
	for i := 1; i <= w.made; i++ {
		if c := w.Room.Notebook().Cell(event.CellID(fmt.Sprintf("cell%d", i))); c != nil {
			got += c.Text().Len()
			if strings.Count(c.Source(), "<") != strings.Count(c.Source(), ">") {
				return fmt.Errorf("cell %s has half a word: %q", c.ID, c.Source())
			}
		}
	}
	if got != units {
		return fmt.Errorf("%d units of text are left of the %d that were typed", got, units)
	}
	return nil
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
