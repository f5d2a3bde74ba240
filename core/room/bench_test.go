package room_test

import (
	"fmt"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
	"github.com/quirehq/quire/core/text"
)

// BenchmarkSequencer is the whole way of a keystroke through a room, from the bytes
// that a socket gives to those that ten sockets take, without a disk.
func BenchmarkSequencer(b *testing.B) {
	ctx := b.Context()
	s, err := room.OpenSequencer(ctx, room.Config{Log: roomtest.NewMemory(), SnapshotEvery: 1 << 30})
	if err != nil {
		b.Fatal(err)
	}
	members := make([]*room.Member, 10)
	for i := range members {
		m := &room.Member{Actor: "person:a", Role: access.Editor, Out: room.NewOutbox(1 << 20)}
		s.Join(ctx, m, &protocol.Hello{Version: protocol.Version, Client: event.ClientID(fmt.Sprintf("c%d", i))})
		members[i] = m
	}
	create := &event.CellCreated{Cell: "cell", Kind: event.KindCode, Order: "U"}
	if err := s.Submit(ctx, "person:a", create); err != nil {
		b.Fatal(err)
	}
	n := make([]uint64, len(members))
	for i := 0; b.Loop(); i++ {
		who := i % len(members)
		n[who]++
		d := event.Draft{
			ID:      event.ID{Client: event.ClientID(fmt.Sprintf("c%d", who)), N: n[who]},
			Payload: &event.SourceEdited{Cell: "cell", Rev: event.Rev(i), Edit: text.Insert(i%1000, "x")},
		}
		data, err := protocol.EncodeToRoom(&protocol.Push{Events: []event.Draft{d}})
		if err != nil {
			b.Fatal(err)
		}
		msg, err := protocol.DecodeToRoom(data)
		if err != nil {
			b.Fatal(err)
		}
		s.Receive(ctx, members[who], msg)
		if i%50 == 49 {
			if err := s.Commit(ctx); err != nil {
				b.Fatal(err)
			}
			for _, m := range members {
				m.Out.Drain()
			}
		}
	}
	if got := s.Notebook().Seq(); got < event.Seq(b.N) {
		b.Fatalf("the room took %d events of %d", got, b.N)
	}
}
