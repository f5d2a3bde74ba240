package server

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/room"
)

// The memory that answers made of whole notebooks are counted with.
const (
	// leastWeight is the weight of an answer made of a small notebook.
	leastWeight = 1 << 20
	// answerTimes is the weight of an answer as a multiple of the size of its notebook: as rows
	// or a file, as JSON, and compressed.
	answerTimes = 4
	// foldTimes is the weight of a fold as a multiple of the size of the log on disk, which is
	// compressed.
	foldTimes = 32
	// inboundMessages is the number of large messages that are read from all sockets at once.
	inboundMessages = 16
)

// budget bounds the memory of concurrent answers that are made of whole notebooks. An answer that
// would exceed the limit waits until others are sent, and one that exceeds it alone is made alone.
type budget struct {
	limit int64
	sem   *semaphore.Weighted

	mu    sync.Mutex
	folds map[string]*fold // of notebooks without a room, by their id
	used  int64            // bytes
	most  int64            // the most that was used at once
	takes int              // the number of reservations
}

// fold is the folding of a notebook, shared by all requests that need it at that moment.
type fold struct {
	done chan struct{}
	err  error

	mu   sync.Mutex // held while book is copied, because a notebook has one owner
	book *notebook.Notebook
}

func newBudget(limit int64) *budget {
	return &budget{limit: limit, sem: semaphore.NewWeighted(limit), folds: map[string]*fold{}}
}

// take waits until so many more bytes may be used, until release is called.
func (s *budget) take(ctx context.Context, bytes int64) (release func(), err error) {
	keep, err := s.hold(ctx, bytes)
	if err != nil {
		return nil, err
	}
	return func() { keep(0) }, nil
}

// hold is take for memory that shrinks: keep sets the bytes that are still used, at last 0. It is a
// [room.Weigh].
func (s *budget) hold(ctx context.Context, bytes int64) (keep func(int64), err error) {
	held := min(max(bytes, leastWeight), s.limit)
	if err := s.sem.Acquire(ctx, held); err != nil {
		return nil, err
	}
	s.count(held)
	return func(bytes int64) {
		less := held - min(max(bytes, 0), held)
		held -= less
		s.count(-less)
		s.sem.Release(less)
	}, nil
}

func (s *budget) count(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used += bytes
	s.most = max(s.most, s.used)
	if bytes > 0 {
		s.takes++
	}
}

// answerBytes returns the bytes that are used now.
func (s *budget) answerBytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// takeFor is take for an answer made of a notebook, of which it has at most so many bytes.
func (s *budget) takeFor(ctx context.Context, book *notebook.Notebook, most int64) (release func(), err error) {
	return s.take(ctx, answerTimes*min(book.Size(), most))
}

// sized is a log that knows its bytes on disk.
type sized interface {
	Size(ctx context.Context) (int64, error)
}

// sizeOf returns the function for the size of a log on disk, nil if the log does not know it.
func sizeOf(log room.Log) func(context.Context) (int64, error) {
	if log, ok := log.(sized); ok {
		return log.Size
	}
	return nil
}

// fold returns a copy of the notebook of a log without an open room. Concurrent requests share one
// folding. If the request that folds is cancelled, another one folds.
func (s *budget) fold(ctx context.Context, id string, log room.Log) (*notebook.Notebook, error) {
	for {
		f, mine := s.folding(id)
		if mine {
			f.book, f.err = s.foldOne(ctx, log)
			s.mu.Lock()
			delete(s.folds, id)
			s.mu.Unlock()
			close(f.done)
		}
		select {
		case <-f.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		switch {
		case f.err == nil:
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.book.Clone(), nil
		case mine || ctx.Err() != nil:
			return nil, f.err
		} // the request that folded may have been cancelled: try again
	}
}

func (s *budget) folding(id string) (f *fold, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.folds[id]; f != nil {
		return f, false
	}
	f = &fold{done: make(chan struct{})}
	s.folds[id] = f
	return f, true
}

func (s *budget) foldOne(ctx context.Context, log room.Log) (*notebook.Notebook, error) {
	release, err := s.takeFold(ctx, log)
	if err != nil {
		return nil, err
	}
	defer release()
	return room.Fold(ctx, log)
}

// takeFold is take for the folding of a log. A small one weighs nothing: an answer such as a copy
// opens a room while it holds memory itself.
func (s *budget) takeFold(ctx context.Context, log room.Log) (release func(), err error) {
	bytes := int64(0)
	if sizeOf := sizeOf(log); sizeOf != nil {
		size, err := sizeOf(ctx)
		if err != nil {
			return nil, fmt.Errorf("weigh log: %w", err)
		}
		bytes = foldTimes * size
	}
	if bytes < leastWeight {
		return func() {}, nil
	}
	return s.take(ctx, bytes)
}
