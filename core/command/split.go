package command

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/text"
)

func (c *SplitCell) plan(p *plan) (Result, error) {
	if _, err := p.live([]event.CellID{c.Cell}); err != nil {
		return Result{}, err
	}
	whole := p.notebook.Cell(c.Cell)
	parts, err := cut(whole.Source(), c.At)
	if err != nil {
		return Result{}, fmt.Errorf("cell %s: %w", c.Cell, err)
	}
	result := Result{Cells: []event.CellID{c.Cell}}
	for i, part := range parts[1:] {
		id, err := p.part(p.notebook.Index(whole)+1+i, whole, part)
		if err != nil {
			return Result{}, err
		}
		result.Cells = append(result.Cells, id)
	}
	// The text leaves its cell after the parts have it: every state of the log has it somewhere.
	keep, total := text.NewText(parts[0]).Len(), whole.Text().Len()
	return result, p.edit(c.Cell, text.Delete(keep, total-keep))
}

// cut cuts a text at positions in UTF-16 code units. Line ends at the positions are dropped.
func cut(s string, at []int) ([]string, error) {
	if len(at) == 0 {
		return nil, errors.New("no place is named at which to split it")
	}
	var parts []string
	unit := 0
	for _, place := range slices.Compact(slices.Sorted(slices.Values(at))) {
		n, ok := text.UTF16Offset(s, place-unit)
		if !ok {
			return nil, fmt.Errorf("unit %d of its source is not between two characters", place)
		}
		parts = append(parts, strings.TrimRight(s[:n], "\n"))
		s, unit = s[n:], place
	}
	parts = append(parts, s)
	for i := range parts[1:] {
		parts[i+1] = strings.TrimLeft(parts[i+1], "\n")
	}
	return parts, nil
}

// part plans a cell before an index that differs from another only in its source.
func (p *plan) part(i int, like *notebook.Cell, source string) (event.CellID, error) {
	id, err := p.paste(i, Copied{
		CellKind: like.Kind, Language: like.Language, Source: source, Metadata: maps.Clone(like.Metadata),
	})
	if err != nil || !like.HideSource && !like.HideOutputs && !like.HideContext {
		return id, err
	}
	return id, p.do(&event.CellVisibilitySet{
		Cell: id, Source: new(!like.HideSource), Outputs: new(!like.HideOutputs), Context: new(!like.HideContext),
	})
}

func (c *MergeCells) plan(p *plan) (Result, error) {
	cells, err := p.live(c.Cells)
	if err != nil {
		return Result{}, err
	}
	if len(cells) < 2 {
		return Result{}, errors.New("one cell alone cannot be merged: select two or more")
	}
	first, others := cells[0], cells[1:]
	if err := p.edit(first, p.joining(first, others)); err != nil {
		return Result{}, err
	}
	if err := p.takeOutputs(first, others[len(others)-1]); err != nil {
		return Result{}, err
	}
	return Result{Cells: cells[:1]}, p.delete(others)
}

// joining returns the edit that appends the sources of others to that of a cell. It only inserts, so carets in the cell
// keep their position.
func (p *plan) joining(first event.CellID, others []event.CellID) text.Edit {
	c := p.notebook.Cell(first)
	var tail strings.Builder
	empty := c.Text().Len() == 0
	for _, id := range others {
		source := p.notebook.Cell(id).Source()
		if source != "" && !empty {
			tail.WriteString("\n\n")
		}
		tail.WriteString(source)
		empty = empty && source == ""
	}
	return text.Insert(c.Text().Len(), tail.String())
}

// takeOutputs plans to replace a cell's outputs with copies of another's.
func (p *plan) takeOutputs(to, from event.CellID) error {
	a, b := p.notebook.Cell(to), p.notebook.Cell(from)
	if len(a.Outputs) == 0 && len(b.Outputs) == 0 && a.Count == b.Count {
		return nil
	}
	return p.do(&event.OutputsImported{Cell: to, Outputs: outputsOf(p.notebook, b), Count: b.Count})
}

// outputsOf returns the outputs of a cell.
func outputsOf(n *notebook.Notebook, c *notebook.Cell) []event.Output {
	var outputs []event.Output
	for _, id := range c.Outputs {
		outputs = append(outputs, n.Output(id).Value())
	}
	return outputs
}
