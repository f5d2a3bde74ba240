package notebook

import (
	"fmt"
	"slices"

	"github.com/quirehq/quire/core/event"
)

// RunState is the progress of a run.
type RunState string

// The states, in their order. A run skips a state only when it is cancelled while pending, or lost.
const (
	RunPending  RunState = "pending"
	RunAssigned RunState = "assigned"
	RunStarted  RunState = "started"
	RunFinished RunState = "finished"
)

// Run is one execution of one cell. A notebook keeps those that are not finished
// and the latest of each cell.
type Run struct {
	ID        event.RunID
	Cell      event.CellID
	Batch     event.ID // the event that requested it
	KeepGoing bool     // the batch goes on after a failure
	MayFail   bool     // the batch goes on after an error of this run
	Allow     []string // names of errors with which the run may end, kept until it is finished
	Actor     event.Actor

	// Source is the source at the time of the request, of revision Rev; it is kept until the run is finished.
	Source   string
	Rev      event.Rev
	Language string
	Takes    event.Takes // the kind of runtime that it is for

	State     RunState
	Epoch     event.Epoch // of the runtime that has it
	Cancelled bool        // a user cancelled it; it ends when its runtime says so

	Status event.RunStatus // how it finished
	Exited bool            // the program ended itself
	// Offered says that the program has offered a source.
	Offered bool
	Reason  string
	Cause   event.Cause
	Count   int
	Took    int64 // milliseconds

	Requested, Started, Finished event.Time

	token *token
}

// Duration returns the milliseconds for which the run executed: as its runtime measured them, or, of one that was lost with its
// runtime, from its start to its end.
func (r *Run) Duration() int64 {
	if r.Took == 0 && r.Status == event.StatusLost && r.Started != 0 {
		return int64(r.Finished - r.Started)
	}
	return r.Took
}

// Run returns a run, or nil if the notebook does not keep it.
func (n *Notebook) Run(id event.RunID) *Run { return n.runs[id] }

// Queue returns the runs that are not finished, in the order requested.
func (n *Notebook) Queue() []event.RunID { return n.queue }

// ownRun returns r if no clone shares it, else a copy in its place.
func (n *Notebook) ownRun(r *Run) *Run {
	if r.token == n.token {
		return r
	}
	own := *r
	own.token = n.token
	n.runs[r.ID] = &own
	wrote(n, TableRuns, r.ID)
	return &own
}

// heldRun returns a run in a given state that is assigned to the runtime of an epoch. It may be shared with a clone.
func (n *Notebook) heldRun(id event.RunID, epoch event.Epoch, state RunState) (*Run, error) {
	r := n.runs[id]
	switch {
	case r == nil:
		return nil, notFound("run", id)
	case r.State == RunFinished:
		return nil, conflict("run %s is finished", id)
	case r.State == RunPending || r.Epoch != epoch:
		return nil, conflict("run %s is not assigned to the runtime of epoch %d", id, epoch)
	case r.State != state:
		return nil, conflict("run %s is %s, not %s", id, r.State, state)
	}
	return r, nil
}

// foldRuns folds an event of the family of runs.
func (n *Notebook) foldRuns(e *event.Event, dst []Change) (d []Change, known bool, err error) {
	switch p := e.Payload.(type) {
	case *event.RunRequested:
		dst, err = n.runRequested(p, e, dst)
	case *event.RunAssigned:
		dst, err = n.runAssigned(p, dst)
	case *event.RunStarted:
		dst, err = n.runStarted(p, e, dst)
	case *event.RunFinished:
		dst, err = n.runFinished(p, e, dst)
	case *event.SourceOffered:
		dst, err = n.sourceOffered(p, dst)
	case *event.RunCancelled:
		dst, err = n.runCancelled(p, e, dst)
	case *event.AllRunsCancelled:
		dst, err = n.allRunsCancelled(e, dst)
	default:
		return dst, false, nil
	}
	return dst, true, err
}

func (n *Notebook) runRequested(p *event.RunRequested, e *event.Event, dst []Change) ([]Change, error) {
	before := len(dst)
	for _, want := range p.Runs {
		c := n.cells[want.Cell]
		if c == nil || c.Deleted || n.runs[want.Run] != nil || !runnable(c.Kind) {
			continue
		}
		c = n.ownCell(c)
		dst = n.dropFinished(c.Run, dst)
		n.runs[want.Run] = newRun(want, c, p, e, n.token)
		wrote(n, TableRuns, want.Run)
		n.queue = append(n.queue, want.Run)
		c.Run = want.Run
		dst = changed(changed(dst, TableRuns, want.Run), TableCells, c.ID)
	}
	if len(dst) == before {
		return dst, n.notRunnable(p.Runs)
	}
	return dst, nil
}

