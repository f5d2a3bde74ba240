package room_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
)

// balance is memory of which so much may be used at once.
type balance struct {
	limit int64
	made  atomic.Int32 // how often some was taken

	mu         sync.Mutex
	used, most int64
	freed      chan struct{} // closed and replaced when some is given back
}

func newBalance(limit int64) *balance { return &balance{limit: limit, freed: make(chan struct{})} }

func (b *balance) weigh(ctx context.Context, bytes int64) (func(int64), error) {
	held := min(bytes, b.limit)
	for !b.take(held) {
		b.mu.Lock()
		freed := b.freed
		b.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	b.made.Add(1)
	return func(to int64) {
		b.mu.Lock()
		defer b.mu.Unlock()
		to = min(to, held)
		b.used -= held - to
		held = to
		close(b.freed)
		b.freed = make(chan struct{})
	}, nil
}

func (b *balance) take(bytes int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+bytes > b.limit {
		return false
	}
	b.used += bytes
	b.most = max(b.most, b.used)
	return true
}

// far seats a member that needs a snapshot, and whose test empties the outbox itself.
func joinFar(d *roomtest.Sequencer, client event.ClientID, actor event.Actor, weigh room.Reserve) *room.Member {
	d.T.Helper()
	m := &room.Member{Actor: actor, Role: access.Viewer, Out: room.NewOutbox(1 << 20)}
	m.Out.Reserve = weigh
	d.Join(d.T.Context(), m, &protocol.Hello{Version: protocol.Version, Client: client, Since: 1_000_000, Fold: notebook.Version})
	return m
}

// snapshotIn returns the snapshot that the first message of a member brings.
func snapshotIn(t *testing.T, m *room.Member) []byte {
	t.Helper()
	messages, err := m.Out.Next(t.Context())
	if err != nil || len(messages) == 0 {
		t.Fatalf("got %d messages and %v, want a welcome", len(messages), err)
	}
	w, ok := roomtest.DecodeAll(t, messages[:1])[0].(*protocol.Welcome)
	if !ok || w.Seq != w.Last || w.Actor != m.Actor || w.Role != m.Role {
		t.Fatalf("got %s", messages[0])
	}
	return w.Snapshot
}

func TestSY15ThoseWhoJoinAtOneNumberShareOneSnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := roomtest.NewSequencer(t, nil)
		d.MustSubmit(roomtest.CellWith("c", string(bytes.Repeat([]byte("x"), 100_000))))
		want, err := d.Notebook().Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		b := newBalance(1 << 30)
		var members []*room.Member
		for i := range 20 {
			members = append(members, joinFar(d, event.ClientID(rune('a'+i)), "person:eve", b.weigh))
		}
		other := joinFar(d, "z", "person:ada", b.weigh)
		var all sync.WaitGroup
		for _, m := range append(members, other) {
			all.Go(func() {
				if got := snapshotIn(t, m); !bytes.Equal(got, want) {
					t.Errorf("got a snapshot of %d bytes, want %d", len(got), len(want))
				}
			})
		}
		all.Wait()
		if got := b.made.Load(); got != 2 {
			t.Errorf("%d snapshots were made, want one for each of two actors", got)
		}
		if most := int64(5 * len(want)); b.used > most {
			t.Errorf("%d bytes are used while they are sent, want %d at most", b.used, most)
		}
		for _, m := range append(members, other) {
			m.Out.Sent()
		}
		if b.used != 0 {
			t.Errorf("%d bytes are used when all is sent", b.used)
		}
	})
}

func TestSY15SnapshotsOfManyNumbersWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := roomtest.NewSequencer(t, nil)
		d.MustSubmit(roomtest.CellWith("c", string(bytes.Repeat([]byte("x"), 100_000))))
		b := newBalance(1_000_000) // two and a half while they are made
		var all sync.WaitGroup
		let := make(chan struct{})
		for i := range 20 {
			m := joinFar(d, event.ClientID(rune('a'+i)), "person:eve", b.weigh)
			d.MustSubmit(&event.NotebookMetadataSet{Key: "k", Value: jsonOf(10 + i)})
			all.Go(func() {
				if len(snapshotIn(t, m)) < 100_000 {
					t.Error("the snapshot is not whole")
				}
				<-let
				m.Out.Sent()
			})
		}
		synctest.Wait()
		if got := b.made.Load(); got < 2 || got >= 20 {
			t.Errorf("%d snapshots are made at once, want some, and fewer than all", got)
		}
		if d.Notebook().Seq() != 21 {
			t.Error("the room did not go on meanwhile")
		}
		close(let)
		all.Wait()
		if b.most > b.limit || b.used != 0 || b.made.Load() != 20 {
			t.Errorf("%d bytes were used at once, want %d at most; %d in the end; %d were made", b.most, b.limit, b.used, b.made.Load())
		}
	})
}

func TestSY15WhenWhoMakesASnapshotLeavesAnotherDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := roomtest.NewSequencer(t, nil)
		d.MustSubmit(roomtest.CellWith("c", "x"))
		b := newBalance(1 << 20)
		keep, err := b.weigh(t.Context(), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(t.Context())
		first, second := joinFar(d, "a", "person:eve", b.weigh), joinFar(d, "b", "person:eve", b.weigh)
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := first.Out.Next(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("who has left got %v", err)
			}
		})
		synctest.Wait()
		all.Go(func() { snapshotIn(t, second) })
		synctest.Wait()
		leave()
		synctest.Wait()
		keep(0)
		all.Wait()
		second.Out.Sent()
		if b.used != 0 {
			t.Errorf("%d bytes are used when all is sent", b.used)
		}
	})
}
