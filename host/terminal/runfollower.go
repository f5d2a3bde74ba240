package terminal

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
)

// cancelTime is how long runs that were cancelled have to end.
const cancelTime = 15 * time.Second

// Follower requests runs, writes their outputs as they come, and
// returns when all have ended.
type Follower struct {
	tracker *tracker
	printer *Printer

	KeepGoing bool     // also when a run fails
	Allow     []string // names of errors that stop nothing
	// StopWhenLost cancels the remaining runs when a run was lost, even with KeepGoing: later
	// cells would miss the variables.
	StopWhenLost bool
	// StopUnread cancels the runs when their output cannot be written any more: nothing else has it.
	StopUnread bool
	// Silent prints no outputs of programs; Ended may.
	Silent bool
	// KeepOutputs has each outcome have the outputs of its run.
	KeepOutputs bool
	Asker       *Asker             // nil where no user can be asked
	Seen        func(*event.Event) // called for outputs and for runs that start; may be nil
	Ended       func(Outcome)      // told of each run that ended, in that order
	// End ends programs that print on when all runs have ended, and returns when the session
	// has all of their outputs; may be nil.
	End func(context.Context)
}

// NewFollower returns a follower of runs, which must not have been requested yet. One that takes
// longer than the timeout is cancelled, if there is one.
func NewFollower(runs []event.RunOf, timeout time.Duration, p *Printer) *Follower {
	return &Follower{tracker: newTracker(runs, timeout), printer: p}
}

// Follow requests the runs in a session and follows them. When ctx ends before the runs do, they are
// cancelled.
func (f *Follower) Follow(ctx context.Context, j *Session) error {
	if f.StopUnread {
		var end func()
		ctx, end = f.whileRead(ctx)
		defer end()
	}
	_ = j.With(func(r *replica.Replica) error {
		if f.KeepOutputs {
			f.tracker.book = r.Confirmed().Clone()
		}
		j.updated = f.tracker.update
		return nil
	})
	printed := make(chan struct{})
	go func() {
		defer close(printed)
		f.print(ctx, j)
	}()
	defer func() {
		if f.Asker != nil {
			f.Asker.console.Restore()
		}
		f.tracker.stop()
		f.tracker.news.close()
		<-printed
	}()
	err := j.Propose(ctx, func(*notebook.Notebook) (event.Payload, error) {
		return &event.RunRequested{Runs: f.tracker.runs, KeepGoing: f.KeepGoing, Allow: f.Allow}, nil
	})
	if err != nil && ctx.Err() == nil {
		return err
	}
	err = f.await(ctx, j)
	if f.End != nil {
		f.End(ctx)
	}
	return err
}

// whileRead returns a context that ends with ctx, and when stdout cannot be written any more.
func (f *Follower) whileRead(ctx context.Context) (_ context.Context, end func()) {
	ctx, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-f.printer.out.stream.Broken:
			stop()
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		stop()
		watching.Wait()
	}
}

// await waits for the end of all runs.
func (f *Follower) await(ctx context.Context, j *Session) error {
	var died chan struct{}
	if f.StopWhenLost {
		died = f.tracker.died
	}
	for {
		select {
		case <-f.tracker.done:
			return f.problem(j) // a runtime that fails to start ends the runs that wait for it
		case <-j.Ended():
			return j.Verdict()
		case id := <-f.tracker.late:
			f.tooSlow(j, id)
		case <-died:
			return f.giveUp(j)
		case <-f.tracker.failed:
			return errors.Join(f.problem(j), f.giveUp(j))
		case <-ctx.Done():
			if err := f.giveUp(j); err != nil {
				return Fail(Interrupted, "interrupted: %w", err)
			}
			if err := f.printer.out.stream.Err(); f.StopUnread && err != nil {
				return err
			}
			return ctx.Err()
		}
	}
}

// problem returns the reason why no runtime could be started, if so.
func (f *Follower) problem(j *Session) error {
	var why string
	_ = j.With(func(*replica.Replica) error {
		why = f.tracker.fault
		return nil
	})
	if why == "" {
		return nil
	}
	return Fail(Failed, "no runtime: %s", why)
}

// giveUp cancels the runs that have not ended and waits for their ends.
func (f *Follower) giveUp(j *Session) error {
	f.tracker.news.release()
	f.cancel(j, f.left(j)...)
	select {
	case <-f.tracker.done:
		return nil
	case <-j.Ended():
		return j.Verdict()
	case <-time.After(cancelTime):
		return errors.New("the runs were cancelled, but have not ended yet")
	}
}

// left returns the runs that have not ended, in their order.
func (f *Follower) left(j *Session) []event.RunID {
	var ids []event.RunID
	_ = j.With(func(*replica.Replica) error {
		for _, r := range f.tracker.runs {
			if f.tracker.ours(r.Run) {
				ids = append(ids, r.Run)
			}
		}
		return nil
	})
	return ids
}

// tooSlow cancels a run that took too long.
func (f *Follower) tooSlow(j *Session, id event.RunID) {
	_ = j.With(func(*replica.Replica) error {
		f.tracker.slow[id] = true
		return nil
	})
	f.cancel(j, id)
}

// cancel cancels runs. One that ended meanwhile needs none.
func (f *Follower) cancel(j *Session, ids ...event.RunID) {
	_ = j.With(func(r *replica.Replica) error {
		for _, id := range ids {
			_, _, _ = r.Do(&event.RunCancelled{Run: id})
		}
		return nil
	})
}

// print writes the texts of the queue until it is closed.
func (f *Follower) print(ctx context.Context, j *Session) {
	for {
		items, ok := f.tracker.news.take()
		if !ok {
			f.printer.finish()
			return
		}
		for _, it := range items {
			f.printOne(ctx, j, it)
		}
	}
}

func (f *Follower) printOne(ctx context.Context, j *Session, it news) {
	switch {
	case it.event != nil:
		if f.Seen != nil {
			f.Seen(it.event)
		}
		if q, ok := it.event.Payload.(*event.InputAsked); ok {
			f.ask(ctx, j, q)
			return
		}
		if !f.Silent {
			f.printer.Event(it.event)
		}
	case it.whole != nil && !f.Silent:
		f.printer.catchUp(it.whole.id, &it.whole.value)
	case it.wrote > 0 && !f.Silent:
		f.printer.Line("the program has put a source into cell @%d", it.wrote)
	case it.ended != nil:
		f.printer.finish()
		f.Ended(*it.ended)
	}
}

// ask has a question of a program put to the user.
func (f *Follower) ask(ctx context.Context, j *Session, q *event.InputAsked) {
	if f.Asker == nil {
		f.printer.Line("the program waits for input, which can be given where the notebook is open: %s", CleanLine(q.Prompt))
		return
	}
	f.printer.pause()
	f.Asker.put(ctx, j, q)
}
