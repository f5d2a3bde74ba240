package notebook

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

// errTwice refuses a duplicate row of a snapshot.
var errTwice = errors.New("it is there twice")

// Restore returns the notebook of a snapshot that was made by the same [Version]. Inconsistent rows, which no fold
// produces, are an error: an event could not be folded into them.
func Restore(data []byte) (*Notebook, error) {
	s, err := decodeSnapshot(data)
	if err != nil {
		return nil, fmt.Errorf("restore snapshot: %w", err)
	}
	n := New()
	n.seq, n.title, n.epoch = s.Seq, s.Title, s.Epoch
	maps.Copy(n.metadata, s.Metadata)
	maps.Copy(n.files, s.Files)
	n.clients.restore(s.Clients, s.Owners)
	for _, restore := range []func(*snapshot) error{
		n.restoreCells, n.restoreRuntimes, n.restoreRuns, n.checkCells, n.restoreInputs, n.restoreApprovals, n.restoreComms,
	} {
		if err := restore(&s); err != nil {
			return nil, fmt.Errorf("restore snapshot: %w", err)
		}
	}
	return n, nil
}

func (n *Notebook) restoreCells(s *snapshot) error {
	outputs := 0
	for i := range s.Cells {
		outputs += len(s.Cells[i].Outputs)
	}
	n.cells = make(map[event.CellID]*Cell, len(s.Cells))
	n.outputs = make(map[event.OutputID]*Output, outputs)
	n.order = make([]event.CellID, 0, len(s.Cells))
	for i := range s.Cells {
		if err := n.restoreCell(&s.Cells[i]); err != nil {
			return fmt.Errorf("cell %s: %w", s.Cells[i].ID, err)
		}
	}
	slices.SortFunc(n.order, func(a, b event.CellID) int { return compare(n.cells[a], n.cells[b]) })
	return nil
}

func (n *Notebook) restoreCell(s *snapCell) error {
	if n.cells[s.ID] != nil {
		return errTwice
	}
	if s.Clear > clearRunEnd || s.Clear != clearNone && len(s.Outputs) == 0 {
		return fmt.Errorf("clear is %d with %d outputs", s.Clear, len(s.Outputs))
	}
	c := &Cell{
		ID: s.ID, Kind: s.Kind, Language: s.Language, Order: s.Order, Author: s.Author,
		Deleted: s.Deleted, source: text.NewText(s.Source), Rev: s.Rev,
		HideSource: s.HideSource, HideOutputs: s.HideOutputs, HideContext: s.HideContext,
		Metadata: s.Metadata, Run: s.Run, Began: s.Began, Count: s.Count, clear: s.Clear, token: n.token,
	}
	n.cells[c.ID] = c
	if !c.Deleted {
		n.order = append(n.order, c.ID)
	}
	c.Outputs = slices.Grow(c.Outputs, len(s.Outputs))
	for i := range s.Outputs {
		o := &s.Outputs[i]
		if n.outputs[o.ID] != nil {
			return fmt.Errorf("output %s: %w", o.ID, errTwice)
		}
		n.putOutput(o.ID, o.Run, c, &o.Value)
		n.outputs[o.ID].Late, n.outputs[o.ID].After = o.Late, o.After
	}
	return nil
}

func (n *Notebook) restoreRuntimes(s *snapshot) error {
	for i := range s.Runtimes {
		rt := &s.Runtimes[i]
		switch {
		case n.runtimes[rt.Takes] != nil || n.RuntimeByID(rt.ID) != nil && rt.State != RuntimeStopped:
			return fmt.Errorf("runtime %s: %w", rt.ID, errTwice)
		case rt.State != RuntimeStarting && rt.State != RuntimeReady && rt.State != RuntimeStopped:
			return fmt.Errorf("runtime %s is %q", rt.ID, rt.State)
		case rt.Epoch == 0 || rt.Epoch > s.Epoch:
			return fmt.Errorf("runtime %s has epoch %d of %d", rt.ID, rt.Epoch, s.Epoch)
		}
		n.runtimes[rt.Takes] = rt
	}
	return nil
}

