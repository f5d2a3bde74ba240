package server

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/room"
)

// The memory of answers that are made of whole notebooks.
const (
	// leastWeight is what an answer counts that is made of a small notebook.
	leastWeight = 1 << 20
	// answerTimes is how many times its size a notebook takes while it is made into an
	// answer: as rows or a file, as JSON, and packed.
	answerTimes = 4
	// foldTimes is how many times the size of its log on disk, which is packed, a notebook
	// counts while it is folded.
	foldTimes = 32
	// inboundMessages is how many large messages are read from all sockets at once.
	inboundMessages = 16
)

// scale weighs the answers that are made of whole notebooks at one time. What would make
// them more than the limit waits for others to be sent, and what is more by itself is
// made alone.
type scale struct {
	limit int64
	sem   *semaphore.Weighted

	mu    sync.Mutex
	folds map[string]*fold // of notebooks without a room, by their id
	used  int64            // bytes
	most  int64            // that were used at once
	takes int              // how often some were taken
}

// fold is the folding of a notebook that all wait for who need it at that moment.
type fold struct {
	done chan struct{}
	err  error

	mu   sync.Mutex // held while book is copied, as that has one owner
	book *notebook.Notebook
}

func newScale(limit int64) *scale {
	return &scale{limit: limit, sem: semaphore.NewWeighted(limit), folds: map[string]*fold{}}
}

// take waits until so many bytes more may be used, which the caller gives back.
func (s *scale) take(ctx context.Context, bytes int64) (giveBack func(), err error) {
	keep, err := s.hold(ctx, bytes)
	if err != nil {
		return nil, err
	}
	return func() { keep(0) }, nil
}

// hold is take for memory of which less is used later, and none at last: it is a [room.Weigh].
func (s *scale) hold(ctx context.Context, bytes int64) (keep func(int64), err error) {
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

func (s *scale) count(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used += bytes
	s.most = max(s.most, s.used)
	if bytes > 0 {
		s.takes++
	}
}

// answerBytes returns how many bytes are used now.
func (s *scale) answerBytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// takeFor is take for an answer made of a notebook of which a part of so many bytes at
// most is used.
func (s *scale) takeFor(ctx context.Context, book *notebook.Notebook, most int64) (giveBack func(), err error) {
	return s.take(ctx, answerTimes*min(book.Size(), most))
}

// sized is a log that knows how many bytes it has on disk.
type sized interface {
	Size(ctx context.Context) (int64, error)
}

// sizeOf returns what asks for the size of a log, nil if it does not know it.
func sizeOf(log room.Log) func(context.Context) (int64, error) {
	if log, ok := log.(sized); ok {
		return log.Size
	}
	return nil
}

// fold returns a copy of the notebook of a log that has no room. Those who ask at the same
// time share one folding. When the one whose request folds leaves, another begins.
func (s *scale) fold(ctx context.Context, id string, log room.Log) (*notebook.Notebook, error) {
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
		} // who folded may have left; it is tried again
	}
}

func (s *scale) folding(id string) (f *fold, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.folds[id]; f != nil {
		return f, false
	}
	f = &fold{done: make(chan struct{})}
	s.folds[id] = f
	return f, true
}

func (s *scale) foldOne(ctx context.Context, log room.Log) (*notebook.Notebook, error) {
	giveBack, err := s.takeFold(ctx, log)
	if err != nil {
		return nil, err
	}
	defer giveBack()
	return room.Fold(ctx, log)
}

// takeFold is take for the folding of a log. A small one counts nothing: what is made of an
// answer, such as a copy, opens a room while it is weighed itself.
func (s *scale) takeFold(ctx context.Context, log room.Log) (giveBack func(), err error) {
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
