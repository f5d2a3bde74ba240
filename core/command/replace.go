package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

func (c *ReplaceText) plan(p *plan) (Result, error) {
	if len(c.Pieces) == 0 {
		return Result{}, errors.New("no piece of text is named")
	}
	var result Result
	seen := map[event.CellID]bool{}
	for rest := c.Pieces; len(rest) > 0; {
		id, n := rest[0].Cell, sameCell(rest)
		if seen[id] {
			return Result{}, fmt.Errorf("the pieces of cell %s are not together", id)
		}
		seen[id] = true
		skipped, err := p.replace(id, rest[:n])
		if err != nil {
			return Result{}, err
		}
		if skipped < n {
			result.Cells = append(result.Cells, id)
		}
		result.Skipped += skipped
		rest = rest[n:]
	}
	result.Cells = p.sorted(result.Cells)
	return result, nil
}

// sameCell returns how many of the first pieces are of one cell.
func sameCell(pieces []Piece) int {
	n := 1
	for n < len(pieces) && pieces[n].Cell == pieces[0].Cell {
		n++
	}
	return n
}

// replace plans one edit of a cell's source for all its pieces, and returns the number of skipped ones.
func (p *plan) replace(id event.CellID, pieces []Piece) (skipped int, err error) {
	cell := p.notebook.Cell(id)
	if cell == nil {
		return 0, noCell(id)
	}
	if cell.Deleted {
		return len(pieces), nil
	}
	edit, skipped, err := replacing(cell.Source(), pieces)
	if err != nil {
		return 0, fmt.Errorf("cell %s: %w", id, err)
	}
	return skipped, p.edit(id, edit)
}

// replacing returns the edit that replaces those pieces that a source has, and the number of others. It is built as
// JSON, in linear time: composing thousands of edits is not linear.
func replacing(source string, pieces []Piece) (edit text.Edit, skipped int, err error) {
	var parts []any
	rest, at, kept := source, 0, 0 // rest begins at unit at; the parts reach to unit kept
	for _, piece := range pieces {
		if piece.Was == "" || piece.At < at {
			return edit, 0, fmt.Errorf("the piece at unit %d is empty, or does not follow the one before", piece.At)
		}
		n, ok := text.UTF16Offset(rest, piece.At-at)
		if !ok || !strings.HasPrefix(rest[n:], piece.Was) {
			skipped++
			continue
		}
		units := text.NewText(piece.Was).Len()
		if piece.At > kept {
			parts = append(parts, piece.At-kept)
		}
		if piece.Text != "" {
			parts = append(parts, piece.Text)
		}
		parts = append(parts, -units)
		rest, at = rest[n+len(piece.Was):], piece.At+units
		kept = at
	}
	data, err := json.Marshal(parts)
	if err != nil || len(parts) == 0 {
		return edit, skipped, err
	}
	edit, err = text.Parse(data)
	return edit, skipped, err
}

func (c *Attach) plan(p *plan) (Result, error) {
	if _, err := p.live([]event.CellID{c.Cell}); err != nil {
		return Result{}, err
	}
	if c.Text == "" {
		return Result{}, errors.New("there is no text that refers to it")
	}
	set := SetMetadata{Cell: c.Cell, Key: c.Key, Value: c.Value}
	if _, err := set.plan(p); err != nil {
		return Result{}, err
	}
	at := max(0, min(c.At, p.notebook.Cell(c.Cell).Text().Len()))
	return Result{Cells: []event.CellID{c.Cell}}, p.edit(c.Cell, text.Insert(at, c.Text))
}
