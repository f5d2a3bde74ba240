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

// step takes back what one event did, if that still is what it made of it. Edits of
// sources are taken back by an [entry] itself.
type step interface {
	// of returns the cell that it is about, empty for the notebook.
	of() event.CellID
	// payload returns the event that takes it back, nil if there is nothing to take
	// back any more.
	payload(n *notebook.Notebook) event.Payload
	// size returns about how many bytes it keeps.
	size() int
}

// stepBack returns the step that takes an event back, from the notebook that it is
// about to happen to. It is nil for one that cannot be taken back.
func stepBack(n *notebook.Notebook, payload event.Payload) step {
	switch p := payload.(type) {
	case *event.CellCreated:
		return existence{about(p.Cell), true, fingerprint(p.Source)}
	case *event.NotebookTitled:
		if n.Title() == "" {
			return nil // no event takes a title away
		}
		return title{was: n.Title(), set: p.Title}
	case *event.NotebookMetadataSet:
		return metadata{key: p.Key, was: n.Metadata()[p.Key], set: p.Value}
	}
	if c := n.Cell(cellOf(payload)); c != nil {
		return cellStepBack(n, c, payload)
	}
	return nil
}

// cellStepBack is stepBack for an event that changes a cell.
func cellStepBack(n *notebook.Notebook, c *notebook.Cell, payload event.Payload) step {
	switch p := payload.(type) {
	case *event.CellDeleted:
		return existence{about(c.ID), false, fingerprint(c.Source())}
	case *event.CellRestored:
		return existence{about(c.ID), true, fingerprint(c.Source())}
	case *event.CellMoved:
		return place{about(c.ID), c.Order, p.Order}
	case *event.CellKindChanged:
		return kind{about(c.ID), c.Kind, p.Kind}
	case *event.CellLanguageChanged:
		return language{about(c.ID), c.Language, p.Language}
	case *event.CellVisibilitySet:
		return visibility{about(c.ID), visible(c), *p}
	case *event.CellMetadataSet:
		return metadata{about(c.ID), p.Key, c.Metadata[p.Key], p.Value}
	case *event.OutputsImported:
		return outputs{about(c.ID), outputsOf(n, c), c.Count, len(p.Outputs), p.Count, c.Run}
	case *event.CellOutputsCleared:
		return clearedBack(n, c, p)
	}
	return nil
}

// cellOf returns the cell that an event changes which a step takes back.
func cellOf(payload event.Payload) event.CellID {
	switch p := payload.(type) {
	case *event.CellDeleted:
		return p.Cell
	case *event.CellRestored:
		return p.Cell
	case *event.CellMoved:
		return p.Cell
	case *event.CellKindChanged:
		return p.Cell
	case *event.CellLanguageChanged:
		return p.Cell
	case *event.CellVisibilitySet:
		return p.Cell
	case *event.CellMetadataSet:
		return p.Cell
	case *event.OutputsImported:
		return p.Cell
	case *event.CellOutputsCleared:
		if len(p.Cells) == 1 {
			return p.Cells[0]
		}
	}
	return ""
}

// about is the cell that a step is about.
type about event.CellID

func (a about) of() event.CellID { return event.CellID(a) }

// size of a step is that of what steps have in common, unless it keeps more.
func (a about) size() int { return 64 + len(a) }

// live returns the cell if it is there to be changed.
func (a about) live(n *notebook.Notebook) *notebook.Cell {
	if c := n.Cell(a.of()); c != nil && !c.Deleted {
		return c
	}
	return nil
}

// existence deletes a cell, unless others have changed what it holds, or restores
// it.
type existence struct {
	about
	deletes bool
	source  uint64 // what the cell held when it was made or deleted here
}

// reverse returns what takes the step back. That others changed a cell while it was
// deleted does not change what may be deleted again.
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

// fingerprint tells texts apart.
func fingerprint(source string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, source) // a hash takes everything
	return h.Sum64()
}

// place moves a cell to the key that it had. The key still is between the
// neighbours of then, wherever they have new ones.
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

// kind makes a cell one of the kind that it was.
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

// language says that a cell is in the language that it was in.
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

// visibility shows and hides what of a cell was shown and hidden.
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
		Source:  backFrom(s.set.Source, is.Source, s.was.Source),
		Outputs: backFrom(s.set.Outputs, is.Outputs, s.was.Outputs),
		Context: backFrom(s.set.Context, is.Context, s.was.Context),
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

// backFrom returns what a part was, nil if it was not set or is not as it was set.
func backFrom(set, is, was *bool) *bool {
	if set == nil || *set != *is || *was == *is {
		return nil
	}
	return was
}

// metadata gives a key of a cell's metadata, or of the notebook's, the value that it
// had.
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

// sameJSON reports whether two values are the same, however they are spaced and
// escaped. No value is null.
func sameJSON(a, b json.RawMessage) bool {
	var values [2]any
	for i, raw := range []json.RawMessage{a, b} {
		if len(raw) > 0 && json.Unmarshal(raw, &values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

// title names the notebook as it was named.
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

// clearedBack returns the step that gives a cell the outputs back that are taken away.
func clearedBack(n *notebook.Notebook, c *notebook.Cell, p *event.CellOutputsCleared) step {
	s := outputs{about: about(c.ID), was: outputsOf(n, c), count: c.Count, setCount: c.Count, run: c.Run}
	if !p.Reset {
		return s
	}
	s.setCount = 0
	if r := n.Run(c.Run); r != nil && r.State == notebook.RunFinished {
		s.run = ""
	}
	return s
}

// outputs gives a cell copies of the outputs that it had, unless it was run since.
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
