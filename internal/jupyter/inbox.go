package jupyter

import "sync"

// item is one entry of the inbox, with one of these kinds of content.
type item struct {
	parts   [][]byte // of a message, not decoded yet
	channel channel  // of the message
	text    string   // written outside the protocol
	stream  string   // of the text
	begin   *run
	expired *run   // one of whose ends did not come in time
	call    func() // to be called in order
}

// size estimates the memory of an item.
func (i *item) size() int {
	const overhead = 128
	size := overhead + len(i.text)
	for _, part := range i.parts {
		size += len(part)
	}
	return size
}

// backlog is the amount of queued items.
type backlog struct {
	bytes, items int
}

// exceeds reports whether the backlog is larger in either respect.
func (b backlog) exceeds(other backlog) bool { return b.bytes > other.bytes || b.items > other.items }

// The high and low water marks of an inbox. A kernel queues 1,000 published messages, so it must be
// stopped well before it is that far ahead of us.
var (
	highMark = backlog{bytes: 8 << 20, items: 512}
	lowMark  = backlog{bytes: 2 << 20, items: 128}
)

// inbox queues the messages of a kernel. A kernel drops published messages that its subscribers do not
// take, so it is paused above the high mark and resumed below the low one.
type inbox struct {
	full func(bool) // pauses or resumes the kernel; never called concurrently

	mu      sync.Mutex
	changed sync.Cond
	items   []item
	total   backlog
	isFull  bool
	ended   bool // closed for new items
	open    bool // never full again
}

func newInbox(full func(bool)) *inbox {
	b := &inbox{full: full}
	b.changed.L = &b.mu
	return b
}

// put adds an item, unless the inbox has ended.
func (b *inbox) put(i item) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return
	}
	b.items = append(b.items, i)
	b.total.bytes += i.size()
	b.total.items++
	if b.total.exceeds(highMark) && !b.isFull && !b.open {
		b.isFull = true
		b.full(true)
	}
	b.changed.Broadcast()
}

// wait waits while the inbox is full.
func (b *inbox) wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.isFull && !b.ended {
		b.changed.Wait()
	}
}

// next waits for an item; ok is false once the inbox has ended and is empty.
func (b *inbox) next() (item, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.items) == 0 && !b.ended {
		b.changed.Wait()
	}
	if len(b.items) == 0 {
		return item{}, false
	}
	i := b.items[0]
	b.items[0] = item{}
	if b.items = b.items[1:]; len(b.items) == 0 {
		b.items = nil // frees the array with the consumed items
	}
	b.tookLocked(i.size())
	return i, true
}

// takeText removes and returns the text written outside the protocol.
func (b *inbox) takeText() []item {
	b.mu.Lock()
	defer b.mu.Unlock()
	var texts, rest []item
	for _, i := range b.items {
		if i.text == "" {
			rest = append(rest, i)
			continue
		}
		texts = append(texts, i)
		b.tookLocked(i.size())
	}
	b.items = rest
	return texts
}

func (b *inbox) tookLocked(size int) {
	b.total.bytes -= size
	b.total.items--
	if b.isFull && !b.total.exceeds(lowMark) {
		b.goOnLocked()
	}
}

func (b *inbox) goOnLocked() {
	b.isFull = false
	b.full(false)
	b.changed.Broadcast()
}

// release ends the back-pressure for good: the kernel is to end.
func (b *inbox) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = true
	if b.isFull {
		b.goOnLocked()
	}
}

// end closes the inbox for new items.
func (b *inbox) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	b.changed.Broadcast()
}
