package room_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
)

// haltedLog does not store before it is let.
type haltedLog struct {
	room.Log
	let chan struct{}
}

func (l *haltedLog) Append(ctx context.Context, b room.Batch) error {
	<-l.let
	return l.Log.Append(ctx, b)
}

func TestSY93OfLargeMessagesAMailboxHoldsOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &haltedLog{Log: roomtest.NewMemory(), let: make(chan struct{})}
		h := runRoom(t, room.Config{Log: log})
		var members []*room.Member
		for i := range 30 {
			members = append(members, h.visit(event.ClientID(fmt.Sprintf("m%d", i))))
		}
		filler := h.visit("filler")
		h.push(filler, 1, roomtest.NewCell("c")) // which is being stored
		synctest.Wait()
		many := make([]event.Payload, 2_100)
		for i := range many {
			many[i] = &event.NotebookMetadataSet{Key: "k", Value: jsonOf(10)}
		}
		h.push(filler, 2, many...) // and the next batch is full
		synctest.Wait()
		var all sync.WaitGroup
		var taken atomic.Int32
		for i, m := range members {
			push := &protocol.Push{Events: []event.Draft{{
				ID:      event.ID{Client: m.Client(), N: 1},
				Payload: &event.NotebookMetadataSet{Key: fmt.Sprint(i), Value: jsonOf(257 << 10)},
			}}}
			data, err := protocol.EncodeToRoom(push)
			if err != nil {
				t.Fatal(err)
			}
			all.Go(func() {
				if err := h.ReceiveData(t.Context(), m, data); err != nil {
					t.Error(err)
				}
				taken.Add(1)
			})
		}
		synctest.Wait()
		if got := taken.Load(); got != 1 {
			t.Errorf("the mailbox holds %d large messages while the room takes none, want 1", got)
		}
		close(log.let)
		all.Wait()
		if err := h.end(); err != nil {
			t.Fatal(err)
		}
		if last, err := log.Last(t.Context()); last != 2_131 || err != nil {
			t.Errorf("the log ends at %d (%v), want all 2,131 events", last, err)
		}
	})
}

func TestSY93WhoWaitsWithALargeMessageCanLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &haltedLog{Log: roomtest.NewMemory(), let: make(chan struct{})}
		h := runRoom(t, room.Config{Log: log})
		m := h.visit("m")
		large := []byte(`{"kind":"presence","name":"` + strings.Repeat("x", 300<<10) + `"}`)
		if err := h.ReceiveData(t.Context(), m, large); err != nil { // it is taken in, and ends the connection
			t.Fatal(err)
		}
		synctest.Wait()
		if err := h.ReceiveData(t.Context(), m, append(large, '}')); err == nil {
			t.Error("a message that cannot be read is no error")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 10 { // whichever of the two it finds first
			_ = h.ReceiveData(ctx, m, large)
		}
		close(log.let)
		if err := h.ReceiveData(t.Context(), h.visit("n"), large); err != nil {
			t.Errorf("the next message: got %v", err)
		}
	})
}

func TestSY42EditsThatAreKeptHaveABoundInBytes(t *testing.T) {
	const cells, each = 6, 400 << 10
	d := roomtest.NewSequencer(t, nil)
	s := d.AddPerson("a", access.Editor)
	slow := d.AddPerson("b", access.Editor) // has seen nothing but the cells
	for c := range cells {
		s.Push(roomtest.NewCell(event.CellID(fmt.Sprintf("c%d", c))))
	}
	d.MustCommit()
	most := 0
	for i := range 10 {
		for c := range cells {
			s.Push(roomtest.Insert(event.CellID(fmt.Sprintf("c%d", c)), event.Rev(i), i*each, strings.Repeat("x", each)))
			kept, summed := d.EditBytes()
			if kept != summed {
				t.Fatalf("it counts %d bytes of edits that have %d", kept, summed)
			}
			most = max(most, kept)
		}
		d.MustCommit()
	}
	if most > 17<<20 {
		t.Errorf("edits of %d bytes were kept, want about 16 MiB at most", most)
	}
	slow.Push(roomtest.Insert("c3", 0, 0, "first "))
	d.MustCommit()
	roomtest.WantCodes(t, slow.Take())
	if got := d.Source("c3"); len(got) != 10*each+len("first ") || !strings.Contains(got, "first ") {
		t.Errorf("got a source of %d bytes, want the edit moved over those that are in the log only", len(got))
	}
}
