package room

import (
	"context"
	"sync"

	"github.com/quirehq/quire/core/protocol"
)

// Outbox holds what a room has for one client until the client's connection takes
// it. It is bounded by bytes: when it is full the room stops filling it, and goes
// on from the log once there is space. The room fills it and one goroutine of the
// connection empties it.
type Outbox struct {
	limit int           // bytes
	ready chan struct{} // has a token when there may be something to take

	// Reserve is asked before a message is made that is as large as a notebook; never if nil. It
	// is set before the outbox is used.
	Reserve Reserve
	sent    []func() // to be called when what Next has returned is sent; its caller's own

	mu      sync.Mutex
	items   []item
	size    int
	closed  bool
	drained func() // called, once, when all is taken
}

// item is a message in JSON. Frames of events that stand next to one another can
// be joined; their bytes are shared by all outboxes that they are in. A welcome with a
// snapshot has no data, and is made when it is taken.
type item struct {
	data    []byte
	events  bool
	welcome *protocol.Welcome
	book    *sharedSnapshot // of the welcome
}

// NewOutbox returns an empty outbox that holds about limit bytes.
func NewOutbox(limit int) *Outbox {
	return &Outbox{limit: limit, ready: make(chan struct{}, 1)}
}

// add queues an item, and reports whether there was space. A single item larger
// than the limit fits an empty outbox.
func (o *Outbox) add(it item) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return true // nobody will read it, and that is no reason to come again
	}
	if len(o.items) > 0 && o.size+len(it.data) > o.limit {
		return false
	}
	o.push(it)
	return true
}

// full reports whether twice the limit is queued, which is where answers stop.
func (o *Outbox) full() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.size > 2*o.limit
}

// addAlways queues an item for which the limit does not count: an answer, which
// is small.
func (o *Outbox) addAlways(it item) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.push(it)
	}
}

func (o *Outbox) push(it item) {
	o.items = append(o.items, it)
	o.size += len(it.data)
	select {
	case o.ready <- struct{}{}:
	default:
	}
}

// whenDrained asks for f to be called once, when what is queued now has been taken:
// then anything fits. It calls f at once if nothing is queued.
func (o *Outbox) whenDrained(f func()) {
	o.mu.Lock()
	if len(o.items) > 0 {
		o.drained = f
		o.mu.Unlock()
		return
	}
	o.mu.Unlock()
	f()
}

// Close ends the outbox: what is in it can still be taken, and nothing is added.
func (o *Outbox) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.closed = true
		close(o.ready)
	}
}

// Drain returns all that is queued as messages ready to send, in order: lists of
// events that stand next to one another become one message. It does not wait, and weighs
// nothing. Done says that the outbox is closed and nothing is left.
func (o *Outbox) Drain() (messages [][]byte, done bool) {
	items, done := o.drain()
	for i, it := range items {
		if it.welcome != nil {
			data, sent, err := it.book.use(context.Background(), it.welcome, nil)
			items[i].data = orClosed(data, err)
			if err == nil {
				sent()
			}
		}
	}
	return join(items), done
}

func (o *Outbox) drain() (items []item, done bool) {
	o.mu.Lock()
	items, drained := o.items, o.drained
	o.items, o.size, o.drained = nil, 0, nil
	done = o.closed
	o.mu.Unlock()
	if drained != nil {
		drained()
	}
	return items, done
}

// Next waits until something is queued and returns it as [Outbox.Take] does, but weighs
// what is large. It returns no messages and no error when the outbox was closed and is
// empty. What it returned before has been sent when it is called again, or [Outbox.Sent].
func (o *Outbox) Next(ctx context.Context) ([][]byte, error) {
	o.Sent()
	for {
		items, done := o.drain()
		for i, it := range items {
			if it.welcome == nil {
				continue
			}
			data, sent, err := it.book.use(ctx, it.welcome, o.Reserve)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if items[i].data = orClosed(data, err); err == nil {
				o.sent = append(o.sent, sent)
			}
		}
		if len(items) > 0 || done {
			return join(items), nil
		}
		select {
		case <-o.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Sent says that what Next has returned is sent, or will not be.
func (o *Outbox) Sent() {
	for _, sent := range o.sent {
		sent()
	}
	o.sent = nil
}

// orClosed returns a message, or the end of the connection in its place.
func orClosed(data []byte, err error) []byte {
	if err != nil {
		data, _ = protocol.EncodeToClient(&protocol.Closed{Code: protocol.CodeUnavailable, Message: "the notebook could not be sent as it is now; try again later"})
	}
	return data
}

// join makes messages of items: each run of frames becomes one frame.
func join(items []item) [][]byte {
	messages := make([][]byte, 0, len(items))
	for i := 0; i < len(items); {
		j := i + 1
		for items[i].events && j < len(items) && items[j].events {
			j++
		}
		if j == i+1 {
			messages = append(messages, items[i].data)
		} else {
			messages = append(messages, joinFrames(items[i:j]))
		}
		i = j
	}
	return messages
}

func joinFrames(items []item) []byte {
	frames := make([][]byte, len(items))
	for i, it := range items {
		frames[i] = it.data
	}
	return protocol.JoinFrames(frames)
}
