package roomtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room"
)

// Network is a room and the links of its clients. Messages move only when the test says so.
// A cut link loses its messages, and a restarted room loses its uncommitted events.
type Network struct {
	Log   *Memory
	Room  *room.Sequencer
	Links []*Link

	now      event.Time
	inFlight *room.Commit // a batch that is being stored
	stored   bool         // the log has answered
	answer   error        // the answer of the log
}

// Link is a client with its connection to the room.
type Link struct {
	Replica *replica.Replica
	Actor   event.Actor
	Role    access.Role

	member *room.Member // nil while the link is cut
	up     [][]byte     // messages to the room
	down   [][]byte     // messages to the client
	said   bool         // the hello has reached the room
}

// grace is how long a runtime may be away.
const grace = 15 * time.Second

// outboxLimit is small: members fall behind and are served from the log.
const outboxLimit = 2 << 10

// NewNetwork returns a network whose room keeps its events in a memory log.
func NewNetwork(ctx context.Context) (*Network, error) {
	n := &Network{Log: NewMemory(), now: 1_700_000_000_000}
	return n, n.open(ctx)
}

func (n *Network) open(ctx context.Context) error {
	n.inFlight = nil
	room, err := room.OpenSequencer(ctx, room.Config{
		Log: n.Log, Now: n.tick, MaxBehind: 10, SnapshotEvery: 25, Grace: grace,
	})
	n.Room = room
	return err
}

func (n *Network) tick() event.Time {
	n.now++
	return n.now
}

// Add gives the network another client, which is not connected.
func (n *Network) Add(r *replica.Replica, actor event.Actor, role access.Role) *Link {
	l := &Link{Replica: r, Actor: actor, Role: role}
	n.Links = append(n.Links, l)
	return l
}

// Connected reports whether the link is up.
func (l *Link) Connected() bool { return l.member != nil }

// Connect begins a connection, if there is none.
func (l *Link) Connect() error {
	if l.member != nil {
		return nil
	}
	l.member = &room.Member{Actor: l.Actor, Role: l.Role, Out: room.NewOutbox(outboxLimit)}
	l.said = false
	data, err := protocol.EncodeToRoom(l.Replica.Hello())
	l.up = append(l.up, data)
	return err
}

// Cut ends a link's connection and loses its messages.
func (n *Network) Cut(l *Link) {
	if l.member == nil {
		return
	}
	n.Room.Leave(l.member)
	l.member, l.up, l.down = nil, nil, nil
	l.Replica.Disconnected()
}

// Send moves the outgoing messages of the client onto its link.
func (l *Link) Send() error {
	if l.member == nil {
		return nil
	}
	for _, msg := range l.Replica.Outgoing() {
		data, err := protocol.EncodeToRoom(msg)
		if err != nil {
			return err
		}
		l.up = append(l.up, data)
	}
	return nil
}

// Duplicate makes the next message to the room arrive twice, if it is a push.
func (l *Link) Duplicate() {
	if len(l.up) > 0 && l.said {
		l.up = append([][]byte{l.up[0]}, l.up...)
	}
}

// Up lets one message of the link reach the room, and reports whether there was one.
func (n *Network) Up(ctx context.Context, l *Link) (bool, error) {
	if len(l.up) == 0 {
		return false, nil
	}
	msg, err := protocol.DecodeToRoom(l.up[0])
	if err != nil {
		return false, err
	}
	l.up = l.up[1:]
	if hello, ok := msg.(*protocol.Hello); ok {
		l.said = true
		if err := n.Commit(ctx); err != nil {
			n.Cut(l) // the room has reloaded; the client will connect again
			return true, nil
		}
		n.Room.Join(ctx, l.member, hello)
		return true, nil
	}
	n.Room.Receive(ctx, l.member, msg)
	return true, nil
}

// BeginCommit lets the room begin to commit its batch. Other steps may happen before the
// next commit finds that it was stored.
func (n *Network) BeginCommit() {
	if n.inFlight == nil {
		n.inFlight, n.stored = n.Room.BeginCommit(), false
	}
}

