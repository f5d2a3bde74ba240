package notebook

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/quirehq/quire/core/event"
)

// RuntimeState is the progress of a runtime.
type RuntimeState string

// The states of a runtime.
const (
	RuntimeStarting RuntimeState = "starting"
	RuntimeReady    RuntimeState = "ready"
	RuntimeStopped  RuntimeState = "stopped"
)

// Runtime is a runtime that takes the notebook's runs. A notebook keeps the latest of each kind, also when it has
// stopped.
type Runtime struct {
	ID        event.RuntimeID  `json:"id"`
	Epoch     event.Epoch      `json:"epoch"`
	Name      string           `json:"name,omitempty"`
	Takes     event.Takes      `json:"takes"`
	Languages []string         `json:"languages,omitempty"`
	Actor     event.Actor      `json:"actor,omitempty"`
	Brought   event.Actor      `json:"brought,omitempty"` // who connected it, empty if the server did
	State     RuntimeState     `json:"state"`
	Reason    event.StopReason `json:"reason,omitempty"` // why it stopped
	Detail    string           `json:"detail,omitempty"`
	Cause     event.Cause      `json:"cause,omitempty"` // the same as Reason, or more exact
	Started   event.Time       `json:"started,omitempty"`
	Stopped   event.Time       `json:"stopped,omitempty"`
}

// Runtime returns the latest runtime that takes runs of a kind, or nil.
func (n *Notebook) Runtime(t event.Takes) *Runtime { return n.runtimes[t] }

// RuntimeByID returns the runtime with an id if it is the latest of its kind and
// has not stopped, else nil.
func (n *Notebook) RuntimeByID(id event.RuntimeID) *Runtime {
	for _, rt := range n.runtimes {
		if rt.ID == id && rt.State != RuntimeStopped {
			return rt
		}
	}
	return nil
}

// foldRuntimes folds an event of the family of runtimes.
func (n *Notebook) foldRuntimes(e *event.Event, dst []Change) (d []Change, known bool, err error) {
	switch p := e.Payload.(type) {
	case *event.RuntimeStarted:
		dst, err = n.runtimeStarted(p, e, dst)
	case *event.RuntimeReady:
		dst, err = n.runtimeReady(p, dst)
	case *event.RuntimeStopped:
		dst, err = n.runtimeStopped(p, e, dst)
	default:
		return dst, false, nil
	}
	return dst, true, err
}

func (n *Notebook) runtimeStarted(p *event.RuntimeStarted, e *event.Event, dst []Change) ([]Change, error) {
	old := n.runtimes[p.Takes]
	if n.RuntimeByID(p.Runtime) != nil {
		return dst, conflict("runtime %s has started already", p.Runtime)
	}
	n.epoch++
	if old != nil {
		dst = n.loseRuns(old.Epoch, lost(event.CauseDisplaced, "another runtime took its place"), e.Time, dst)
		dst = changed(dst, TableRuntimes, old.ID)
	}
	n.runtimes[p.Takes] = &Runtime{
		ID: p.Runtime, Epoch: n.epoch, Name: p.Name, Takes: p.Takes, Languages: p.Languages,
		Actor: e.Actor, Brought: p.Brought, State: RuntimeStarting, Started: e.Time,
	}
	return changed(dst, TableRuntimes, p.Runtime), nil
}

// liveRuntime replaces the row of a runtime that has not stopped by a copy, and returns that.
func (n *Notebook) liveRuntime(id event.RuntimeID, epoch event.Epoch) (*Runtime, error) {
	rt := n.RuntimeByID(id)
	if rt == nil {
		return nil, notFound("running runtime", id)
	}
	if rt.Epoch != epoch {
		return nil, conflict("runtime %s has epoch %d, not %d", id, rt.Epoch, epoch)
	}
	own := *rt
	n.runtimes[rt.Takes] = &own
	return &own, nil
}

func (n *Notebook) runtimeReady(p *event.RuntimeReady, dst []Change) ([]Change, error) {
	rt, err := n.liveRuntime(p.Runtime, p.Epoch)
	if err != nil {
		return dst, err
	}
	rt.State = RuntimeReady
	return changed(dst, TableRuntimes, rt.ID), nil
}

func (n *Notebook) runtimeStopped(p *event.RuntimeStopped, e *event.Event, dst []Change) ([]Change, error) {
	rt, err := n.liveRuntime(p.Runtime, p.Epoch)
	if err != nil {
		return dst, err
	}
	rt.State, rt.Reason, rt.Detail, rt.Stopped = RuntimeStopped, p.Reason, p.Detail, e.Time
	rt.Cause = cmp.Or(p.Cause, event.Cause(p.Reason))
	end := lost(rt.Cause, cmp.Or(p.Detail, fmt.Sprintf("the runtime stopped (%s)", p.Reason)))
	dst = n.loseRuns(rt.Epoch, end, e.Time, dst)
	if p.Reason == event.StopFailed {
		dst = n.losePending(rt.Takes, end, e.Time, dst)
	}
	return changed(dst, TableRuntimes, rt.ID), nil
}

// lost returns the end of runs that are lost with their runtime.
func lost(cause event.Cause, reason string) runEnd { return runEnd{event.StatusLost, cause, reason} }

// loseRuns finishes as lost every run of the runtime of an epoch, and marks its comms as dead.
func (n *Notebook) loseRuns(epoch event.Epoch, end runEnd, at event.Time, dst []Change) []Change {
	for _, id := range slices.Clone(n.queue) {
		if r := n.runs[id]; r != nil && r.State != RunPending && r.State != RunFinished && r.Epoch == epoch {
			dst = n.finishBatch(n.ownRun(r), end, at, dst)
		}
	}
	return n.endComms(epoch, dst)
}

// losePending finishes as lost every run that waits for a runtime that cannot start: the next one would fail too, and
// users must see the reason.
func (n *Notebook) losePending(t event.Takes, end runEnd, at event.Time, dst []Change) []Change {
	for _, id := range slices.Clone(n.queue) {
		if r := n.runs[id]; r.State == RunPending && r.Takes == t {
			dst = n.finish(n.ownRun(r), end, at, dst)
		}
	}
	return dst
}
