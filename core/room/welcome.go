package room

import (
	"context"
	"sync"

	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
)

// snapshotTimes is how many times its size a notebook takes while its snapshot is made.
const snapshotTimes = 4

// Reserve waits until so many bytes of memory more may be used. The caller says once how many
// of them it goes on using, and gives all back with 0.
type Reserve func(ctx context.Context, bytes int64) (keep func(bytes int64), err error)

// sharedSnapshot is a notebook at a number, for all members who join at it. Its snapshot is made
// by the connection that sends it and not by the room's owner, and is shared by those who
// send it at the same time and are the same actor in the same role.
type sharedSnapshot struct {
	mu   sync.Mutex // held while the book is looked at, as that has one owner
	book *notebook.Notebook

	madeMu sync.Mutex // held before mu, and never while waiting
	made   map[welcomeKey]*welcomeBytes
}

// welcomeKey is what differs in the welcomes of those who join at one number.
type welcomeKey struct{ actor, role string }

// welcomeBytes is a welcome in JSON, while connections send it.
type welcomeBytes struct {
	ready chan struct{} // closed when data is there, or err says why not
	data  []byte
	err   error
	keep  func(int64)
	users int // guarded by madeMu
}

// use returns a welcome with the snapshot in JSON, and what is called when it is sent. The
// first who asks makes it, when it may use the memory.
func (s *sharedSnapshot) use(ctx context.Context, w *protocol.Welcome, weigh Reserve) (data []byte, sent func(), err error) {
	key := welcomeKey{string(w.Actor), string(w.Role)}
	for {
		b, mine := s.enter(key)
		if mine {
			s.make(ctx, b, w, weigh)
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
		s.leave(key, b) // who made it may have left; it is tried again
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

// forget takes a welcome out, if it is still there.
func (s *sharedSnapshot) forget(key welcomeKey, b *welcomeBytes) {
	if s.made[key] == b {
		delete(s.made, key)
	}
}

// make makes a welcome, or forgets it with the reason why it could not.
func (s *sharedSnapshot) make(ctx context.Context, b *welcomeBytes, w *protocol.Welcome, weigh Reserve) {
	defer close(b.ready)
	if b.err = s.reserve(ctx, b, weigh); b.err == nil {
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

func (s *sharedSnapshot) reserve(ctx context.Context, b *welcomeBytes, weigh Reserve) error {
	if weigh == nil {
		return nil
	}
	s.mu.Lock()
	bytes := snapshotTimes * s.book.Size()
	s.mu.Unlock()
	keep, err := weigh(ctx, bytes)
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
