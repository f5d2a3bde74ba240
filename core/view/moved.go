package view

import (
	"slices"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/order"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
)

// act is the latest that one client did in a row, as far as a text may go from one cell
// to another by it: the cells come before an edit takes the text, and go after an edit
// has inserted it. So each move is told by one event, with what came before it.
type act struct {
	client event.ClientID
	n      uint64
	came   []came
	joined Joined // what was inserted last, empty if nothing
	end    bool   // it is at the end of the text that it was inserted into
	text   string // of joined, as far as no cell went that had it
	from   int    // where text begins in joined, in UTF-16 code units
	first  bool   // of joined no piece is told yet
}

// came is a cell that was made or restored, with its source.
type came struct {
	cell   event.CellID
	order  order.Key
	source string
}

// next goes on to an event. One that does not follow the last begins another act.
func (a *act) next(id event.ID) {
	if a.client != id.Client || a.n+1 != id.N {
		*a = act{client: id.Client}
	}
	a.n = id.N
}

// add notes that a cell came.
func (a *act) add(cell event.CellID, key order.Key, source string) {
	a.joined, a.text = Joined{}, ""
	a.came = append(a.came, came{cell, key, source})
}

// edited notes an edit, which may have inserted at the end of its text.
func (a *act) edited(cell event.CellID, e text.Edit, end bool) {
	*a = act{client: a.client, n: a.n}
	if at, s, ok := e.Insertion(); ok {
		a.joined, a.text, a.end, a.first = Joined{Cell: cell, At: at, Length: text.UTF16Len(s)}, s, end, true
	}
}

// over moves what was inserted over an edit of another.
func (a *act) over(cell event.CellID, e text.Edit) {
	if a.joined.Cell != cell || a.joined.Length == 0 {
		return
	}
	start, end := e.Position(a.joined.At, text.After), e.Position(a.joined.At+a.joined.Length, text.Before)
	if a.joined.At = start; end-start != a.joined.Length {
		a.joined, a.text = Joined{}, ""
	}
}

// taken returns where a text went that an edit deletes from a cell: into the cells that
// came right before, with line ends between them. It returns nil for other edits.
func (a *act) taken(e text.Edit, source string) []MovedPart {
	inverse, err := e.Invert(text.NewText(source))
	if err != nil || len(a.came) == 0 {
		return nil
	}
	gone := inserted(inverse)
	if gone == "" {
		return nil
	}
	for i := len(a.came) - 1; i >= 0; i-- {
		cells := slices.Clone(a.came[i:])
		slices.SortFunc(cells, func(a, b came) int {
			return order.Compare(order.Place{Key: a.order, ID: string(a.cell)}, order.Place{Key: b.order, ID: string(b.cell)})
		})
		if parts := shared(gone, cells); parts != nil {
			return parts
		}
	}
	return nil
}

// shared returns which pieces of a text cells have, nil unless they have all of it but
// for line ends, and each most of what it has from there.
func shared(gone string, cells []came) []MovedPart {
	var parts []MovedPart
	for _, c := range cells {
		rest := strings.TrimLeft(gone, "\n")
		part := MovedPart{Skip: len(gone) - len(rest), Cell: c.cell}
		has := common(rest, c.source)
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

// common returns the longest beginning of a text whose letters are all in another, in
// their order.
func common(s, in string) string {
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

// piece returns where the text of a cell that goes is, in what was inserted right before.
// The cell has a text in the view, which may be ahead of the one that its author had.
func (a *act) piece(shown, confirmed string, ahead text.Edit) (MovedPart, bool) {
	for _, s := range []string{confirmed, shown} {
		rest := strings.TrimLeft(a.text, "\n")
		if s == "" || !strings.HasPrefix(rest, s) || len(rest) > len(s) && rest[len(s)] != '\n' {
			continue
		}
		return a.cut(s, shown, ahead), true
	}
	rest := strings.TrimLeft(a.text, "\n")
	if rest == "" || common(shown, rest) != shown && common(rest, shown) != rest {
		return MovedPart{}, false
	}
	return a.cut(rest, shown, text.Edit{}), true
}

// cut takes a piece from what was inserted.
func (a *act) cut(s, shown string, ahead text.Edit) MovedPart {
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

// step takes in an event of the log, or one that was made at a page, with its edit as it
// fits the view.
func (b *Book) step(r *replica.Replica, p event.Payload, edit text.Edit, later []event.Event, d Deed) {
	a := &b.act
	switch p := p.(type) {
	case *event.CellCreated:
		if len(b.pages) > 0 {
			b.texts.created(p)
		}
		a.add(p.Cell, p.Order, p.Source)
	case *event.CellRestored:
		if has, c := b.texts[p.Cell], r.View().Cell(p.Cell); has != nil && c != nil {
			a.add(p.Cell, c.Order, has.Source)
		}
	case *event.SourceEdited:
		end := b.atEnd(r, p, later, d)
		b.takes(p.Cell, edit, d.At)
		b.update(b.texts.edited(p.Cell, edit, d.By))
		a.edited(p.Cell, edit, end)
	case *event.CellDeleted:
		b.goes(r, p.Cell, d.At)
	case *event.CellMetadataSet, *event.CellVisibilitySet, *event.OutputsImported:
	default:
		*a = act{client: a.client, n: a.n}
	}
}

// atEnd reports whether an edit, which the confirmed text has already if it was not made
// here, inserts at the end of the text: what stands behind that in the view is later.
func (b *Book) atEnd(r *replica.Replica, p *event.SourceEdited, later []event.Event, d Deed) bool {
	at, _, ok := p.Edit.Insertion()
	if has := b.texts[p.Cell]; d.Made != nil {
		return ok && has != nil && at == text.UTF16Len(has.Source)
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

// takes tells pages where a text goes that an edit is about to take.
func (b *Book) takes(cell event.CellID, edit text.Edit, at *Page) {
	if has := b.texts[cell]; has != nil {
		b.tell(Moved{Cell: cell, Parts: b.act.taken(edit, has.Source)}, at)
	}
}

// goes tells pages where the text of a cell is that was deleted.
func (b *Book) goes(r *replica.Replica, cell event.CellID, at *Page) {
	has, c, a := b.texts[cell], r.Confirmed().Cell(cell), &b.act
	if has == nil || c == nil || a.text == "" {
		return
	}
	joined, first := a.joined, a.first
	part, ok := a.piece(has.Source, c.Source(), r.Ahead(cell))
	if !ok {
		return
	}
	m := Moved{Cell: cell, Deleted: true, Parts: []MovedPart{part}}
	if a.first = false; first && a.end {
		m.Joined = &joined
	}
	b.tell(m, at)
}

// tell tells all pages but one that text moved.
func (b *Book) tell(m Moved, but *Page) {
	if len(m.Parts) == 0 {
		return
	}
	for _, p := range b.pages {
		if p != but && p.has[m.Cell] {
			p.move(m)
		}
	}
}

// move notes that text moved. A cell that is new to the page comes with the text that it
// has now, and what happens to it later as updates.
func (p *Page) move(m Moved) {
	for _, part := range m.Parts {
		if has := p.book.texts[part.Cell]; has == nil {
			return
		}
	}
	for _, part := range m.Parts {
		if !p.has[part.Cell] {
			p.has[part.Cell], p.first[part.Cell] = true, *p.book.texts[part.Cell]
		}
	}
	m.At = len(p.texts)
	p.moved = append(p.moved, m)
}
