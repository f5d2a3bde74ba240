package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
	"github.com/quirehq/quire/internal/ws"
)

// The size of the test of crashes.
const (
	crashWriters = 8
	crashKills   = 10
	crashEvents  = 1_000 // that are acknowledged, at least
	crashTime    = 20 * time.Second
)

// TestNothingAcknowledgedIsLostOrRepeated has eight clients write into one notebook
// of a real server that is killed ten times, over connections that are cut at
// random. Afterwards every event that any client saw acknowledged must be in the log
// once, the numbers must have no gaps, and everybody must have the same notebook.
func TestNothingAcknowledgedIsLostOrRepeated(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 20 s")
	}
	t.Parallel()
	c := newCrash(t, newSeed(t))
	defer c.kill()
	c.start(t)
	c.notebook = c.Create(t)
	killing, stopKilling := context.WithTimeout(t.Context(), crashTime)
	defer stopKilling()
	writing, stopWriting := context.WithCancel(t.Context())
	defer stopWriting()
	living, stopLiving := context.WithCancel(t.Context())
	defer stopLiving()
	var clients errgroup.Group
	for i := range crashWriters {
		w := c.writer(i)
		clients.Go(func() error { return ignoreEnd(w.session.Run(living)) })
		clients.Go(func() error { return ignoreEnd(w.write(writing)) })
	}
	c.killAtRandom(t, killing)
	<-killing.Done()
	c.awaitEnough(t)
	stopWriting()
	c.settle(t)
	c.verify(t)
	stopLiving()
	if err := clients.Wait(); err != nil {
		t.Error(err)
	}
}

// crash is a server that is killed, and those who write meanwhile.
type crash struct {
	*server
	notebook string
	rand     *rand.Rand
	writers  []*crashWriter

	acked *ledger
	kills int
	cuts  atomic.Int64
}

func newCrash(t *testing.T, seed uint64) *crash {
	t.Helper()
	return &crash{server: newServer(t), rand: rand.New(rand.NewPCG(seed, 0)), acked: newLedger()}
}

// killAtRandom kills the server and starts it again until it was killed as often as
// it should be, spread over the time of the test.
func (c *crash) killAtRandom(t *testing.T, ctx context.Context) {
	t.Helper()
	for c.kills < crashKills && ctx.Err() == nil {
		wait := time.Duration((0.5 + c.rand.Float64()) * float64(crashTime) / (crashKills + 3))
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		c.kill()
		c.kills++
		c.start(t)
	}
	for ; c.kills < crashKills; c.kills++ { // a slow machine kills the rest at the end
		c.kill()
		c.start(t)
	}
}

// awaitEnough waits until so much was acknowledged that the test tests something, for which a slow
// machine takes longer.
func (c *crash) awaitEnough(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(patience); len(c.acked.shown()) < crashEvents; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("only %d events were acknowledged\n%s", len(c.acked.shown()), c.log.String())
		}
	}
}

// crashWriter is a client that writes.
type crashWriter struct {
	crash   *crash
	session *replica.Session
	rand    *rand.Rand
	index   int
	made    int
}

func (c *crash) writer(i int) *crashWriter {
	w := &crashWriter{crash: c, index: i, rand: rand.New(rand.NewPCG(c.rand.Uint64(), uint64(i)))}
	cuts := rand.New(rand.NewPCG(c.rand.Uint64(), uint64(i)))
	w.session = replica.NewSession(replica.SessionConfig{
		Replica: replica.New(event.ClientID(fmt.Sprintf("writer%d", i))),
		Dial: func(ctx context.Context) (protocol.Conn, error) {
			word, err := c.find()
			if err != nil {
				return nil, err
			}
			conn, err := ws.Dial(ctx, word.URL+"/api/notebooks/"+c.notebook+"/sync", word.Token, ws.Options{})
			if err != nil {
				return nil, err
			}
			life := time.Duration(200+cuts.IntN(4_000)) * time.Millisecond
			return &cutConn{Conn: conn, cut: time.AfterFunc(life, func() { c.cuts.Add(1); _ = conn.Close() })}, nil
		},
		Updated: func(_ *replica.Replica, up replica.Update) { c.acked.note(up.Committed) },
	})
	c.writers = append(c.writers, w)
	return w
}

