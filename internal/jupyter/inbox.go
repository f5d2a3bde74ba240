package jupyter

import "sync"

// item is what the engine handles next: one of these.
type item struct {
	parts   [][]byte // of a message, not looked at yet
	channel channel  // that it came on
	text    string   // that the process wrote outside the protocol
	stream  string   // where it wrote it
	begin   *run
	expired *run   // that did not end in time, though it seemed over
	call    func() // in its turn
}

// size is about what an item takes.
func (i *item) size() int {
	const overhead = 128
	size := overhead + len(i.text)
	for _, part := range i.parts {
		size += len(part)
	}
	return size
}

// backlog is what waits.
type backlog struct {
	bytes, items int
}

// exceeds reports whether there is more than another in either respect.
func (b backlog) exceeds(other backlog) bool { return b.bytes > other.bytes || b.items > other.items }

// The marks between which an inbox is filled and emptied again. A kernel's queue of
// what it publishes has 1,000 messages: it may not get so far ahead in the time that
// we are kept from reading.
var (
	highMark = backlog{bytes: 8 << 20, items: 512}
	lowMark  = backlog{bytes: 2 << 20, items: 128}
)

// inbox holds what has come from a kernel and is not handled yet. A kernel publishes
// what it does to whoever listens and drops what is not taken. So it is told to stop
// when much waits, and to go on when it does not.
type inbox struct {
	full func(bool) // tells the kernel; called in order, and never beside itself

	mu      sync.Mutex
	changed sync.Cond
	items   []item
	total   backlog
	isFull  bool
	ended   bool // nothing more comes
	open    bool // nobody is held back any more
}

func newInbox(full func(bool)) *inbox {
	b := &inbox{full: full}
	b.changed.L = &b.mu
	return b
}

// put adds an item, unless nothing more is to come.
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

// next waits for an item. There is none when nothing more comes.
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
		b.items = nil // or what was taken would stay before what comes
	}
	b.tookLocked(i.size())
	return i, true
}

// takeText takes out what the process wrote outside the protocol.
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

// release holds nobody back from now on: the kernel is to end.
func (b *inbox) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = true
	if b.isFull {
		b.goOnLocked()
	}
}

// end says that nothing more comes.
func (b *inbox) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	b.changed.Broadcast()
}
