package room

import (
	"context"
	"sync"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
)

// enqueue adds an operation to the mailbox. The operation may never run if the room
// ends meanwhile.
func (r *Room) enqueue(ctx context.Context, op func(context.Context)) error {
	select {
	case <-r.ended:
		return errEnded
	default:
	}
	select {
	case r.ops <- op:
		return nil
	case <-r.ended:
		return errEnded
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Join adds a member, and answers its hello into its outbox. With an error the answer is
// that the room is not available; the caller calls [Room.Leave] all the same.
func (r *Room) Join(ctx context.Context, m *Member, h *protocol.Hello) error {
	done := make(chan error, 1)
	err := r.enqueue(ctx, func(ctx context.Context) {
		err := r.commitAll(ctx) // a welcome has nothing that is not on disk
		if err == nil {
			r.seq.Join(ctx, m, h)
		}
		done <- err
	})
	if err == nil {
		err = r.await(ctx, done)
	}
	if err != nil {
		m.send(&protocol.Closed{Code: protocol.CodeUnavailable, Message: "the notebook cannot be opened now; try again later"})
		m.Out.Close()
	}
	return err
}

// Receive handles a message of a member that has joined.
func (r *Room) Receive(ctx context.Context, m *Member, msg protocol.ToRoom) error {
	return r.enqueue(ctx, func(ctx context.Context) { r.seq.Receive(ctx, m, msg) })
}

// largeMessage is the size from which the mailbox holds one message at a time.
const largeMessage = 256 << 10

// ReceiveData handles an encoded message of a member that has joined. A message that cannot
// be decoded ends the connection, and is the error. The room decodes and holds one large
// message at a time, which bounds the mailbox in bytes; the others wait with their
// connections.
func (r *Room) ReceiveData(ctx context.Context, m *Member, data []byte) error {
	done := func() {}
	if len(data) > largeMessage {
		select {
		case r.large <- struct{}{}:
			done = func() { <-r.large }
		case <-r.ended:
			return errEnded
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	msg, err := protocol.DecodeToRoom(data)
	if err == nil {
		err = r.enqueue(ctx, func(ctx context.Context) {
			defer done()
			r.seq.Receive(ctx, m, msg)
		})
		if err == nil {
			return nil
		}
	} else {
		_ = r.Malformed(context.WithoutCancel(ctx), m, err) // a room that has ended has closed the outbox
	}
	done()
	return err
}

// Malformed answers a message of a member that could not be decoded.
func (r *Room) Malformed(ctx context.Context, m *Member, err error) error {
	return r.enqueue(ctx, func(context.Context) { r.seq.Malformed(m, err) })
}

// Leave removes a member.
func (r *Room) Leave(ctx context.Context, m *Member) error {
	return r.enqueue(ctx, func(context.Context) { r.seq.Leave(m) })
}

// Submit appends events on behalf of an actor, and waits until they are on disk.
// [CodeOf] returns the code of its error.
func (r *Room) Submit(ctx context.Context, actor event.Actor, payloads ...event.Payload) error {
	done := make(chan error, 1)
	err := r.enqueue(ctx, func(ctx context.Context) {
		refused := r.seq.submitRequest(ctx, request{actor: actor, payloads: payloads})
		r.waiting = append(r.waiting, submission{refused: refused, done: done})
	})
	if err != nil {
		return err
	}
	return r.await(ctx, done)
}

// View calls f with the notebook as it is on disk. F runs on the room's goroutine: it must
// not block, and not keep or change the notebook. It does not run any more when View has
// returned, also with an error.
func (r *Room) View(ctx context.Context, f func(*notebook.Notebook)) error {
	done := make(chan error, 1)
	var mu sync.Mutex // held while f runs
	returned := false
	err := r.enqueue(ctx, func(ctx context.Context) {
		err := r.commitAll(ctx)
		mu.Lock()
		if err == nil && !returned {
			f(r.seq.Notebook())
		}
		mu.Unlock()
		done <- err
	})
	if err != nil {
		return err
	}
	err = r.await(ctx, done)
	mu.Lock()
	defer mu.Unlock()
	returned = true
	return err
}

func (r *Room) await(ctx context.Context, done <-chan error) error {
	select {
	case err := <-done:
		return err
	case <-r.ended:
		select {
		case err := <-done:
			return err
		default:
			return errEnded
		}
	case <-ctx.Done():
		return ctx.Err()
	}
}
