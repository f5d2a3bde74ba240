package command

import (
	"encoding/json"
	"hash/fnv"
	"io"
	"reflect"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/order"
)

// step undoes one event, unless its effect was changed since. Edits of sources are undone by an [entry] itself.
type step interface {
	// of returns the cell that it changes, empty for the notebook.
	of() event.CellID
	// payload returns the undoing event, or nil if nothing is left to undo.
	payload(n *notebook.Notebook) event.Payload
	// size returns about how many bytes it holds.
	size() int
}

// about is the cell that a step changes.
type about event.CellID

func (a about) of() event.CellID { return event.CellID(a) }

// size of a step is the size of the common part, unless it holds more.
func (a about) size() int { return 64 + len(a) }

// live returns the cell unless it is deleted.
func (a about) live(n *notebook.Notebook) *notebook.Cell {
	if c := n.Cell(a.of()); c != nil && !c.Deleted {
		return c
	}
	return nil
}

// existence deletes a cell, unless others have changed its source, or restores it.
type existence struct {
	about
	deletes bool
	source  uint64 // fingerprint of the source when the cell was created or deleted here
}

// reverse returns the step that reverts the step. Changes by others while the cell was deleted do not count.
func (s existence) reverse() step { return existence{s.about, !s.deletes, s.source} }

func (s existence) payload(n *notebook.Notebook) event.Payload {
	switch c := n.Cell(s.of()); {
	case c == nil || c.Deleted == s.deletes:
		return nil
	case !s.deletes:
		return &event.CellRestored{Cell: c.ID}
	case fingerprint(c.Source()) == s.source:
		return &event.CellDeleted{Cell: c.ID}
	}
	return nil
}

// fingerprint returns a hash of a text.
func fingerprint(source string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, source) // writing to a hash cannot fail
	return h.Sum64()
}

// place moves a cell to the key that it had. The key is still between the neighbours of that time, wherever they are
// now.
type place struct {
	about
	was, set order.Key
}

func (s place) payload(n *notebook.Notebook) event.Payload {
	if c := s.live(n); c != nil && c.Order == s.set {
		return &event.CellMoved{Cell: c.ID, Order: s.was}
	}
	return nil
}

// kind restores the kind of a cell.
type kind struct {
	about
	was, set event.CellKind
}

func (s kind) payload(n *notebook.Notebook) event.Payload {
	if c := s.live(n); c != nil && c.Kind == s.set {
		return &event.CellKindChanged{Cell: c.ID, Kind: s.was}
	}
	return nil
}

// language restores the language of a cell.
type language struct {
	about
	was, set string
}

func (s language) payload(n *notebook.Notebook) event.Payload {
	if c := s.live(n); c != nil && c.Language == s.set {
		return &event.CellLanguageChanged{Cell: c.ID, Language: s.was}
	}
	return nil
}

// visibility restores which parts of a cell are shown.
type visibility struct {
	about
	was, set event.CellVisibilitySet
}

func (s visibility) payload(n *notebook.Notebook) event.Payload {
	c := s.live(n)
	if c == nil {
		return nil
	}
	is := visible(c)
	back := event.CellVisibilitySet{
		Cell:    c.ID,
		Source:  oldValue(s.set.Source, is.Source, s.was.Source),
		Outputs: oldValue(s.set.Outputs, is.Outputs, s.was.Outputs),
		Context: oldValue(s.set.Context, is.Context, s.was.Context),
	}
	if back.Source == nil && back.Outputs == nil && back.Context == nil {
		return nil
	}
	return &back
}

// visible returns which parts of a cell are shown.
func visible(c *notebook.Cell) event.CellVisibilitySet {
	return event.CellVisibilitySet{
		Cell: c.ID, Source: new(!c.HideSource), Outputs: new(!c.HideOutputs), Context: new(!c.HideContext),
	}
}

// oldValue returns the old value of a part, nil if it was not set or has changed since.
func oldValue(set, is, was *bool) *bool {
	if set == nil || *set != *is || *was == *is {
		return nil
	}
	return was
}

// metadata restores the value of a key of a cell's metadata, or of the notebook's.
type metadata struct {
	about
	key      string
	was, set json.RawMessage
}

func (s metadata) payload(n *notebook.Notebook) event.Payload {
	if s.of() == "" {
		if !sameJSON(n.Metadata()[s.key], s.set) {
			return nil
		}
		return &event.NotebookMetadataSet{Key: s.key, Value: s.was}
	}
	if c := s.live(n); c != nil && sameJSON(c.Metadata[s.key], s.set) {
		return &event.CellMetadataSet{Cell: c.ID, Key: s.key, Value: s.was}
	}
	return nil
}

func (s metadata) size() int { return s.about.size() + len(s.key) + len(s.was) + len(s.set) }

// sameJSON reports whether two values are equal, regardless of spaces and escapes. No value is null.
func sameJSON(a, b json.RawMessage) bool {
	var values [2]any
	for i, raw := range []json.RawMessage{a, b} {
		if len(raw) > 0 && json.Unmarshal(raw, &values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

// title restores the title of the notebook.
type title struct {
	about
	was, set string
}

func (s title) payload(n *notebook.Notebook) event.Payload {
	if n.Title() != s.set {
		return nil
	}
	return &event.NotebookTitled{Title: s.was}
}

func (s title) size() int { return s.about.size() + len(s.was) + len(s.set) }

// outputs gives a cell copies of its old outputs, unless it was run since.
type outputs struct {
	about
	was           []event.Output
	count         int
	set, setCount int
	run           event.RunID
}

func (s outputs) payload(n *notebook.Notebook) event.Payload {
	c := s.live(n)
	if c == nil || c.Run != s.run || len(c.Outputs) != s.set || c.Count != s.setCount {
		return nil
	}
	return &event.OutputsImported{Cell: c.ID, Outputs: s.was, Count: s.count}
}

func (s outputs) size() int {
	n := s.about.size()
	for _, o := range s.was {
		n += 64 + len(o.Text)
		for mime, data := range o.Data {
			n += len(mime) + len(data)
		}
	}
	return n
}
