package command

import (
	"maps"
	"reflect"
	"slices"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/text"
)

// Rewind returns the events by which a member with a role restores, in this order, an earlier state of a notebook: its
// title and metadata, its cells and their places, and for each its source, kind, language, visibility, metadata,
// outputs and count. Events only add to the log, so later work is not lost: a cell created since is deleted, and can be
// restored. Runs, attached files and the state of programs are unchanged. So is the title where the role may not change
// it, or there was none.
func Rewind(now, then *notebook.Notebook, role access.Role) ([]event.Payload, error) {
	p := &plan{notebook: now.Clone(), role: role, made: map[event.CellID]bool{}}
	if err := p.rewindNotebook(then); err != nil {
		return nil, err
	}
	for _, id := range now.Cells() {
		if c := then.Cell(id); c == nil || c.Deleted {
			if err := p.do(&event.CellDeleted{Cell: id}); err != nil {
				return nil, err
			}
		}
	}
	for _, id := range then.Cells() {
		if err := p.rewindCell(then, then.Cell(id)); err != nil {
			return nil, err
		}
	}
	payloads := make([]event.Payload, len(p.acts))
	for i, a := range p.acts {
		payloads[i] = a.payload
	}
	return payloads, nil
}

func (p *plan) rewindNotebook(then *notebook.Notebook) error {
	titled := &event.NotebookTitled{Title: then.Title()}
	if then.Title() != "" && then.Title() != p.notebook.Title() && may(p.role, access.ActionOf(titled.Type())) == nil {
		if err := p.do(titled); err != nil {
			return err
		}
	}
	for _, key := range keysOf(p.notebook.Metadata(), then.Metadata()) {
		if !sameJSON(p.notebook.Metadata()[key], then.Metadata()[key]) {
			if err := p.do(&event.NotebookMetadataSet{Key: key, Value: then.Metadata()[key]}); err != nil {
				return err
			}
		}
	}
	return nil
}

// keysOf returns the keys of two maps, sorted.
func keysOf[V any](a, b map[string]V) []string {
	all := maps.Clone(b)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, a)
	return slices.Sorted(maps.Keys(all))
}

// rewindCell plans the restoration of a cell. A notebook never drops a cell: the earlier ones exist, deleted or not.
func (p *plan) rewindCell(then *notebook.Notebook, was *notebook.Cell) error {
	if c := p.notebook.Cell(was.ID); c == nil {
		return noCell(was.ID)
	} else if c.Deleted {
		if err := p.do(&event.CellRestored{Cell: was.ID}); err != nil {
			return err
		}
	}
	c := p.notebook.Cell(was.ID)
	for _, payload := range p.cellChanges(c, was) {
		if err := p.do(payload); err != nil {
			return err
		}
	}
	if c.Source() != was.Source() {
		if err := p.edit(c.ID, text.Diff(c.Source(), was.Source())); err != nil {
			return err
		}
	}
	return p.rewindOutputs(then, was)
}

// cellChanges returns the events that restore the place and the properties of a cell.
func (p *plan) cellChanges(c, was *notebook.Cell) []event.Payload {
	var changes []event.Payload
	if c.Order != was.Order {
		changes = append(changes, &event.CellMoved{Cell: c.ID, Order: was.Order})
	}
	if c.Kind != was.Kind {
		changes = append(changes, &event.CellKindChanged{Cell: c.ID, Kind: was.Kind})
	}
	if c.Language != was.Language {
		changes = append(changes, &event.CellLanguageChanged{Cell: c.ID, Language: was.Language})
	}
	seen, saw := visible(c), visible(was)
	if !reflect.DeepEqual(seen, saw) {
		changes = append(changes, &saw)
	}
	for _, key := range keysOf(c.Metadata, was.Metadata) {
		if !sameJSON(c.Metadata[key], was.Metadata[key]) {
			changes = append(changes, &event.CellMetadataSet{Cell: c.ID, Key: key, Value: was.Metadata[key]})
		}
	}
	return changes
}

// rewindOutputs plans copies of the earlier outputs of a cell. The state of a later run is dropped: it belongs to other
// outputs.
func (p *plan) rewindOutputs(then *notebook.Notebook, was *notebook.Cell) error {
	c := p.notebook.Cell(was.ID)
	outputs := outputsOf(then, was)
	if c.Count == was.Count && reflect.DeepEqual(outputsOf(p.notebook, c), outputs) {
		return nil
	}
	if p.hasRun(c) {
		if err := p.do(&event.CellOutputsCleared{Cells: []event.CellID{c.ID}, Reset: true}); err != nil {
			return err
		}
	}
	if len(outputs) == 0 && was.Count == 0 {
		return nil
	}
	return p.do(&event.OutputsImported{Cell: c.ID, Outputs: outputs, Count: was.Count})
}
