//go:build linux

package faults_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/room"
)

// reader reads a log as it is on disk, and folds it anew.
type reader struct {
	book     *notebook.Notebook
	at       map[event.ID]event.Seq
	runs     map[event.RunID]*transcript
	inputs   map[event.InputID]event.RunID
	runtimes map[event.Epoch]event.RuntimeID
	leases   int                     // that ended because a runtime was away for so long
	died     []event.RuntimeID       // that the server knew to have ended
	cells    map[event.CellID]string // as they were created
	outside  []event.Artifact        // what the log has of values that lie outside it
	wrong    []string
}

// read reads a whole log.
func read(ctx context.Context, log room.Log) (*reader, error) {
	r := &reader{
		book: notebook.New(), at: map[event.ID]event.Seq{}, runs: map[event.RunID]*transcript{},
		inputs: map[event.InputID]event.RunID{}, runtimes: map[event.Epoch]event.RuntimeID{},
		cells: map[event.CellID]string{},
	}
	err := log.Read(ctx, 0, func(rec event.Record) error {
		e, err := event.Decode(append([]byte(nil), rec.Data...))
		if err != nil {
			return err
		}
		if err := r.add(&e); err != nil {
			r.wrong = append(r.wrong, fmt.Sprintf("event %d (%s of %s): %v", rec.Seq, e.Payload.Type(), e.Actor, err))
		}
		return nil
	})
	return r, err
}

// add takes in the next event, and says what is wrong with it.
func (r *reader) add(e *event.Event) error {
	var errs []error
	if want := r.book.Seq() + 1; e.Seq != want {
		errs = append(errs, fmt.Errorf("it has number %d where %d belongs", e.Seq, want))
	}
	if r.at[e.ID] != 0 {
		errs = append(errs, fmt.Errorf("event %s is there twice, at %d as well", e.ID, r.at[e.ID]))
	}
	r.at[e.ID] = e.Seq
	errs = append(errs, r.addToRun(e), r.checkEpoch(e))
	r.note(e)
	changes, err := r.book.Apply(e, nil)
	errs = append(errs, err)
	if rt := r.book.Runtime(event.TakesCode); rt != nil {
		r.runtimes[rt.Epoch] = rt.ID
	}
	for _, c := range changes {
		if id := event.RunID(c.ID); c.Table == notebook.TableRuns && r.run(id).ended == "" {
			if held := r.book.Run(id); held != nil && held.State == notebook.RunFinished {
				r.run(id).ended = e.Payload.Type()
			}
		}
	}
	return errors.Join(errs...)
}

// addToRun takes in an event that is about a run: it must not have ended.
func (r *reader) addToRun(e *event.Event) error {
	id, _ := about(e.Payload)
	if id == "" {
		return nil
	}
	run := r.run(id)
	late := lateOf(e.Payload)
	switch held := r.book.Run(id); {
	case run.ended != "" && late == "":
		return fmt.Errorf("run %s has ended before it, by %s", id, run.ended)
	case run.ended == "" && late != "":
		return fmt.Errorf("run %s has not ended, and it says that it is late", id)
	case held != nil && late != "" && held.Cell != late:
		return fmt.Errorf("run %s is of cell %s, and it says %s", id, held.Cell, late)
	}
	return run.add(e.Payload)
}

// checkEpoch wants what a runtime states to be of the one that the notebook has.
func (r *reader) checkEpoch(e *event.Event) error {
	_, epoch := about(e.Payload)
	if epoch == 0 {
		return nil
	}
	rt := r.book.Runtime(event.TakesCode)
	if rt == nil || rt.Epoch != epoch {
		return fmt.Errorf("it is of epoch %d, which is not the last", epoch)
	}
	if rt.State == notebook.RuntimeStopped {
		return fmt.Errorf("runtime %s has stopped before it", rt.ID)
	}
	owner := event.NewActor(event.ActorRuntime, string(rt.ID))
	if access.ActionOf(e.Payload.Type()) == access.Execute && e.Actor != owner && e.Actor.Kind() != event.ActorRoom &&
		e.Actor.Kind() != event.ActorPerson { // who started a runtime by hand
		return fmt.Errorf("it is not of %s", owner)
	}
	return nil
}

// note notes what is needed to judge the whole.
func (r *reader) note(e *event.Event) {
	switch p := e.Payload.(type) {
	case *event.RunCancelled:
		r.run(p.Run).cancelled = true
	case *event.AllRunsCancelled:
		for _, id := range r.book.Queue() {
			r.run(id).cancelled = true
		}
	case *event.InputAsked:
		r.inputs[p.Input] = p.Run
	case *event.InputAnswered:
		r.run(r.inputs[p.Input]).answer = p.Value
	case *event.RuntimeStopped:
		switch {
		case p.Cause == event.CauseDied:
			r.died = append(r.died, p.Runtime)
		case p.Reason == event.StopLease:
			r.leases++
		}
	case *event.OutputAdded:
		r.outside = slices.AppendSeq(r.outside, maps.Values(p.Value.Artifacts))
	case *event.OutputStored:
		r.outside = slices.AppendSeq(r.outside, maps.Values(p.Artifacts))
	case *event.CellCreated:
		r.cells[p.Cell] = p.Source
	}
}

func (r *reader) run(id event.RunID) *transcript {
	if r.runs[id] == nil {
		r.runs[id] = newTranscript()
	}
	return r.runs[id]
}
