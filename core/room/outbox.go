package room

import (
	"context"
	"sync"

	"github.com/quirehq/quire/core/protocol"
)

// Outbox is the queue of messages from a room to one client. It is bounded in bytes: when
// it is full the room stops filling it, and goes on from the log once there is space. The
// room fills it, and one goroutine of the connection empties it.
type Outbox struct {
	limit int           // bytes
	ready chan struct{} // has a token when there may be items

	// Reserve reserves memory for a message that is as large as a notebook; there is no
	// limit if it is nil. It is set before the outbox is used.
	Reserve Reserve
	sent    []func() // called when the messages of the last Next are sent; owned by its caller

	mu      sync.Mutex
	items   []item
	size    int
	closed  bool
	drained func() // called once when all items are taken
}

// item is an encoded message. Adjacent frames of events can be joined; their bytes are
// shared by all outboxes that hold them. A welcome with a snapshot has no data, and is
// encoded when it is taken.
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
		return true // the message is dropped: the connection has ended
	}
	if len(o.items) > 0 && o.size+len(it.data) > o.limit {
		return false
	}
	o.push(it)
	return true
}

// full reports whether twice the limit is queued: the bound of answers.
func (o *Outbox) full() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.size > 2*o.limit
}

// addAlways queues an item beyond the limit: a small message that must not be lost.
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

// whenDrained calls f once, when the items queued now have been taken: then any item fits.
// It calls f at once if the outbox is empty.
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

// Close ends the outbox: its items can still be taken, and none are added.
func (o *Outbox) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.closed = true
		close(o.ready)
	}
}

// Drain returns all queued messages in order, adjacent frames of events joined. It does
// not wait, and reserves no memory. Done says that the outbox is closed and empty.
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

// Next waits for messages and returns them as [Outbox.Drain] does, reserving memory for
// large ones. It returns no messages and no error when the outbox is closed and empty. The
// caller has sent the messages of the last call when it calls Next again, or [Outbox.Sent].
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

// Sent releases the memory of the messages that Next returned: they are sent, or never
// will be.
func (o *Outbox) Sent() {
	for _, sent := range o.sent {
		sent()
	}
	o.sent = nil
}

// orClosed returns a message, or a Closed in its place if there is an error.
func orClosed(data []byte, err error) []byte {
	if err != nil {
		data, _ = protocol.EncodeToClient(&protocol.Closed{Code: protocol.CodeUnavailable, Message: "the notebook could not be sent as it is now; try again later"})
	}
	return data
}

// join returns the messages of items; adjacent frames become one.
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
