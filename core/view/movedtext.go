package view

import (
	"slices"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/order"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
)

// moveTracker has the last consecutive events of one client that can move text between cells: a split creates the cells
// before an edit deletes the text from theirs, and a merge inserts the text before it deletes the cells. So the last
// event of a move and the events before it identify it.
type moveTracker struct {
	client event.ClientID
	n      uint64
	came   []newCell
	joined Joined // the last insertion, empty if none
	end    bool   // it was inserted at the end of a text
	text   string // the part of joined that no deleted cell has accounted for
	from   int    // where text begins in joined, in UTF-16 code units
	first  bool   // no piece of joined was reported yet
}

// newCell is a cell that was created or restored, with its source.
type newCell struct {
	cell   event.CellID
	order  order.Key
	source string
}

// advance advances to an event. An event that is not consecutive starts over.
func (a *moveTracker) advance(id event.ID) {
	if a.client != id.Client || a.n+1 != id.N {
		*a = moveTracker{client: id.Client}
	}
	a.n = id.N
}

// cellAdded records a created or restored cell.
func (a *moveTracker) cellAdded(cell event.CellID, key order.Key, source string) {
	a.joined, a.text = Joined{}, ""
	a.came = append(a.came, newCell{cell, key, source})
}

// edited records an edit, which may have inserted at the end of its text.
func (a *moveTracker) edited(cell event.CellID, e text.Edit, end bool) {
	*a = moveTracker{client: a.client, n: a.n}
	if at, s, ok := e.Insertion(); ok {
		a.joined, a.text, a.end, a.first = Joined{Cell: cell, At: at, Length: text.UTF16Len(s)}, s, end, true
	}
}

// rebase transforms the insertion over an edit of another.
func (a *moveTracker) rebase(cell event.CellID, e text.Edit) {
	if a.joined.Cell != cell || a.joined.Length == 0 {
		return
	}
	start, end := e.Position(a.joined.At, text.After), e.Position(a.joined.At+a.joined.Length, text.Before)
	if a.joined.At = start; end-start != a.joined.Length {
		a.joined, a.text = Joined{}, ""
	}
}

// destinations returns the destinations of a text that an edit deletes from a cell: the cells created right before,
// with line ends between them. It returns nil for other edits.
func (a *moveTracker) destinations(e text.Edit, source *text.Text) []MovedPart {
	if len(a.came) == 0 {
		return nil
	}
	inverse, err := e.Invert(source)
	if err != nil {
		return nil
	}
	gone := inverse.Inserted()
	if gone == "" {
		return nil
	}
	for i := len(a.came) - 1; i >= 0; i-- {
		cells := slices.Clone(a.came[i:])
		slices.SortFunc(cells, func(a, b newCell) int {
			return order.Compare(order.Place{Key: a.order, ID: string(a.cell)}, order.Place{Key: b.order, ID: string(b.cell)})
		})
		if parts := matchParts(gone, cells); parts != nil {
			return parts
		}
	}
	return nil
}

// matchParts returns the pieces of a text that cells have. It returns nil unless the cells have all of it except line
// ends, and each at least half of its source from it.
func matchParts(gone string, cells []newCell) []MovedPart {
	var parts []MovedPart
	for _, c := range cells {
		rest := strings.TrimLeft(gone, "\n")
		part := MovedPart{Skip: len(gone) - len(rest), Cell: c.cell}
		has := prefixWithin(rest, c.source)
		if 2*len(has) < len(c.source) {
			return nil
		}
		part.Length = text.UTF16Len(has)
		if has != c.source {
			part.Edit = new(text.Diff(c.source, has))
		}
		parts, gone = append(parts, part), rest[len(has):]
	}
	if gone != "" {
		return nil
	}
	return parts
}

// prefixWithin returns the longest prefix of a text whose characters are all in another, in order.
func prefixWithin(s, in string) string {
	if strings.HasPrefix(s, in) {
		return in
	}
	n := 0
	for _, r := range s {
		i := strings.IndexRune(in, r)
		if i < 0 {
			break
		}
		size := len(string(r))
		n, in = n+size, in[i+size:]
	}
	return s[:n]
}

// joinedPart returns the position of a deleted cell's text within the last insertion. The cell's text in the view may be
// ahead of the one that its author had.
func (a *moveTracker) joinedPart(shown, confirmed string, ahead text.Edit) (MovedPart, bool) {
	for _, s := range []string{confirmed, shown} {
		rest := strings.TrimLeft(a.text, "\n")
		if s == "" || !strings.HasPrefix(rest, s) || len(rest) > len(s) && rest[len(s)] != '\n' {
			continue
		}
		return a.removePart(s, shown, ahead), true
	}
	rest := strings.TrimLeft(a.text, "\n")
	if rest == "" || prefixWithin(shown, rest) != shown && prefixWithin(rest, shown) != rest {
		return MovedPart{}, false
	}
	return a.removePart(rest, shown, text.Edit{}), true
}