func (n *Notebook) restoreRuns(s *snapshot) error {
	n.runs = make(map[event.RunID]*Run, len(s.Runs))
	for i := range s.Runs {
		r := &s.Runs[i]
		if n.runs[r.ID] != nil {
			return fmt.Errorf("run %s: %w", r.ID, errTwice)
		}
		if err := n.checkRun(r); err != nil {
			return fmt.Errorf("run %s: %w", r.ID, err)
		}
		n.restoreRun(r)
	}
	return nil
}

func (n *Notebook) restoreRun(s *snapRun) {
	n.runs[s.ID] = &Run{
		ID: s.ID, Cell: s.Cell, Batch: s.Batch, KeepGoing: s.KeepGoing, MayFail: s.MayFail, Allow: s.Allow, Actor: s.Actor,
		Source: s.Source, Rev: s.Rev, Language: s.Language, Takes: s.Takes, State: s.State, Epoch: s.Epoch,
		Cancelled: s.Cancelled, Status: s.Status, Exited: s.Exited, Offered: s.Offered, Reason: s.Reason, Cause: s.Cause, Count: s.Count, Took: s.Took,
		Requested: s.Requested, Started: s.Started, Finished: s.Finished, token: n.token,
	}
	if s.State != RunFinished {
		n.queue = append(n.queue, s.ID)
	}
}

// checkRun reports a run that does not fit its cell or its runtime.
func (n *Notebook) checkRun(r *snapRun) error {
	c := n.cells[r.Cell]
	if c == nil {
		return fmt.Errorf("its cell %s is missing", r.Cell)
	}
	if r.Batch == (event.ID{}) {
		return errors.New("its batch is missing")
	}
	switch r.State {
	case RunPending:
	case RunAssigned, RunStarted:
		if rt := n.runtimes[r.Takes]; rt == nil || rt.State == RuntimeStopped || rt.Epoch != r.Epoch {
			return fmt.Errorf("its runtime of epoch %d is missing", r.Epoch)
		}
	case RunFinished:
		if c.Run != r.ID {
			return fmt.Errorf("it is finished and not the latest of cell %s", r.Cell)
		}
	default:
		return fmt.Errorf("its state is %q", r.State)
	}
	return nil
}

// checkCells reports a cell whose latest run is missing or of another cell.
func (n *Notebook) checkCells(s *snapshot) error {
	for i := range s.Cells {
		c := &s.Cells[i]
		if c.Run == "" {
			continue
		}
		if r := n.runs[c.Run]; r == nil || r.Cell != c.ID {
			return fmt.Errorf("cell %s: its run %s is missing", c.ID, c.Run)
		}
	}
	return nil
}

func (n *Notebook) restoreInputs(s *snapshot) error {
	for i := range s.Inputs {
		in := &s.Inputs[i]
		if n.inputs[in.ID] != nil {
			return fmt.Errorf("input %s: %w", in.ID, errTwice)
		}
		if r := n.runs[in.Run]; r == nil || r.State != RunStarted {
			return fmt.Errorf("input %s: its run %s is not executing", in.ID, in.Run)
		}
		n.inputs[in.ID] = in
	}
	return nil
}

func (n *Notebook) restoreApprovals(s *snapshot) error {
	for i := range s.Approvals {
		a := &s.Approvals[i]
		if n.approvals[a.ID] != nil {
			return fmt.Errorf("approval %s: %w", a.ID, errTwice)
		}
		n.approvals[a.ID] = a
	}
	return nil
}

func (n *Notebook) restoreComms(s *snapshot) error {
	for i := range s.Comms {
		c := &s.Comms[i]
		switch {
		case n.comms.rows[c.ID] != nil:
			return fmt.Errorf("comm %s: %w", c.ID, errTwice)
		case !c.Dead && !n.isLive(c.Epoch):
			return fmt.Errorf("comm %s: its runtime of epoch %d is missing", c.ID, c.Epoch)
		case c.Dead:
			c.names = references(c.State)
			n.comms.dead++
		}
		c.size = c.measure()
		n.comms.bytes += c.size
		n.comms.rows[c.ID] = c
	}
	if shown := n.shownComms(); len(shown) < n.comms.dead {
		return fmt.Errorf("%d of the comms that are dead are shown nowhere", n.comms.dead-len(shown))
	}
	return nil
}
