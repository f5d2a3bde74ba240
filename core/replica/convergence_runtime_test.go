package replica_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room/roomtest"
)

// robot is a runtime in the simulation. It takes the notebook's runs, prints and
// finishes them, whether it is connected or not.
type robot struct {
	*roomtest.Link
	id event.RuntimeID
}

// work names what one runtime did of one run.
type work struct {
	epoch event.Epoch
	run   event.RunID
}

// addRobot adds a runtime, which displaces the one before once it has started.
func (w *world) addRobot() {
	id := event.RuntimeID(fmt.Sprintf("rt%d", len(w.robots)+1))
	r := replica.NewRuntime(event.ClientID(id), id)
	link := w.Add(r, event.NewActor(event.ActorRuntime, string(id)), access.Runtime)
	w.robots = append(w.robots, &robot{Link: link, id: id})
}

// robotOf returns the runtime that a link is of, or nil.
func (w *world) robotOf(l *roomtest.Link) *robot {
	for _, r := range w.robots {
		if r.Link == l {
			return r
		}
	}
	return nil
}

// disturbRobot kills the runtime, puts another beside it, or keeps all that are
// away from coming back in time.
func (w *world) disturbRobot(ctx context.Context) error {
	switch w.rand.IntN(3) {
	case 0:
		w.Remove(w.robots[len(w.robots)-1].Link)
		w.addRobot()
	case 1:
		w.addRobot()
	case 2:
		w.Cut(w.robots[len(w.robots)-1].Link)
		return w.PassGrace(ctx)
	}
	return nil
}

// request asks for runs of a cell and maybe of others.
func (w *world) request(l *roomtest.Link, cell event.CellID) error {
	if queue := l.Replica.View().Queue(); len(queue) > 0 && w.rand.IntN(5) == 0 {
		return ignoreMoot(l.Replica.Do(&event.RunCancelled{Run: queue[w.rand.IntN(len(queue))]}))
	}
	var runs []event.RunOf
	for range 1 + w.rand.IntN(2) {
		w.made++
		runs = append(runs, event.RunOf{Run: event.RunID(fmt.Sprintf("r%d", w.made)), Cell: cell})
	}
	return ignoreMoot(l.Replica.Do(&event.RunRequested{Runs: runs}))
}

// work lets a runtime do the next thing of some run.
func (w *world) work(r *robot) error {
	live := r.Replica.Confirmed().RuntimeByID(r.id)
	if live == nil {
		return w.start(r)
	}
	view := r.Replica.View()
	if len(view.Queue()) == 0 {
		return nil
	}
	run := view.Run(view.Queue()[w.rand.IntN(len(view.Queue()))])
	switch {
	case run.State == notebook.RunPending:
		return ignoreMoot(r.Replica.Do(&event.RunAssigned{Run: run.ID, Epoch: live.Epoch}))
	case run.Epoch != live.Epoch:
		return nil
	case run.State == notebook.RunAssigned:
		return ignoreMoot(r.Replica.Do(&event.RunStarted{Run: run.ID, Epoch: live.Epoch}))
	case w.rand.IntN(3) > 0:
		return w.print(r, work{epoch: live.Epoch, run: run.ID})
	}
	status := []event.RunStatus{event.StatusOK, event.StatusError}[w.rand.IntN(2)]
	return ignoreMoot(r.Replica.Do(&event.RunFinished{Run: run.ID, Epoch: live.Epoch, Status: status}))
}

// workOften lets a runtime do some things one after another.
func (w *world) workOften(r *robot, times int) error {
	for range times {
		if err := w.work(r); err != nil {
			return err
		}
	}
	return nil
}

// start states that a runtime has started, unless it has and was displaced.
func (w *world) start(r *robot) error {
	newest := r == w.robots[len(w.robots)-1]
	if !newest || !r.Replica.Online() || r.Replica.View().RuntimeByID(r.id) != nil {
		return nil // one that was displaced, or has said so already
	}
	return ignoreMoot(r.Replica.Do(&event.RuntimeStarted{Runtime: r.id, Takes: event.TakesCode}))
}

// print adds an output with a unique text.
func (w *world) print(r *robot, of work) error {
	w.made++
	id := event.OutputID(fmt.Sprintf("o%d", w.made))
	w.prints[of] = append(w.prints[of], string(id))
	out := &event.OutputAdded{Output: id, Run: of.run, Epoch: of.epoch, Value: roomtest.Printed(string(id))}
	_, _, err := r.Replica.Do(out)
	return err
}

// finishAll lets all come to rest, and then the last runtime do all that waits.
func (w *world) finishAll(ctx context.Context) error {
	for range 10_000 {
		if err := w.settle(ctx); err != nil {
			return err
		}
		r := w.robots[len(w.robots)-1]
		if rt := w.Room.Notebook().RuntimeByID(r.id); rt != nil && len(w.Room.Notebook().Queue()) == 0 {
			return nil
		}
		if err := w.workOften(r, 30); err != nil {
			return err
		}
	}
	return fmt.Errorf("runs %v do not finish though a runtime is there", w.Room.Notebook().Queue())
}

// verifyRuns wants each run that a runtime finished to have all that the runtime
// printed before, in order and once, and nothing after it.
func (w *world) verifyRuns(ctx context.Context) error {
	seen, over, once := map[work][]string{}, map[work]bool{}, map[string]bool{}
	return w.Log.Read(ctx, 0, func(r event.Record) error {
		e, err := event.Decode(r.Data)
		if err != nil {
			return err
		}
		switch p := e.Payload.(type) {
		case *event.OutputAdded:
			of := work{epoch: p.Epoch, run: p.Run}
			if over[of] || once[p.Value.Text] {
				return fmt.Errorf("output %s is there twice or after the end of run %s", p.Output, p.Run)
			}
			once[p.Value.Text] = true
			seen[of] = append(seen[of], p.Value.Text)
		case *event.RunFinished:
			of := work{epoch: p.Epoch, run: p.Run}
			over[of] = true
			if !slices.Equal(seen[of], w.prints[of]) {
				return fmt.Errorf("run %s finished with outputs %v, its runtime printed %v", p.Run, seen[of], w.prints[of])
			}
		}
		return nil
	})
}
