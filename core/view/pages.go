package view

import (
	"errors"
	"fmt"
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
)

// Pages has the pages that show one replica. Its owner is that of the replica.
type Pages struct {
	texts texts // of the cells that pages have
	pages []*Page
	seq   event.Seq   // of the confirmed notebook, as last received
	moves moveTracker // the last consecutive events of another client

	unsentRefusals []Refusal // refusals that came while no page was open, the latest of many
}

// maxUnsentRefusals is the number of refusals kept for the next page.
const maxUnsentRefusals = 1_000

// NewPages returns a set without pages.
func NewPages() *Pages { return &Pages{texts: texts{}} }

// Open adds a page. Its first batch has everything.
func (b *Pages) Open() *Page {
	p := &Page{
		pages: b, all: true, has: map[event.CellID]bool{}, rows: map[event.CellID]Cell{}, shown: map[event.CellID]bool{}, first: map[event.CellID]Text{},
		lengths: map[event.OutputID]int{}, growth: map[event.OutputID]*Append{}, refused: b.unsentRefusals,
	}
	b.unsentRefusals = nil
	b.pages = append(b.pages, p)
	return p
}

// Close removes a page.
func (b *Pages) Close(p *Page) {
	b.pages = slices.DeleteFunc(b.pages, func(q *Page) bool { return q == p })
}

// Receive updates the pages with the changes of a message from the room.
func (b *Pages) Receive(r *replica.Replica, u replica.Update) {
	b.walk(r, u)
	reset := r.Confirmed().Seq() != b.seq+event.Seq(len(u.Committed)) // a snapshot replaced events
	b.seq = r.Confirmed().Seq()
	b.reconcile(r, u.Changes)
	refused := refusals(r.Refused())
	if len(b.pages) == 0 {
		b.unsentRefusals = append(b.unsentRefusals, refused...)
		b.unsentRefusals = b.unsentRefusals[max(0, len(b.unsentRefusals)-maxUnsentRefusals):]
	}
	for _, p := range b.pages {
		for i := range u.Committed {
			switch e := u.Committed[i].Payload.(type) {
			case *event.OutputAppended:
				p.grow(e)
			case *event.OutputStored:
				p.resend(e.Output)
			}
		}
		p.mark(u.Changes)
		p.all = p.all || reset
		p.refused = append(p.refused, refused...)
	}
}

// grow records that text was appended to a stream. A stream that will be sent whole, or that the page does not have, is
// not recorded.
func (p *Page) grow(e *event.OutputAppended) {
	if _, has := p.lengths[e.Output]; !has || p.outputs.in[e.Output] {
		return
	}
	a := p.growth[e.Output]
	if a == nil {
		a = &Append{Output: e.Output}
		p.growth[e.Output] = a
	}
	a.extend(e.Drop, e.Text)
}

// extend adds text to an append that was not sent yet.
func (a *Append) extend(drop int, s string) {
	if drop == 0 {
		a.Text += s
		return
	}
	own := text.UTF16Len(a.Text)
	if drop >= own {
		a.Drop, a.Text = a.Drop+drop-own, s
		return
	}
	t := text.NewText(a.Text)
	_ = t.Append(drop, s) // fits: drop is less than the text has, and the fold applied it whole
	a.Text = t.String()
}

// walk processes the events of others one by one, as if each had come in its own message.
func (b *Pages) walk(r *replica.Replica, u replica.Update) {
	edits := u.Edits
	for i := range u.Committed {
		e := &u.Committed[i]
		var edit text.Edit
		fits := len(edits) > 0 && edits[0].ID == e.ID
		if fits {
			edit, edits = edits[0].Edit, edits[1:]
		}
		if e.ID.Client == r.Client() && !fits {
			continue // it was processed when it was made
		}
		b.moves.advance(e.ID)
		b.step(r, e.Payload, edit, u.Committed[i+1:], LocalChange{})
	}
}

// LocalChange is a change that was made at one of the pages.
type LocalChange struct {
	Changes []notebook.Change // the rows that changed
	Edits   []replica.CellEdit
	By      string          // the editor that made the edits, empty if none
	Made    []event.Payload // by a command, including the edits
	At      *Page           // the page itself, which knows where its texts went, and the edits that it pushed
}

// ApplyLocal updates the pages with a local change.
func (b *Pages) ApplyLocal(r *replica.Replica, d LocalChange) {
	before := b.moves
	b.moves = moveTracker{}
	edits := d.Edits
	for _, p := range d.Made {
		var edit text.Edit
		if _, ok := p.(*event.SourceEdited); ok && len(edits) > 0 {
			edit, edits = edits[0].Edit, edits[1:]
		}
		b.step(r, p, edit, nil, d)
	}
	b.moves = before
	for _, e := range d.Edits {
		b.moves.rebase(e.Cell, e.Edit)
	}
	for _, e := range edits {
		b.pushed(e, d)
	}
	b.reconcile(r, d.Changes)
	for _, p := range b.pages {
		p.mark(d.Changes)
	}
}

