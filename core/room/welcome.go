package room

import (
	"context"
	"sync"

	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
)

// snapshotTimes is the memory that making a snapshot takes, as a multiple of the notebook's
// size.
const snapshotTimes = 4

// Reserve waits until the caller may use a number of bytes of memory. The caller calls keep
// with the bytes that it goes on using, and with 0 to release all.
type Reserve func(ctx context.Context, bytes int64) (keep func(bytes int64), err error)

// sharedSnapshot is a notebook at a number, for all members that join at it. A connection
// that sends the snapshot encodes it, not the room's owner; connections of the same actor
// and role that send it at the same time share the bytes.
type sharedSnapshot struct {
	mu   sync.Mutex // held while the book is read, which has one owner
	book *notebook.Notebook

	madeMu sync.Mutex // held before mu, and never while waiting
	made   map[welcomeKey]*welcomeBytes
}

// welcomeKey has the fields in which welcomes at one number differ.
type welcomeKey struct{ actor, role string }

// welcomeBytes is an encoded welcome, while connections send it.
type welcomeBytes struct {
	ready chan struct{} // closed when data or err is set
	data  []byte
	err   error
	keep  func(int64)
	users int // guarded by madeMu
}

// use returns an encoded welcome with the snapshot, and a function to call when it is sent.
// The first caller encodes it, once it may use the memory.
func (s *sharedSnapshot) use(ctx context.Context, w *protocol.Welcome, space Reserve) (data []byte, sent func(), err error) {
	key := welcomeKey{string(w.Actor), string(w.Role)}
	for {
		b, mine := s.enter(key)
		if mine {
			s.make(ctx, b, w, space)
		}
		select {
		case <-b.ready:
		case <-ctx.Done():
			s.leave(key, b)
			return nil, nil, ctx.Err()
		}
		switch {
		case b.err == nil:
			return b.data, func() { s.leave(key, b) }, nil
		case mine || ctx.Err() != nil:
			s.leave(key, b)
			return nil, nil, b.err
		}
		s.leave(key, b) // the connection that encoded it may have ended: try again
	}
}

func (s *sharedSnapshot) enter(key welcomeKey) (b *welcomeBytes, mine bool) {
	s.madeMu.Lock()
	defer s.madeMu.Unlock()
	b = s.made[key]
	if mine = b == nil; mine {
		b = &welcomeBytes{ready: make(chan struct{}), keep: func(int64) {}}
		s.made[key] = b
	}
	b.users++
	return b, mine
}

func (s *sharedSnapshot) leave(key welcomeKey, b *welcomeBytes) {
	s.madeMu.Lock()
	defer s.madeMu.Unlock()
	if b.users--; b.users == 0 {
		s.forget(key, b)
		b.keep(0)
	}
}

// forget removes a welcome, if it is still there.
func (s *sharedSnapshot) forget(key welcomeKey, b *welcomeBytes) {
	if s.made[key] == b {
		delete(s.made, key)
	}
}

// make encodes a welcome, or forgets it and notes the error.
func (s *sharedSnapshot) make(ctx context.Context, b *welcomeBytes, w *protocol.Welcome, space Reserve) {
	defer close(b.ready)
	if b.err = s.reserve(ctx, b, space); b.err == nil {
		b.data, b.err = s.encode(w)
	}
	if b.err == nil {
		b.keep(int64(len(b.data)))
		return
	}
	s.madeMu.Lock()
	s.forget(welcomeKey{string(w.Actor), string(w.Role)}, b)
	s.madeMu.Unlock()
}

func (s *sharedSnapshot) reserve(ctx context.Context, b *welcomeBytes, space Reserve) error {
	if space == nil {
		return nil
	}
	s.mu.Lock()
	bytes := snapshotTimes * s.book.Size()
	s.mu.Unlock()
	keep, err := space(ctx, bytes)
	if err == nil {
		b.keep = keep
	}
	return err
}

func (s *sharedSnapshot) encode(w *protocol.Welcome) ([]byte, error) {
	s.mu.Lock()
	snapshot, err := s.book.Snapshot()
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	head, err := protocol.EncodeToClient(w)
	if err != nil {
		return nil, err
	}
	const member = `,"snapshot":`
	data := make([]byte, 0, len(head)+len(member)+len(snapshot))
	data = append(append(data, head[:len(head)-1]...), member...)
	return append(append(data, snapshot...), '}'), nil
}
