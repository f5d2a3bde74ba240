package native

import (
	"context"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
)

// outboxLimit is the number of bytes that wait for one connection, before it is served from the log
// again.
const outboxLimit = 4 << 20

// Loopback is a room of this process whose log is in memory.
type Loopback struct{ room *room.Room }

// NewLoopback returns an empty room, which serves once Run is called. It replaces the log of the
// config, and the settings of snapshots. Failed is called with the errors of the room.
func NewLoopback(ctx context.Context, cfg room.Config, failed func(error)) (*Loopback, error) {
	cfg.Log = newMemory()
	cfg.SnapshotEvery = math.MaxInt // a snapshot is of no use: the room is never opened again
	cfg.MaxBehind = math.MaxInt
	room, err := room.Open(ctx, cfg, failed)
	if err != nil {
		return nil, fmt.Errorf("open room: %w", err)
	}
	return &Loopback{room: room}, nil
}

// Run serves the room until ctx ends.
func (l *Loopback) Run(ctx context.Context) error { return l.room.Run(ctx) }

// Submit appends events for an actor, and returns when they are committed.
func (l *Loopback) Submit(ctx context.Context, actor event.Actor, payloads ...event.Payload) error {
	return l.room.Submit(ctx, actor, payloads...)
}

// View calls f with the notebook. F must not keep it, change it or take long.
func (l *Loopback) View(ctx context.Context, f func(*notebook.Notebook)) error {
	return l.room.View(ctx, f)
}

// Dial connects to the room as an actor with a role.
func (l *Loopback) Dial(actor event.Actor, role access.Role) protocol.Conn {
	return Connect(l.room, actor, role)
}

// Connect returns a connection to a room of this process, as an actor with a role.
func Connect(to *room.Room, actor event.Actor, role access.Role) protocol.Conn {
	return &conn{
		room:   to,
		member: &room.Member{Actor: actor, Role: role, Out: room.NewOutbox(outboxLimit)},
	}
}

// conn is a connection within the process: a sent message goes to the room at once, and messages of
// the room are received from the member's outbox.
type conn struct {
	room   *room.Room
	member *room.Member
	closed sync.Once

	said  bool     // the hello was sent; owned by the goroutine that sends
	taken [][]byte // messages from the outbox; owned by the goroutine that receives
}

// Send implements [protocol.Conn].
func (c *conn) Send(ctx context.Context, message []byte) error {
	msg, err := protocol.DecodeToRoom(message)
	if err != nil {
		return c.room.Malformed(ctx, c.member, err)
	}
	if hello, ok := msg.(*protocol.Hello); ok && !c.said {
		c.said = true
		return c.room.Join(ctx, c.member, hello)
	}
	return c.room.Receive(ctx, c.member, msg)
}

// Receive implements [protocol.Conn].
func (c *conn) Receive(ctx context.Context) ([]byte, error) {
	if len(c.taken) == 0 {
		messages, err := c.member.Out.Next(ctx)
		if err != nil {
			return nil, err
		}
		if len(messages) == 0 {
			return nil, io.EOF
		}
		c.taken = messages
	}
	message := c.taken[0]
	c.taken = c.taken[1:]
	return message, nil
}

// Close implements [protocol.Conn].
func (c *conn) Close() error {
	c.closed.Do(func() {
		c.member.Out.Close()
		// It fails only when the room has ended, which has no members then.
		_ = c.room.Leave(context.Background(), c.member)
	})
	return nil
}