// pushed numbers an edit that an editor pushed. The page of the editor has it already.
func (b *Pages) pushed(e replica.CellEdit, d LocalChange) {
	u, ok := b.texts.edited(e.Cell, e.Edit, d.By)
	if !ok {
		return
	}
	for _, p := range b.pages {
		switch {
		case p == d.At:
			p.pushed = append(p.pushed, u)
		case p.has[u.Cell]:
			p.texts = append(p.texts, u)
		}
	}
}

// Pushed ends a push of the page. One that was applied is acknowledged by its answer, so its edits are not sent to the
// page. Of one that failed, the page is sent the edits before the failure.
func (p *Page) Pushed(applied bool) {
	if !applied {
		p.texts = append(p.texts, p.pushed...)
	}
	p.pushed = p.pushed[:0]
}

// ErrBehind says that a push was made on a past version: the editor must apply the updates since, and push again.
var ErrBehind = errors.New("the text has changed since")

// Check returns nil if a push may be applied, [ErrBehind], or a final error.
func (b *Pages) Check(r *replica.Replica, p *TextPush) error {
	c := r.View().Cell(p.Cell)
	if c == nil {
		return fmt.Errorf("there is no cell %s", p.Cell)
	}
	has := b.texts.lookup(c)
	if p.Version > has.version || p.Version < 0 {
		return fmt.Errorf("the source of cell %s is at version %d, not at %d", p.Cell, has.version, p.Version)
	}
	if p.Version < has.version {
		return ErrBehind
	}
	return nil
}

// reconcile updates the texts of cells that changed otherwise than by edits.
func (b *Pages) reconcile(r *replica.Replica, changes []notebook.Change) {
	for _, change := range changes {
		if change.Table != notebook.TableCells {
			continue
		}
		if c := r.View().Cell(event.CellID(change.ID)); c != nil {
			b.update(b.texts.reconcile(c))
		}
	}
}

// update adds an update of a text to the pages that have it.
func (b *Pages) update(u TextUpdate, ok bool) {
	if !ok {
		return
	}
	for _, p := range b.pages {
		if p.has[u.Cell] {
			p.texts = append(p.texts, u)
		}
	}
}

// refusals returns the rows of refused events.
func refusals(list []replica.Refusal) []Refusal {
	var told []Refusal
	for _, no := range list {
		one := Refusal{ID: no.ID, Type: no.Draft.Payload.Type(), Code: no.Code, Message: no.Message}
		if e, ok := no.Draft.Payload.(*event.SourceEdited); ok {
			one.Source = e.Edit.Inserted()
		}
		told = append(told, one)
	}
	return told
}

// texts has the numbered versions of the sources that pages have, by which an editor that runs ahead knows the updates
// it has applied.
type texts map[event.CellID]*numbered

// numbered is a source with the number of its version.
type numbered struct {
	version int
	text    *text.Text
}

// row returns the text as a page gets it.
func (n *numbered) row() Text { return Text{Version: n.version, Source: n.text.String()} }

// lookup returns a cell's text as the pages have it. A text that no page had begins with the notebook's, at version 1:
// version 0 is that of the server's first batch.
func (t texts) lookup(c *notebook.Cell) *numbered {
	if t[c.ID] == nil {
		t[c.ID] = &numbered{version: 1, text: c.Text().Clone()}
	}
	return t[c.ID]
}

// created adds the text of a new cell, before it is edited.
func (t texts) created(p *event.CellCreated) {
	if t[p.Cell] == nil {
		t[p.Cell] = &numbered{version: 1, text: text.NewText(p.Source)}
	}
}

// edited numbers an edit of a text. It reports false for a text that no page has, and for an edit that does not fit the
// pages' text; reconcile repairs that. An edit that changes nothing is numbered if an editor made it, as the editor
// does: the rest of a deletion may be empty when others have deleted the same.
func (t texts) edited(cell event.CellID, edit text.Edit, by string) (TextUpdate, bool) {
	has := t[cell]
	if has == nil || edit.IsZero() && by == "" {
		return TextUpdate{}, false
	}
	if has.text.Apply(edit) != nil {
		return TextUpdate{}, false
	}
	has.version++
	return TextUpdate{Cell: cell, Version: has.version - 1, Edit: edit, By: by}, true
}

// reconcile returns the update from the pages' text to the notebook's, and false if they agree. They differ when the
// room refused an edit, or when a snapshot replaced events.
func (t texts) reconcile(c *notebook.Cell) (TextUpdate, bool) {
	has := t[c.ID]
	if has == nil || has.text.Equal(c.Text()) {
		return TextUpdate{}, false
	}
	return t.edited(c.ID, text.Diff(has.text.String(), c.Source()), "")
}
