package command

import (
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

func (c *RunCells) plan(p *plan) (Result, error) {
	cells, err := p.toRun(c.Cells)
	if err != nil {
		return Result{}, err
	}
	var result Result
	for batch := range slices.Chunk(cells, event.MaxBatch) {
		request := &event.RunRequested{KeepGoing: c.KeepGoing}
		for _, cell := range batch {
			id := event.RunID(p.newID())
			request.Runs = append(request.Runs, event.RunOf{Run: id, Cell: cell})
			result.Runs = append(result.Runs, id)
		}
		if err := p.do(request); err != nil {
			return Result{}, err
		}
	}
	return result, nil
}

// toRun returns the cells of a command that can be run and have no run that is not
// finished.
func (p *plan) toRun(named []event.CellID) ([]event.CellID, error) {
	all := len(named) == 0
	cells := slices.Clone(p.book.Cells())
	if !all {
		var err error
		if cells, err = p.named(named); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(cells, func(id event.CellID) bool {
		c := p.book.Cell(id)
		if c.Deleted || !runs(c.Kind) || p.unfinished(c) {
			return true
		}
		return all && c.Kind == event.KindAI && !p.assisted()
	}), nil
}

// runs reports whether cells of a kind can be run.
func runs(k event.CellKind) bool {
	return k == event.KindCode || k == event.KindSQL || k == event.KindAI
}

// unfinished reports whether a cell has a run that is not finished.
func (p *plan) unfinished(c *notebook.Cell) bool {
	r := p.book.Run(c.Run)
	return r != nil && r.State != notebook.RunFinished
}

// assisted reports whether an assistant is there to take runs of AI cells: without
// one they would wait for ever, when nobody asked for them by name.
func (p *plan) assisted() bool {
	rt := p.book.Runtime(event.TakesAI)
	return rt != nil && rt.State != notebook.RuntimeStopped
}

func (c *CancelRuns) plan(p *plan) (Result, error) {
	if len(c.Cells) == 0 {
		if len(p.uncancelled(nil)) == 0 {
			return Result{}, nil
		}
		return Result{}, p.do(&event.AllRunsCancelled{})
	}
	cells, err := p.named(c.Cells)
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

// uncancelled returns the runs of some cells, or with nil of all, that are neither
// finished nor cancelled.
func (p *plan) uncancelled(of map[event.CellID]bool) []event.RunID {
	var left []event.RunID
	for _, id := range p.book.Queue() {
		r := p.book.Run(id)
		if !r.Cancelled && (of == nil || of[r.Cell]) {
			left = append(left, id)
		}
	}
	return left
}

func (c *AnswerInput) plan(p *plan) (Result, error) {
	return Result{}, p.do(&event.InputAnswered{Input: c.Input, Value: c.Value})
}

func (c *ClearOutputs) plan(p *plan) (Result, error) {
	cells := p.book.Cells()
	if len(c.Cells) > 0 {
		var err error
		if cells, err = p.named(c.Cells); err != nil {
			return Result{}, err
		}
	}
	var full []event.CellID
	for _, id := range cells {
		if cell := p.book.Cell(id); !cell.Deleted && len(cell.Outputs) > 0 {
			full = append(full, id)
		}
	}
	if len(full) == 0 {
		return Result{}, nil
	}
	if len(c.Cells) == 0 {
		full = nil // all that there are when it is done
	}
	return Result{}, p.do(&event.CellOutputsCleared{Cells: full})
}
