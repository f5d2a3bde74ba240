package command

import (
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

func (c *RunCells) plan(p *plan) (Result, error) {
	cells, err := p.toRun(c)
	if err != nil {
		return Result{}, err
	}
	var result Result
	for batch := range slices.Chunk(cells, event.MaxBatch) {
		request := &event.RunRequested{KeepGoing: c.KeepGoing}
		for _, cell := range batch {
			id := event.RunID(p.newID())
			request.Runs = append(request.Runs, event.RunOf{Run: id, Cell: cell, MayFail: p.notebook.Cell(cell).MayFail()})
			result.Runs = append(result.Runs, id)
		}
		if err := p.do(request); err != nil {
			return Result{}, err
		}
	}
	return result, nil
}

// toRun returns the cells of a command that can run and have no unfinished run.
func (p *plan) toRun(of *RunCells) ([]event.CellID, error) {
	cells := slices.Clone(p.notebook.Cells())
	chosen := len(of.Cells) > 0 && !of.Range
	if len(of.Cells) > 0 {
		var err error
		if cells, err = p.cellsOf(of.Cells); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(cells, func(id event.CellID) bool {
		c := p.notebook.Cell(id)
		if c.Deleted || !runs(c.Kind) || p.unfinished(c) {
			return true
		}
		return !chosen && (c.IsSkipped() || c.Kind == event.KindAI && !p.assisted())
	}), nil
}

// runs reports whether cells of a kind can run.
func runs(k event.CellKind) bool {
	return k == event.KindCode || k == event.KindSQL || k == event.KindAI
}

// unfinished reports whether a cell has a run that is not finished.
func (p *plan) unfinished(c *notebook.Cell) bool {
	r := p.notebook.Run(c.Run)
	return r != nil && r.State != notebook.RunFinished
}

// assisted reports whether an assistant can take runs of AI cells: without one they would wait for ever, unless they
// are requested by name.
func (p *plan) assisted() bool {
	rt := p.notebook.Runtime(event.TakesAI)
	return rt != nil && rt.State != notebook.RuntimeStopped
}

func (c *CancelRuns) plan(p *plan) (Result, error) {
	if len(c.Cells) == 0 {
		if len(p.uncancelled(nil)) == 0 {
			return Result{}, nil
		}
		return Result{}, p.do(&event.AllRunsCancelled{})
	}
	cells, err := p.cellsOf(c.Cells)
	if err != nil {
		return Result{}, err
	}
	of := make(map[event.CellID]bool, len(cells))
	for _, id := range cells {
		of[id] = true
	}
	for _, id := range p.uncancelled(of) {
		if err := p.do(&event.RunCancelled{Run: id}); err != nil {
			return Result{}, err
		}
	}
	return Result{}, nil
}

// uncancelled returns the runs of some cells, or with nil of all, that are neither finished nor cancelled.
func (p *plan) uncancelled(of map[event.CellID]bool) []event.RunID {
	var left []event.RunID
	for _, id := range p.notebook.Queue() {
		r := p.notebook.Run(id)
		if !r.Cancelled && (of == nil || of[r.Cell]) {
			left = append(left, id)
		}
	}
	return left
}

func (c *AnswerInput) plan(p *plan) (Result, error) {
	return Result{}, p.do(&event.InputAnswered{Input: c.Input, Value: c.Value})
}

func (c *AnswerApproval) plan(p *plan) (Result, error) {
	return Result{}, p.do(&event.ApprovalAnswered{Approval: c.Approval, Answer: c.Answer, Reason: c.Reason})
}

func (c *ClearOutputs) plan(p *plan) (Result, error) {
	cells := p.notebook.Cells()
	if len(c.Cells) > 0 {
		var err error
		if cells, err = p.cellsOf(c.Cells); err != nil {
			return Result{}, err
		}
	}
	for _, id := range cells {
		if !p.hasRun(p.notebook.Cell(id)) {
			continue
		}
		// One event a cell, because each is undone by itself.
		if err := p.do(&event.CellOutputsCleared{Cells: []event.CellID{id}, Reset: true}); err != nil {
			return Result{}, err
		}
	}
	return Result{Cells: p.cleared()}, nil
}

// hasRun reports whether a cell has something to clear: outputs, a count, or a finished run.
func (p *plan) hasRun(c *notebook.Cell) bool {
	if c.Deleted {
		return false
	}
	r := p.notebook.Run(c.Run)
	return len(c.Outputs) > 0 || c.Count > 0 || r != nil && r.State == notebook.RunFinished
}

// cleared returns the cells whose outputs the plan removes.
func (p *plan) cleared() []event.CellID {
	var cells []event.CellID
	for _, a := range p.acts {
		if e, ok := a.payload.(*event.CellOutputsCleared); ok {
			cells = append(cells, e.Cells...)
		}
	}
	return cells
}