func newRun(want event.RunOf, c *Cell, p *event.RunRequested, e *event.Event, t *token) *Run {
	return &Run{
		ID: want.Run, Cell: c.ID, Batch: e.ID, KeepGoing: p.KeepGoing, MayFail: want.MayFail, Allow: p.Allow, Actor: e.Actor,
		Source: c.Source(), Rev: c.Rev, Language: c.Language, Takes: takesOf(c.Kind),
		State: RunPending, Requested: e.Time, token: t,
	}
}

// notRunnable returns the reason why no run of a request can run.
func (n *Notebook) notRunnable(runs []event.RunOf) error {
	for _, want := range runs {
		switch c := n.cells[want.Cell]; {
		case c == nil || c.Deleted:
			return notFound("cell", want.Cell)
		case n.runs[want.Run] != nil:
			return conflict("run %s was requested already", want.Run)
		case !runnable(c.Kind):
			return invalid("cell %s is %s, which does not run", c.ID, c.Kind)
		}
	}
	return invalid("the request names no cell")
}

func runnable(k event.CellKind) bool {
	return k == event.KindCode || k == event.KindSQL || k == event.KindAI
}

// CodeCells returns the cells that the runtime of code executes, in their order.
func (n *Notebook) CodeCells() []event.CellID {
	return slices.DeleteFunc(slices.Clone(n.Cells()), func(id event.CellID) bool {
		kind := n.Cell(id).Kind
		return !runnable(kind) || takesOf(kind) != event.TakesCode
	})
}

func takesOf(k event.CellKind) event.Takes {
	if k == event.KindAI {
		return event.TakesAI
	}
	return event.TakesCode
}

func (n *Notebook) runAssigned(p *event.RunAssigned, dst []Change) ([]Change, error) {
	r := n.runs[p.Run]
	if r == nil {
		return dst, notFound("run", p.Run)
	}
	if r.State != RunPending {
		return dst, conflict("run %s is %s already", p.Run, r.State)
	}
	if rt := n.runtimes[r.Takes]; rt == nil || rt.Epoch != p.Epoch || rt.State == RuntimeStopped {
		return dst, conflict("epoch %d is not that of the notebook's runtime", p.Epoch)
	}
	r = n.ownRun(r)
	r.State, r.Epoch = RunAssigned, p.Epoch
	return changed(dst, TableRuns, r.ID), nil
}

func (n *Notebook) runStarted(p *event.RunStarted, e *event.Event, dst []Change) ([]Change, error) {
	r, err := n.heldRun(p.Run, p.Epoch, RunAssigned)
	if err != nil {
		return dst, err
	}
	r = n.ownRun(r)
	r.State, r.Started = RunStarted, e.Time
	c := n.cells[r.Cell]
	clears := c.clear
	if len(c.Outputs) > 0 {
		clears = clearRunEnd
	}
	if c.Began != r.ID || c.clear != clears { // a dropped run may have had the same id
		c = n.ownCell(c)
		c.Began, c.clear = r.ID, clears
		dst = changed(dst, TableCells, c.ID)
	}
	return changed(dst, TableRuns, r.ID), nil
}

// runFinished ends a run. A runtime may finish a run that it did not start, if that was cancelled before.
func (n *Notebook) runFinished(p *event.RunFinished, e *event.Event, dst []Change) ([]Change, error) {
	state := RunStarted
	if r := n.runs[p.Run]; r != nil && r.State == RunAssigned {
		state = RunAssigned
	}
	r, err := n.heldRun(p.Run, p.Epoch, state)
	if err != nil {
		return dst, err
	}
	r = n.ownRun(r)
	r.Count, r.Took, r.Exited = p.Count, p.Took, p.Exited
	r.MayFail = r.MayFail || p.Allowed
	return n.finishBatch(r, runEnd{p.Status, p.Cause, p.Reason}, e.Time, dst), nil
}

// sourceOffered records that a program offers a source, once a run. The room appends events of its own for the use of
// it.
func (n *Notebook) sourceOffered(p *event.SourceOffered, dst []Change) ([]Change, error) {
	r, err := n.heldRun(p.Run, p.Epoch, RunStarted)
	if err != nil {
		return dst, err
	}
	if r.Offered {
		return dst, conflict("run %s has offered a source already", p.Run)
	}
	n.ownRun(r).Offered = true
	return changed(dst, TableRuns, r.ID), nil
}

// runEnd is how and why a run ends.
type runEnd struct {
	status event.RunStatus
	cause  event.Cause
	reason string
}

// finishBatch ends a run, and stops the later runs of its batch if its program ended itself, or if it was executing and
// failed: later runs build on it.
func (n *Notebook) finishBatch(r *Run, end runEnd, at event.Time, dst []Change) []Change {
	var behind []event.RunID
	how := runEnd{event.StatusCancelled, event.CauseEarlierFailed, "an earlier run of the same request did not end well"}
	switch {
	case r.Exited:
		how = runEnd{event.StatusSkipped, event.CauseEarlierExited, n.exitedAt(r.Cell)}
		behind = n.queuedAfter(r)
	case end.status != event.StatusOK && !r.continues(end.status) && (r.State == RunStarted || end.status == event.StatusError):
		behind = n.queuedAfter(r)
	}
	dst = n.finish(r, end, at, dst)
	return n.stopBatch(behind, r.Batch, how, at, dst)
}