// removePart removes a piece from the insertion.
func (a *moveTracker) removePart(s, shown string, ahead text.Edit) MovedPart {
	skip := len(a.text) - len(strings.TrimLeft(a.text, "\n"))
	part := MovedPart{Length: text.UTF16Len(shown), Cell: a.joined.Cell, At: a.joined.At + a.from + skip}
	if s != shown {
		part.Edit = &ahead
		if whole := text.NewText(s); whole.Apply(ahead) != nil || whole.String() != shown {
			part.Edit = new(text.Diff(s, shown))
		}
	}
	a.from += skip + text.UTF16Len(s)
	a.text = a.text[skip+len(s):]
	return part
}

// step processes an event of the log, or one made at a page, with its edit as it fits the view.
func (b *Pages) step(r *replica.Replica, p event.Payload, edit text.Edit, later []event.Event, d LocalChange) {
	a := &b.moves
	switch p := p.(type) {
	case *event.CellCreated:
		if len(b.pages) > 0 {
			b.texts.created(p)
		}
		a.cellAdded(p.Cell, p.Order, p.Source)
	case *event.CellRestored:
		if has, c := b.texts[p.Cell], r.View().Cell(p.Cell); has != nil && c != nil {
			a.cellAdded(p.Cell, c.Order, has.text.String())
		}
	case *event.SourceEdited:
		end := b.atEnd(r, p, later, d)
		b.reportTaken(p.Cell, edit, d.At)
		b.update(b.texts.edited(p.Cell, edit, d.By))
		a.edited(p.Cell, edit, end)
	case *event.CellDeleted:
		b.reportDeleted(r, p.Cell, d.At)
	case *event.CellMetadataSet, *event.CellVisibilitySet, *event.OutputsImported:
	default:
		*a = moveTracker{client: a.client, n: a.n}
	}
}

// atEnd reports whether an edit inserts at the end of the text. The confirmed text includes the edit already unless it
// was made here; text behind it in the view is later.
func (b *Pages) atEnd(r *replica.Replica, p *event.SourceEdited, later []event.Event, d LocalChange) bool {
	at, _, ok := p.Edit.Insertion()
	if has := b.texts[p.Cell]; d.Made != nil {
		return ok && has != nil && at == has.text.Len()
	}
	c := r.Confirmed().Cell(p.Cell)
	if c == nil || !ok {
		return false
	}
	length := c.Text().Len() - p.Edit.Delta()
	for i := range later {
		if e, ok := later[i].Payload.(*event.SourceEdited); ok && e.Cell == p.Cell {
			length -= e.Edit.Delta()
		}
	}
	return at == length
}

// reportTaken reports the destinations of a text that an edit is about to delete.
func (b *Pages) reportTaken(cell event.CellID, edit text.Edit, at *Page) {
	if has := b.texts[cell]; has != nil {
		b.addMove(Moved{Cell: cell, Parts: b.moves.destinations(edit, has.text)}, at)
	}
}

// reportDeleted reports the new position of the text of a deleted cell.
func (b *Pages) reportDeleted(r *replica.Replica, cell event.CellID, at *Page) {
	has, c, a := b.texts[cell], r.Confirmed().Cell(cell), &b.moves
	if has == nil || c == nil || a.text == "" {
		return
	}
	joined, first := a.joined, a.first
	part, ok := a.joinedPart(has.text.String(), c.Source(), r.Ahead(cell))
	if !ok {
		return
	}
	m := Moved{Cell: cell, Deleted: true, Parts: []MovedPart{part}}
	if a.first = false; first && a.end {
		m.Joined = &joined
	}
	b.addMove(m, at)
}

// addMove adds a move to all pages but one.
func (b *Pages) addMove(m Moved, but *Page) {
	if len(m.Parts) == 0 {
		return
	}
	for _, p := range b.pages {
		if p != but && p.has[m.Cell] {
			p.addMove(m)
		}
	}
}

// addMove adds a move of text. A cell that is new to the page gets its current text, and later changes as updates.
func (p *Page) addMove(m Moved) {
	for _, part := range m.Parts {
		if has := p.pages.texts[part.Cell]; has == nil {
			return
		}
	}
	for _, part := range m.Parts {
		if !p.has[part.Cell] {
			p.has[part.Cell], p.first[part.Cell] = true, p.pages.texts[part.Cell].row()
		}
	}
	m.At = len(p.texts)
	p.moved = append(p.moved, m)
}
