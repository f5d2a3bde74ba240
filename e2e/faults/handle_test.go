//go:build linux

package faults_test

import (
	"strings"

	orders "github.com/quirehq/quire/core/command"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
)

// partOf is what the ids of cells begin with that were split off the common one. Nobody
// edits or deletes them but by taking the split back.
const partOf = "part-"

// splitter is who splits the common cell: two who do so at once make two copies of the
// same end, which is what they asked for.
const splitter = 0

// handle does to the common cell what a person may while others type in it. Nothing that
// they type may be lost by it. What cannot be done now is not done.
func (p *person) handle(c *client, a act) error {
	return c.With(func(r *replica.Replica) error {
		cell := r.View().Cell(common)
		if cell == nil || r.Pending() > 500 {
			return nil
		}
		order := p.order(r, a)
		done, err := c.executor.Do(order)
		if err != nil {
			return nil
		}
		for _, id := range done.IDs {
			p.book.ledger.state(id, "by a command")
		}
		p.book.noteSplit(order, done.IDs)
		return nil
	})
}

// order chooses what is done.
func (p *person) order(r *replica.Replica, a act) orders.Command {
	cells, hide := []event.CellID{common}, a.b%2 == 0
	switch choice := a.a % 9; choice {
	case 0:
		all := r.View().Cells()
		if len(all) == 0 {
			return &orders.RestoreCells{Cells: cells}
		}
		return &orders.MoveCells{Cells: cells, After: all[a.b%len(all)]}
	case 1:
		return &orders.DeleteCells{Cells: cells}
	case 2, 3:
		return &orders.RestoreCells{Cells: cells}
	case 4:
		kinds := []event.CellKind{event.KindCode, event.KindMarkdown, event.KindRaw}
		return &orders.ChangeKind{Cells: cells, CellKind: kinds[a.b%len(kinds)]}
	case 5:
		return &orders.SetVisibility{Cells: cells, Source: &hide}
	default:
		if p.number != splitter || choice > 6 {
			return &orders.Undo{}
		}
		return &orders.SplitCell{Cell: common, At: []int{a.b % (r.View().Cell(common).Text().Len() + 1)}}
	}
}

// noteSplit remembers the events of a split, or of what may take one back.
func (b *book) noteSplit(order orders.Command, ids []event.ID) {
	switch order.(type) {
	case *orders.SplitCell, *orders.Undo:
		b.mu.Lock()
		defer b.mu.Unlock()
		b.splits = append(b.splits, ids)
	}
}

// isTorn reports whether a client was killed with half of a split stored: its text is in
// two cells then, or in none.
func (b *book) isTorn(r *reader) bool {
	for _, ids := range b.splits {
		for _, id := range ids {
			if r.at[id] == 0 && b.ledger.isKilled(id.Client) {
				return true
			}
		}
	}
	return false
}

// commonText returns what the common cell has, also when it was deleted, and what was split off it.
func (b *book) commonText(r *reader) string {
	var all strings.Builder
	all.WriteString(r.book.Cell(common).Source())
	for _, id := range r.book.Cells() {
		if strings.HasPrefix(string(id), partOf) {
			all.WriteString(r.book.Cell(id).Source())
		}
	}
	return all.String()
}
