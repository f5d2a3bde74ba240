package terminal

import "sync"

// printQueueLimit is about how many bytes wait to be printed. A terminal that takes no
// more holds up the session, and with it nothing but this process.
const printQueueLimit = 8 << 20

// printQueue hands items from the goroutine that receives messages to the one that
// prints them.
type printQueue[T any] struct {
	limit int
	ready chan struct{} // has a token when there is something to take

	mu       sync.Mutex
	space    sync.Cond // uses mu
	items    []T
	size     int
	released bool // putting never waits any more
	closed   bool
}

func newPrintQueue[T any](limit int) *printQueue[T] {
	f := &printQueue[T]{limit: limit, ready: make(chan struct{}, 1)}
	f.space.L = &f.mu
	return f
}

// put adds items of some size, and waits for space before.
func (f *printQueue[T]) put(size int, items ...T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.size > 0 && f.size+size > f.limit && !f.released {
		f.space.Wait()
	}
	f.items = append(f.items, items...)
	f.size += size
	f.signal()
}

func (f *printQueue[T]) signal() {
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

// release makes putting never wait again: the session is needed now.
func (f *printQueue[T]) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.released = true
	f.space.Broadcast()
}

// close ends the queue.
func (f *printQueue[T]) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed, f.released = true, true
	f.space.Broadcast()
	f.signal()
}

// take returns all items, and waits until there are some. It returns false when
// the queue is closed and empty.
func (f *printQueue[T]) take() ([]T, bool) {
	for {
		f.mu.Lock()
		items, closed := f.items, f.closed
		f.items, f.size = nil, 0
		f.space.Broadcast()
		f.mu.Unlock()
		if len(items) > 0 {
			return items, true
		}
		if closed {
			return nil, false
		}
		<-f.ready
	}
}
