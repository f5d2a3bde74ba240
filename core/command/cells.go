package command

import (
	"errors"
	"maps"
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

func (c *AddCell) plan(p *plan) (Result, error) {
	gap, err := p.gap(c.After, c.Before)
	if err != nil {
		return Result{}, err
	}
	id, err := p.add(gap, event.CellCreated{Kind: c.CellKind, Language: c.Language, Source: c.Source})
	return Result{Cells: []event.CellID{id}}, err
}

func (p *plan) add(i int, made event.CellCreated) (event.CellID, error) {
	key, err := p.notebook.Between(i)
	if err != nil {
		return "", err
	}
	made.Cell, made.Order = event.CellID(p.newID()), key
	return made.Cell, p.do(&made)
}

func (c *DeleteCells) plan(p *plan) (Result, error) {
	cells, err := p.cellsOf(c.Cells)
	if err != nil {
		return Result{}, err
	}
	if err := p.delete(cells); err != nil {
		return Result{}, err
	}
	return Result{Cells: p.inPlaceOf(cells)}, nil
}

// delete plans the deletion of those cells that are not deleted.
func (p *plan) delete(cells []event.CellID) error {
	for _, id := range cells {
		if p.notebook.Cell(id).Deleted {
			continue
		}
		if err := p.do(&event.CellDeleted{Cell: id}); err != nil {
			return err
		}
	}
	return nil
}

func (c *RestoreCells) plan(p *plan) (Result, error) {
	cells, err := p.cellsOf(c.Cells)
	if err != nil {
		return Result{}, err
	}
	for _, id := range cells {
		if !p.notebook.Cell(id).Deleted {
			continue
		}
		if err := p.do(&event.CellRestored{Cell: id}); err != nil {
			return Result{}, err
		}
	}
	return Result{Cells: p.sorted(cells)}, nil
}

func (c *ChangeKind) plan(p *plan) (Result, error) {
	return p.each(c.Cells, func(cell *notebook.Cell) event.Payload {
		if cell.Kind == c.CellKind {
			return nil
		}
		return &event.CellKindChanged{Cell: cell.ID, Kind: c.CellKind}
	})
}

func (c *ChangeLanguage) plan(p *plan) (Result, error) {
	return p.each(c.Cells, func(cell *notebook.Cell) event.Payload {
		if cell.Language == c.Language {
			return nil
		}
		return &event.CellLanguageChanged{Cell: cell.ID, Language: c.Language}
	})
}

func (c *SetVisibility) plan(p *plan) (Result, error) {
	return p.each(c.Cells, func(cell *notebook.Cell) event.Payload {
		set := event.CellVisibilitySet{
			Cell:    cell.ID,
			Source:  unlessIs(c.Source, !cell.HideSource),
			Outputs: unlessIs(c.Outputs, !cell.HideOutputs),
			Context: unlessIs(c.Context, !cell.HideContext),
		}
		if set.Source == nil && set.Outputs == nil && set.Context == nil {
			return nil
		}
		return &set
	})
}

// unlessIs returns the wanted value, or nil if that is the current one.
func unlessIs(want *bool, is bool) *bool {
	if want == nil || *want == is {
		return nil
	}
	return new(!is)
}

// each plans an event for each cell that needs one. They are selected afterwards.
func (p *plan) each(cells []event.CellID, change func(*notebook.Cell) event.Payload) (Result, error) {
	live, err := p.live(cells)
	if err != nil {
		return Result{}, err
	}
	for _, id := range live {
		if payload := change(p.notebook.Cell(id)); payload != nil {
			if err := p.do(payload); err != nil {
				return Result{}, err
			}
		}
	}
	return Result{Cells: live}, nil
}

func (c *PasteCells) plan(p *plan) (Result, error) {
	if len(c.Items) == 0 {
		return Result{}, errors.New("there is nothing to paste: copy a cell first")
	}
	gap, err := p.gap(c.After, c.Before)
	if err != nil {
		return Result{}, err
	}
	var result Result
	for i, item := range c.Items {
		id, err := p.paste(gap+i, item)
		if err != nil {
			return Result{}, err
		}
		result.Cells = append(result.Cells, id)
	}
	return result, nil
}

// paste plans a copy of a cell before an index.
func (p *plan) paste(i int, item Copied) (event.CellID, error) {
	id, err := p.add(i, event.CellCreated{Kind: item.CellKind, Language: item.Language, Source: item.Source})
	if err != nil {
		return "", err
	}
	for _, key := range slices.Sorted(maps.Keys(item.Metadata)) {
		if err := p.do(&event.CellMetadataSet{Cell: id, Key: key, Value: item.Metadata[key]}); err != nil {
			return "", err
		}
	}
	if len(item.Outputs) == 0 && item.Count == 0 {
		return id, nil
	}
	return id, p.do(&event.OutputsImported{Cell: id, Outputs: item.Outputs, Count: item.Count})
}

func (c *SetTitle) plan(p *plan) (Result, error) {
	if c.Title == p.notebook.Title() {
		return Result{}, nil
	}
	return Result{}, p.do(&event.NotebookTitled{Title: c.Title})
}

func (c *SetMetadata) plan(p *plan) (Result, error) {
	if c.Cell == "" {
		if sameJSON(p.notebook.Metadata()[c.Key], c.Value) {
			return Result{}, nil
		}
		return Result{}, p.do(&event.NotebookMetadataSet{Key: c.Key, Value: c.Value})
	}
	return p.each([]event.CellID{c.Cell}, func(cell *notebook.Cell) event.Payload {
		if sameJSON(cell.Metadata[c.Key], c.Value) {
			return nil
		}
		return &event.CellMetadataSet{Cell: cell.ID, Key: c.Key, Value: c.Value}
	})
}
