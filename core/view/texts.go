package view

import (
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/text"
)

// texts has the numbered versions of the sources that pages have, by which an editor that runs ahead knows the updates
// it has applied.
type texts map[event.CellID]*Text

// lookup returns a cell's text as the pages have it. A text that no page had begins with the notebook's, at version 1:
// version 0 is that of the server's first batch.
func (t texts) lookup(c *notebook.Cell) *Text {
	if t[c.ID] == nil {
		t[c.ID] = &Text{Version: 1, Source: c.Source()}
	}
	return t[c.ID]
}

// created adds the text of a new cell, before it is edited.
func (t texts) created(p *event.CellCreated) {
	if t[p.Cell] == nil {
		t[p.Cell] = &Text{Version: 1, Source: p.Source}
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
	whole := text.NewText(has.Source)
	if whole.Apply(edit) != nil {
		return TextUpdate{}, false
	}
	up := TextUpdate{Cell: cell, Version: has.Version, Edit: edit, By: by}
	has.Version, has.Source = has.Version+1, whole.String()
	return up, true
}

// reconcile returns the update from the pages' text to the notebook's, and false if they agree. They differ when the
// room refused an edit, or when a snapshot replaced events.
func (t texts) reconcile(c *notebook.Cell) (TextUpdate, bool) {
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
