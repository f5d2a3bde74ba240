package roomtest

import (
	"context"
	"io"
	"sync"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
)

// pipeSize is how many messages a pipe holds in each direction.
const pipeSize = 4

// pipe is one end of a connection in memory.
type pipe struct {
	in   <-chan []byte
	out  chan<- []byte
	once *sync.Once
	end  chan struct{} // closed with the connection, at both ends
}

// Pipe returns the two ends of a connection in memory. Closing one end closes both,
// and loses the messages in them.
func Pipe() (client, server protocol.Conn) {
	up, down := make(chan []byte, pipeSize), make(chan []byte, pipeSize)
	once, end := new(sync.Once), make(chan struct{})
	return &pipe{in: down, out: up, once: once, end: end}, &pipe{in: up, out: down, once: once, end: end}
}

// Send implements protocol.Conn.
func (p *pipe) Send(ctx context.Context, message []byte) error {
	select {
	case <-p.end:
		return io.ErrClosedPipe
	default:
	}
	select {
	case p.out <- message:
		return nil
	case <-p.end:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Receive implements protocol.Conn.
func (p *pipe) Receive(ctx context.Context) ([]byte, error) {
	select {
	case <-p.end:
		return nil, io.ErrClosedPipe
	default:
	}
	select {
	case message := <-p.in:
		return message, nil
	case <-p.end:
		return nil, io.ErrClosedPipe
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close implements protocol.Conn.
func (p *pipe) Close() error {
	p.once.Do(func() { close(p.end) })
	return nil
}

// Serve connects a member to a room, as a server does, until the connection, ctx or the
// member's outbox ends. The member is used for this connection alone.
func Serve(ctx context.Context, room *room.Room, m *room.Member, conn protocol.Conn) error {
	ctx, cancel := context.WithCancel(ctx)
	var sending sync.WaitGroup
	defer sending.Wait()
	defer cancel()
	defer func() { _ = conn.Close() }()
	data, err := conn.Receive(ctx)
	if err != nil {
		return err
	}
	first, err := protocol.DecodeToRoom(data)
	if err != nil {
		return err
	}
	hello, ok := first.(*protocol.Hello)
	if !ok {
		return io.ErrUnexpectedEOF
	}
	if err := room.Join(ctx, m, hello); err != nil {
		return err
	}
	defer func() { _ = room.Leave(context.WithoutCancel(ctx), m) }()
	sending.Go(func() {
		sendAll(ctx, m, conn)
		_ = conn.Close()
	})
	return receiveAll(ctx, room, m, conn)
}

func sendAll(ctx context.Context, m *room.Member, conn protocol.Conn) {
	defer m.Out.Sent()
	for {
		messages, err := m.Out.Next(ctx)
		if err != nil || len(messages) == 0 {
			return
		}
		for _, message := range messages {
			if conn.Send(ctx, message) != nil {
				return
			}
		}
	}
}

func receiveAll(ctx context.Context, room *room.Room, m *room.Member, conn protocol.Conn) error {
	for {
		data, err := conn.Receive(ctx)
		if err != nil {
			return err
		}
		if err := room.ReceiveData(ctx, m, data); err != nil {
			return err
		}
	}
}
