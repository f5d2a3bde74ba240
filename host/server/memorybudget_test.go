package server

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
)

func TestAnswersMadeAtOnceTakeNoMoreMemoryThanTheyMay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit, each = 100 << 20, 30 << 20
		s := newBudget(limit)
		var used, most atomic.Int64
		var all sync.WaitGroup
		hold := make(chan struct{})
		for range 50 {
			all.Go(func() {
				release, err := s.take(t.Context(), each)
				if err != nil {
					t.Error(err)
					return
				}
				if now := used.Add(each); now > most.Load() {
					most.Store(now)
				}
				<-hold
				used.Add(-each)
				release()
			})
		}
		synctest.Wait()
		if got, want := used.Load(), int64(3*each); got != want {
			t.Errorf("%d bytes are used at once, want %d", got, want)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.take(ctx, each); !errors.Is(err, context.Canceled) {
			t.Errorf("who has left got %v, want no place", err)
		}
		close(hold)
		all.Wait()
		if most.Load() > limit {
			t.Errorf("%d bytes were used at once, want %d at most", most.Load(), limit)
		}
		release, err := s.take(t.Context(), 10*limit) // more than all: it is made alone
		if err != nil {
			t.Fatal(err)
		}
		release()
	})
}

// countedLog counts how often it is read, which waits until it is let.
type countedLog struct {
	room.Log
	reads atomic.Int32
	let   chan struct{}
}

func (l *countedLog) Read(ctx context.Context, after event.Seq, yield func(event.Record) error) error {
	l.reads.Add(1)
	<-l.let
	return l.Log.Read(ctx, after, yield)
}

func (l *countedLog) Size(context.Context) (int64, error) { return 1 << 30, nil }

func TestThoseWhoReadANotebookAtOnceShareOneFolding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &countedLog{Log: roomtest.NewMemory(), let: make(chan struct{})}
		s := newBudget(1 << 20)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if book, err := s.fold(t.Context(), "b", log); err != nil || book == nil {
					t.Errorf("got %v", err)
				}
			})
		}
		synctest.Wait()
		close(log.let)
		all.Wait()
		if got := log.reads.Load(); got != 1 {
			t.Errorf("the log was folded %d times, want once", got)
		}
	})
}
