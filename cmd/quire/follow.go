package main

import (
	"context"
	"errors"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
)

// cancelTime is how long runs that were cancelled have to end.
const cancelTime = 15 * time.Second

// follower requests runs, writes what they produce while they produce it, and
// returns when all have ended.
type follower struct {
	*tracker
	keepGoing bool
	allow     []string // names of errors that stop nothing
	// stopWhenLost cancels what is left when a run was lost, whatever else is to go
	// on: what follows would miss the variables.
	stopWhenLost bool
	printer      *printer
	// silent leaves what programs produce to whom ended tells: nothing of it is printed.
	silent bool
	asking *asking            // nil where there is nobody to ask
	seen   func(*event.Event) // told of what is printed and of runs that start; may be nil
	ended  func(outcome)      // told of each run that ended, in that order
	// end ends what goes on to print when all runs have ended, and returns when the session
	// has all of that; may be nil.
	end func(context.Context)
}

// newRuns returns a run with a new id for each cell.
func newRuns(n *notebook.Notebook, cells []event.CellID) []event.RunOf {
	runs := make([]event.RunOf, len(cells))
	for i, c := range cells {
		runs[i] = event.RunOf{Run: event.RunID(newID(runIDLen)), Cell: c, MayFail: n.Cell(c).MayFail()}
	}
	return runs
}

// follow does it in a session. When ctx ends before the runs do, they are
// cancelled.
func (f *follower) follow(ctx context.Context, j *joined) error {
	j.onUpdate(f.update)
	printed := make(chan struct{})
	go func() {
		defer close(printed)
		f.print(ctx, j)
	}()
	defer func() {
		if f.asking != nil {
			f.asking.console.restore()
		}
		f.stop()
		f.news.close()
		<-printed
	}()
	err := j.with(ctx, func(*notebook.Notebook) (event.Payload, error) {
		return &event.RunRequested{Runs: f.runs, KeepGoing: f.keepGoing, Allow: f.allow}, nil
	})
	if err != nil && ctx.Err() == nil {
		return err
	}
	err = f.await(ctx, j)
	if f.end != nil {
		f.end(ctx)
	}
	return err
}

// await waits for the end of all runs.
func (f *follower) await(ctx context.Context, j *joined) error {
	var died chan struct{}
	if f.stopWhenLost {
		died = f.died
	}
	for {
		select {
		case <-f.done:
			return f.problem(j) // a runtime that fails to start ends the runs that wait for it
		case <-j.done:
			return refusalOf(j.err)
		case id := <-f.late:
			f.tooSlow(j, id)
		case <-died:
			return f.giveUp(j)
		case <-f.failed:
			return errors.Join(f.problem(j), f.giveUp(j))
		case <-ctx.Done():
			if err := f.giveUp(j); err != nil {
				return fail(exitInterrupted, "interrupted: %w", err)
			}
			return ctx.Err()
		}
	}
}

// problem says why no runtime could be started, if that is so.
func (f *follower) problem(j *joined) error {
	var why string
	_ = j.With(func(*replica.Replica) error {
		why = f.fault
		return nil
	})
	if why == "" {
		return nil
	}
	return fail(exitFailed, "no runtime: %s", why)
}

// giveUp cancels what has not ended and waits for that.
func (f *follower) giveUp(j *joined) error {
	f.news.release()
	f.cancel(j, f.left(j)...)
	select {
	case <-f.done:
		return nil
	case <-j.done:
		return refusalOf(j.err)
	case <-time.After(cancelTime):
		return errors.New("the runs were cancelled, but have not ended yet")
	}
}

// left returns the runs that have not ended, in their order.
func (f *follower) left(j *joined) []event.RunID {
	var ids []event.RunID
	_ = j.With(func(*replica.Replica) error {
		for _, r := range f.runs {
			if f.ours(r.Run) {
				ids = append(ids, r.Run)
			}
		}
		return nil
	})
	return ids
}

// tooSlow cancels a run that took too long.
func (f *follower) tooSlow(j *joined, id event.RunID) {
	_ = j.With(func(*replica.Replica) error {
		f.slow[id] = true
		return nil
	})
	f.cancel(j, id)
}

// cancel cancels runs. One that ended meanwhile needs none.
func (f *follower) cancel(j *joined, ids ...event.RunID) {
	_ = j.With(func(r *replica.Replica) error {
		for _, id := range ids {
			_, _, _ = r.Do(&event.RunCancelled{Run: id})
		}
		return nil
	})
}

// print writes what comes until the feed is closed.
func (f *follower) print(ctx context.Context, j *joined) {
	for {
		items, ok := f.news.take()
		if !ok {
			f.printer.finish()
			return
		}
		for _, it := range items {
			f.printOne(ctx, j, it)
		}
	}
}

func (f *follower) printOne(ctx context.Context, j *joined, it news) {
	switch {
	case it.event != nil:
		if f.seen != nil {
			f.seen(it.event)
		}
		if q, ok := it.event.Payload.(*event.InputAsked); ok {
			f.ask(ctx, j, q)
			return
		}
		if !f.silent {
			f.printer.event(it.event)
		}
	case it.whole != nil && !f.silent:
		f.printer.catchUp(it.whole.id, &it.whole.value)
	case it.wrote > 0 && !f.silent:
		f.printer.line("the program has put a source into cell @%d", it.wrote)
	case it.ended != nil:
		f.printer.finish()
		f.ended(*it.ended)
	}
}

// ask has a question of a program put to whoever is there.
func (f *follower) ask(ctx context.Context, j *joined, q *event.InputAsked) {
	if f.asking == nil {
		f.printer.line("the program waits for input, which can be given where the notebook is open: %s", cleanLine(q.Prompt))
		return
	}
	f.printer.pause()
	f.asking.put(ctx, j, q)
}