// continues reports whether the later runs of its batch run after a run with this status.
func (r *Run) continues(status event.RunStatus) bool {
	return r.KeepGoing || r.MayFail && status == event.StatusError
}

// queuedAfter returns the runs of the queue after r.
func (n *Notebook) queuedAfter(r *Run) []event.RunID {
	return slices.Clone(n.queue[slices.Index(n.queue, r.ID)+1:])
}

// exitedAt returns the reason for skipped runs, with the current position of the cell.
func (n *Notebook) exitedAt(cell event.CellID) string {
	if at := slices.Index(n.order, cell); at >= 0 {
		return fmt.Sprintf("the program ended at cell %d", at+1)
	}
	return "the program ended at a cell that is deleted"
}

// finish ends a run in any state.
func (n *Notebook) finish(r *Run, end runEnd, at event.Time, dst []Change) []Change {
	executed := r.State == RunStarted
	r.State, r.Finished, r.Source = RunFinished, at, ""
	r.Status, r.Cause, r.Reason = end.status, end.cause, end.reason
	r.Allow = nil
	n.dequeue(r.ID)
	dst = changed(n.dropInputs(r.ID, dst), TableRuns, r.ID)
	if n.cells[r.Cell].Run != r.ID {
		delete(n.runs, r.ID)
		wrote(n, TableRuns, r.ID)
	}
	if executed {
		dst = n.endClearing(r, dst)
	}
	if c := n.cells[r.Cell]; r.Count > 0 && r.Count != c.Count {
		n.ownCell(c).Count = r.Count
		dst = changed(dst, TableCells, c.ID)
	}
	return dst
}

// dequeue removes a run from the queue. It moves the runs before it, which are few: runs end about in their order.
func (n *Notebook) dequeue(id event.RunID) {
	i := slices.Index(n.queue, id)
	copy(n.queue[1:], n.queue[:i])
	n.queue[0] = ""
	n.queue = n.queue[1:]
}

// endClearing resolves the pending clearing of a run that executed. The outputs of an earlier run that no new output
// replaced are removed, but not when the run is lost: it might have had output. Outputs that the program wanted to
// replace stay.
func (n *Notebook) endClearing(r *Run, dst []Change) []Change {
	c := n.cells[r.Cell]
	if c.clear == clearNone {
		return dst
	}
	c = n.ownCell(c)
	if c.clear == clearRunEnd && r.Status != event.StatusLost {
		return n.clearFor(r.ID, c, dst)
	}
	c.clear = clearNone
	return changed(dst, TableCells, c.ID)
}

// dropFinished drops a finished run, because a newer one replaces it.
func (n *Notebook) dropFinished(id event.RunID, dst []Change) []Change {
	if r := n.runs[id]; r != nil && r.State == RunFinished {
		delete(n.runs, id)
		wrote(n, TableRuns, id)
		dst = changed(dst, TableRuns, id)
	}
	return dst
}

// stopBatch stops the runs of a batch that have not started, among those in behind.
func (n *Notebook) stopBatch(behind []event.RunID, batch event.ID, how runEnd, at event.Time, dst []Change) []Change {
	for _, id := range behind {
		if r := n.runs[id]; r.Batch == batch && r.State != RunStarted {
			dst = n.stopRun(n.ownRun(r), how, at, dst)
		}
	}
	return dst
}

func (n *Notebook) runCancelled(p *event.RunCancelled, e *event.Event, dst []Change) ([]Change, error) {
	r := n.runs[p.Run]
	if r == nil {
		return dst, notFound("run", p.Run)
	}
	if r.State == RunFinished {
		return dst, conflict("run %s is finished", p.Run)
	}
	return n.stopRun(n.ownRun(r), runEnd{status: event.StatusCancelled}, e.Time, dst), nil
}

func (n *Notebook) allRunsCancelled(e *event.Event, dst []Change) ([]Change, error) {
	if len(n.queue) == 0 {
		return dst, conflict("there is no run to cancel")
	}
	for _, id := range slices.Clone(n.queue) {
		dst = n.stopRun(n.ownRun(n.runs[id]), runEnd{status: event.StatusCancelled}, e.Time, dst)
	}
	return dst, nil
}

// stopRun finishes a pending run, and marks one that a runtime has as cancelled.
func (n *Notebook) stopRun(r *Run, how runEnd, at event.Time, dst []Change) []Change {
	if r.State == RunPending {
		return n.finish(r, how, at, dst)
	}
	if r.Cancelled {
		return dst
	}
	r.Cancelled = true
	return changed(dst, TableRuns, r.ID)
}
