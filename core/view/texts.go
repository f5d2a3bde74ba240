package view

import (
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/text"
)

// texts numbers what happens to the sources that pages have, so that an editor which
// runs ahead knows what it has seen.
type texts map[event.CellID]*Text

// of returns a cell's text as the pages have it; a cell that no page had begins with
// what the notebook has, at version 1: 0 is of what the server shows first.
func (t texts) of(c *notebook.Cell) *Text {
	if t[c.ID] == nil {
		t[c.ID] = &Text{Version: 1, Source: c.Source()}
	}
	return t[c.ID]
}

// created begins the text of a cell that came, before it is edited.
func (t texts) created(p *event.CellCreated) {
	if t[p.Cell] == nil {
		t[p.Cell] = &Text{Version: 1, Source: p.Source}
	}
}

// edited numbers an edit that was made of a text. It reports false for one of a text
// that no page has, and for one that does not fit what they have, which settle mends.
// One that changes nothing is numbered if an editor made it, as the editor does: what
// is left of a deletion may be nothing when others have deleted the same.
func (t texts) edited(cell event.CellID, edit text.Edit, by string) (TextUpdate, bool) {
	has := t[cell]
	if has == nil || edit.IsZero() && by == "" {
		return TextUpdate{}, false
	}
	whole := text.NewText(has.Source)
	if whole.Apply(edit) != nil {
		return TextUpdate{}, false
	}
	up := TextUpdate{Cell: cell, Version: has.Version, Edit: edit, By: by}
	has.Version, has.Source = has.Version+1, whole.String()
	return up, true
}

// settle returns what turns a text as the pages have it into that of the notebook,
// and false where they agree. They differ when the room refused an edit, or when a
// snapshot took the place of events.
func (t texts) settle(c *notebook.Cell) (TextUpdate, bool) {
	has := t[c.ID]
	if has == nil {
		return TextUpdate{}, false
	}
	now := c.Source()
	if now == has.Source {
		return TextUpdate{}, false
	}
	return t.edited(c.ID, text.Diff(has.Source, now), "")
}
