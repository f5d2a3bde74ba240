package room

import (
	"context"
	"errors"
	"time"
)

// takeOff sends the batch on its way to the disk, unless one is under way or it had
// better wait for more. Its error ends the room.
func (r *Room) takeOff(ctx context.Context) error {
	switch {
	case r.seq.Notebook() == nil:
		return errUnreadable
	case r.seq.flight != nil || r.untilDue() > 0:
		return nil
	}
	f := r.board()
	switch {
	case f == nil:
		return nil
	case len(f.records) == 0:
		return r.land(ctx, nil) // there are only answers
	}
	go func() { r.landed <- f.Store(ctx) }() // land or settle waits for it
	return nil
}

// untilDue returns how long the batch should wait for more. When many write at once
// their events share a commit, and the frames that show it. One who writes alone,
// and after a pause anybody, need not wait.
func (r *Room) untilDue() time.Duration {
	if !r.crowded || r.full() {
		return 0
	}
	return gatherTime - time.Since(r.taken)
}

// board closes the batch, and returns it if there is anything to store or to say.
func (r *Room) board() *Flight {
	if r.seq.Batched() > 0 {
		r.crowded, r.taken = r.seq.takeCrowd(), time.Now()
	}
	f := r.seq.TakeOff()
	r.aboard, r.waiting = r.waiting, r.aboard[:0]
	if f == nil {
		r.answer(nil)
	}
	return f
}

// land shows what was stored, or recovers when it was not. Its error ends the room.
func (r *Room) land(ctx context.Context, stored error) error {
	err := r.seq.Land(ctx, stored)
	r.answer(err)
	if err != nil {
		r.aboard, r.waiting = r.waiting, r.aboard
		r.answer(err) // what was behind it is gone as well
		r.failed(err)
		if r.seq.Notebook() == nil {
			return err
		}
		pause(ctx, anewPause)
	}
	if r.seq.SnapshotDue() {
		return r.save(ctx)
	}
	return nil
}

// answer tells those who wait for the flight what became of it.
func (r *Room) answer(err error) {
	for _, w := range r.aboard {
		w.done <- errors.Join(w.refused, err)
	}
	clear(r.aboard)
	r.aboard = r.aboard[:0]
}

// settle stores all there is and waits for it, so that the notebook is what the log
// has. Its error ends the room.
func (r *Room) settle(ctx context.Context) error {
	if r.seq.flight != nil {
		if err := r.land(ctx, <-r.landed); err != nil {
			return err
		}
	}
	if r.seq.Notebook() == nil {
		return errUnreadable
	}
	f := r.board()
	if f == nil {
		return nil
	}
	return r.land(ctx, f.Store(ctx))
}

// save stores a snapshot in the background, unless one is being stored. A snapshot
// must not be ahead of the log, so the batch is stored first.
func (r *Room) save(ctx context.Context) error {
	select {
	case err := <-r.saved:
		if err != nil {
			r.failed(err)
		}
	default:
		return nil
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	book := r.seq.TakeSnapshot()
	r.saving.Go(func() { r.saved <- SaveSnapshot(ctx, r.seq.cfg.Log, book) })
	return nil
}