// Store stores the batch of the commit in flight.
func (n *Network) Store(ctx context.Context) {
	if n.inFlight != nil && !n.stored {
		n.answer, n.stored = n.inFlight.Store(ctx), true
	}
}

// finishCommit finishes the commit in flight with the answer of the log.
func (n *Network) finishCommit(ctx context.Context) error {
	n.Store(ctx)
	f := n.inFlight
	if n.inFlight = nil; f == nil {
		return nil
	}
	if err := n.Room.FinishCommit(ctx, n.answer); !errors.Is(err, room.ErrConflict) {
		return err
	}
	return nil // the batch is open again
}

// Overtake appends events as another process would that has the same log open.
func (n *Network) Overtake(ctx context.Context, actor event.Actor, payloads ...event.Payload) error {
	n.Log.Fail(nil, false)
	other, err := room.OpenSequencer(ctx, room.Config{Log: n.Log, Now: n.tick, Grace: grace})
	if err != nil {
		return err
	}
	return errors.Join(other.Submit(ctx, actor, payloads...), other.Commit(ctx))
}

// Commit lets the room commit its batch.
func (n *Network) Commit(ctx context.Context) error {
	if err := n.finishCommit(ctx); err != nil {
		return err
	}
	if err := n.Room.Commit(ctx); err != nil {
		return err
	}
	if n.Room.SnapshotDue() {
		return room.SaveSnapshot(ctx, n.Log, n.Room.TakeSnapshot())
	}
	return nil
}

// PassGrace lets time pass until the leases of all absent runtimes end.
func (n *Network) PassGrace(ctx context.Context) error {
	n.now += event.Time(grace / time.Millisecond)
	return n.Room.Expire(ctx)
}

// Remove removes a client for good, with its unsent events.
func (n *Network) Remove(l *Link) {
	n.Cut(l)
	n.Links = slices.DeleteFunc(n.Links, func(other *Link) bool { return other == l })
}

// Down lets one message reach the client of the link, and reports whether there was one. If
// the room has ended the connection it cuts the link.
func (n *Network) Down(ctx context.Context, l *Link) (bool, error) {
	if l.member == nil {
		return false, nil
	}
	if len(l.down) == 0 {
		messages, done := l.member.Out.Drain()
		if done && len(messages) == 0 {
			n.Cut(l)
			return true, nil
		}
		l.down = messages
		n.Room.Drained(ctx, l.member)
	}
	if len(l.down) == 0 {
		return false, nil
	}
	data := l.down[0]
	l.down = l.down[1:]
	msg, err := protocol.DecodeToClient(data)
	if err != nil {
		return false, err
	}
	if _, err := l.Replica.Receive(msg); err != nil {
		if c := l.Replica.Closed(); c != nil {
			return false, fmt.Errorf("the room closed a link: %w", c)
		}
		n.Cut(l)
	}
	return true, nil
}

// Restart crashes the room and opens it again from its log.
func (n *Network) Restart(ctx context.Context) error {
	for _, l := range n.Links {
		n.Cut(l)
	}
	n.Log = n.Log.Reopen()
	return n.open(ctx)
}

// Settle connects all links and delivers all messages until none are left.
func (n *Network) Settle(ctx context.Context) error {
	for moved, rounds := true, 0; moved; rounds++ {
		if rounds > 100_000 {
			return fmt.Errorf("the network does not come to rest")
		}
		moved = false
		for _, l := range n.Links {
			if err := l.Connect(); err != nil {
				return err
			}
			if err := l.Send(); err != nil {
				return err
			}
			up, err := n.Up(ctx, l)
			if err != nil {
				return err
			}
			if err := n.Commit(ctx); err != nil {
				return err
			}
			down, err := n.Down(ctx, l)
			if err != nil {
				return err
			}
			moved = moved || up || down
		}
	}
	return nil
}