// cutConn is a connection that somebody pulls the plug of.
type cutConn struct {
	protocol.Conn
	cut *time.Timer
}

func (c *cutConn) Close() error {
	c.cut.Stop()
	return c.Conn.Close()
}

// write edits the notebook until ctx ends, connected or not.
func (w *crashWriter) write(ctx context.Context) error {
	for ctx.Err() == nil {
		err := w.session.With(func(r *replica.Replica) error {
			if r.Pending() > 200 {
				return nil
			}
			return w.act(r)
		})
		if err != nil {
			return err
		}
		time.Sleep(time.Duration(w.rand.IntN(6)) * time.Millisecond)
	}
	return nil
}

func (w *crashWriter) act(r *replica.Replica) error {
	cells := r.View().Cells()
	w.made++
	var err error
	switch p := w.rand.IntN(100); {
	case len(cells) == 0 || p < 3 && len(cells) < 40:
		key, keyErr := r.View().Between(w.rand.IntN(len(cells) + 1))
		if keyErr != nil {
			return keyErr
		}
		id := event.CellID(fmt.Sprintf("cell-%d-%d", w.index, w.made))
		_, _, err = r.Do(&event.CellCreated{Cell: id, Kind: event.KindCode, Order: key})
	case p < 5:
		key, keyErr := r.View().Between(w.rand.IntN(len(cells) + 1))
		if keyErr != nil {
			return keyErr
		}
		_, _, err = r.Do(&event.CellMoved{Cell: cells[w.rand.IntN(len(cells))], Order: key})
	case p < 6 && len(cells) > 3:
		_, _, err = r.Do(&event.CellDeleted{Cell: cells[w.rand.IntN(len(cells))]})
	default:
		cell := cells[w.rand.IntN(min(len(cells), 4))] // a few, so that they meet
		n := r.View().Cell(cell).Text().Len()
		edit := text.Insert(w.rand.IntN(n+1), fmt.Sprintf("<%d.%d>", w.index, w.made))
		if n > 2_000 {
			edit = text.Delete(w.rand.IntN(n-100), 100)
		}
		_, _, err = r.Edit(cell, edit)
	}
	var moot *notebook.Moot
	if errors.As(err, &moot) {
		return nil // it lost a race within its own view, such as a cell deleted twice
	}
	return err
}

// settle waits until nothing is pending and everybody has everything.
func (c *crash) settle(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for i, w := range c.writers {
		if err := w.session.Wait(ctx, func(r *replica.Replica) bool { return r.Online() && r.Pending() == 0 }); err != nil {
			t.Fatalf("writer %d does not come to rest: %v\n%s", i, err, c.log.String())
		}
	}
	last := c.last(t, c.notebook)
	for i, w := range c.writers {
		if err := w.session.Wait(ctx, func(r *replica.Replica) bool { return r.Confirmed().Seq() >= last }); err != nil {
			t.Fatalf("writer %d does not get event %d: %v", i, last, err)
		}
	}
}

func (c *crash) verify(t *testing.T) {
	t.Helper()
	shown, book, at := c.acked.shown(), notebook.New(), map[event.ID]event.Seq{}
	for _, e := range c.readLog(t, c.notebook) {
		if want := book.Seq() + 1; e.Seq != want {
			t.Errorf("event %d stands where %d belongs", e.Seq, want)
		}
		if seq, ok := at[e.ID]; ok {
			t.Errorf("event %s is there twice, as %d and %d", e.ID, seq, e.Seq)
		}
		at[e.ID] = e.Seq
		_, _ = book.Apply(&e, nil) // what is moot changes nothing
	}
	c.acked.verify(t, shown, at)
	want, err := book.Hash()
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range c.writers {
		if err := w.session.With(func(r *replica.Replica) error {
			if got, err := r.Confirmed().Hash(); err != nil || got != want {
				t.Errorf("writer %d has hash %x, the log folds to %x (%v)", i, got, want, err)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d events, %d acknowledged, %d kills, %d connections cut", len(at), len(shown), c.kills, c.cuts.Load())
}
