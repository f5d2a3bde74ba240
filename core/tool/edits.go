package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/quirehq/quire/core/celltext"
	"github.com/quirehq/quire/core/command"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/text"
)

// editing returns the tools that change cells.
func editing() []definition {
	return []definition{
		{name: "create_cell", class: event.ToolEdits, call: createCell, params: []param{
			{name: "source", form: formText, required: true, about: "the whole source of the cell"},
			{name: "kind", form: formText, oneOf: []string{"code", "markdown", "sql", "raw"}, about: "code if it is left out"},
			{name: "language", form: formText, about: "the language of a code cell; that of the notebook if it is left out"},
			{name: "after", form: formText, about: "the id of the cell that the new one follows; \"start\" for the first place; left out: after the last cell that you created, else at the end"},
		}},
		{name: "edit_cell", class: event.ToolEdits, call: editCell, params: []param{
			{name: "cell", form: formText, required: true, about: cellID},
			{name: "old", form: formText, required: true, about: "the text to replace, exactly as the source has it; it must be there once"},
			{name: "new", form: formText, required: true, about: "the text in its place"},
		}},
		{name: "write_cell", class: event.ToolEdits, call: writeCell, params: []param{
			{name: "cell", form: formText, required: true, about: cellID},
			{name: "source", form: formText, required: true, about: "the new source as a whole"},
		}},
		{name: "move_cell", class: event.ToolEdits, call: moveCell, params: []param{
			{name: "cell", form: formText, required: true, about: cellID},
			{name: "after", form: formText, required: true, about: "the id of the cell that it follows then; \"start\" for the first place"},
		}},
		{name: "delete_cell", class: event.ToolEdits, call: deleteCell, params: []param{
			{name: "cell", form: formText, required: true, about: cellID},
		}},
	}
}

// start is the place before all cells, where a cell's id is expected.
const start = "start"

// createCell adds a cell.
func createCell(ctx context.Context, s *Set, a arguments) (Result, error) {
	add := command.AddCell{CellKind: event.KindCode, Language: a.texts["language"], Source: lines(a.texts["source"])}
	if kind := a.texts["kind"]; kind != "" {
		add.CellKind = event.CellKind(kind)
	}
	done, err := s.change(ctx, func(x *command.Executor, n *notebook.Notebook) (command.Done, error) {
		var err error
		if add.After, add.Before, err = s.place(n, a.texts["after"]); err != nil {
			return command.Done{}, err
		}
		return x.Do(&add)
	})
	if err != nil {
		return Result{}, err
	}
	id := done.Result.Cells[0]
	s.saw(id, add.Source)
	s.mu.Lock()
	s.last = id
	s.mu.Unlock()
	s.point(id, text.UTF16Len(add.Source))
	return Result{Text: fmt.Sprintf("created cell %s", id)}, nil
}

// lines returns a text with the line ends of sources.
func lines(source string) string { return strings.ReplaceAll(source, "\r\n", "\n") }

// place returns the cell that a new or moved one follows or precedes: the named one, else the one that the agent
// created last, else its own, else none.
func (s *Set) place(n *notebook.Notebook, after string) (follows, precedes event.CellID, err error) {
	switch after {
	case start:
		if cells := n.Cells(); len(cells) > 0 {
			return "", cells[0], nil
		}
		return "", "", nil
	case "":
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, id := range []event.CellID{s.last, s.cfg.Cell} {
			if c := n.Cell(id); c != nil && !c.Deleted {
				return id, "", nil
			}
		}
		return "", "", nil
	}
	c, err := live(n, event.CellID(after))
	if err != nil {
		return "", "", err
	}
	return c.ID, "", nil
}

// editCell replaces a text that a source has once.
func editCell(ctx context.Context, s *Set, a arguments) (Result, error) {
	id, was, now := a.cell("cell"), lines(a.texts["old"]), lines(a.texts["new"])
	caret := 0
	_, err := s.change(ctx, func(x *command.Executor, n *notebook.Notebook) (command.Done, error) {
		c, err := s.editable(n, id)
		if err != nil {
			return command.Done{}, err
		}
		edit, err := replacement(c.Source(), was, now)
		if err != nil {
			return command.Done{}, fmt.Errorf("cell %s: %w", id, err)
		}
		before, _, _ := strings.Cut(c.Source(), was)
		caret = text.UTF16Len(before) + text.UTF16Len(now)
		return x.Edit(id, edit, false)
	})
	if err != nil {
		return Result{}, err
	}
	if seen, ok := s.hasSeen(id); ok && strings.Count(seen, was) == 1 {
		s.saw(id, strings.Replace(seen, was, now, 1))
	}
	s.point(id, caret)
	return Result{Text: fmt.Sprintf("changed cell %s", id)}, nil
}

// editable returns a cell that the agent may edit: one that it may see, and not the one that is asking it.
func (s *Set) editable(n *notebook.Notebook, id event.CellID) (*notebook.Cell, error) {
	if id == s.cfg.Cell && id != "" {
		return nil, fmt.Errorf("cell %s has the prompt that you are answering: only people change it", id)
	}
	return visible(n, id)
}

// replacement returns the edit that replaces a text that a source has exactly once.
func replacement(source, was, now string) (text.Edit, error) {
	switch count := strings.Count(source, was); {
	case was == "":
		return text.Edit{}, errors.New("the old text is empty; write_cell replaces the whole source")
	case was == now:
		return text.Edit{}, errors.New("the old text and the new one are equal")
	case count == 0:
		return text.Edit{}, fmt.Errorf("the old text is not in the source, which is now:\n%s", celltext.Fold(source, 8_000))
	case count > 1:
		return text.Edit{}, fmt.Errorf("the old text is in the source %d times; give more of the text around it", count)
	}
	at := strings.Index(source, was)
	return text.Replace(text.UTF16Len(source[:at]), text.UTF16Len(was), now), nil
}

// writeCell replaces a source as a whole. What others have changed since the agent saw it stays.
func writeCell(ctx context.Context, s *Set, a arguments) (Result, error) {
	id, wanted := a.cell("cell"), lines(a.texts["source"])
	current := ""
	_, err := s.change(ctx, func(x *command.Executor, n *notebook.Notebook) (command.Done, error) {
		c, err := s.editable(n, id)
		if err != nil {
			return command.Done{}, err
		}
		seen, ok := s.hasSeen(id)
		if !ok {
			return command.Done{}, fmt.Errorf("read cell %s before you replace its source", id)
		}
		edit := merged(seen, c.Source(), wanted)
		changed := c.Text().Clone()
		if err := changed.Apply(edit); err != nil {
			return command.Done{}, err
		}
		current = changed.String()
		return x.Edit(id, edit, false)
	})
	if err != nil {
		return Result{}, err
	}
	s.saw(id, current)
	s.point(id, text.UTF16Len(current))
	if current != wanted {
		return Result{Text: fmt.Sprintf("changed cell %s; others have changed it too, and it is now:\n%s", id, current)}, nil
	}
	return Result{Text: fmt.Sprintf("changed cell %s", id)}, nil
}

// merged returns the edit of the current source that does to it what leads from the seen source to the wanted one.
func merged(seen, current, wanted string) text.Edit {
	_, mine := text.Transform(text.Diff(seen, current), text.Diff(seen, wanted))
	return mine
}

// moveCell moves a cell.
func moveCell(ctx context.Context, s *Set, a arguments) (Result, error) {
	id := a.cell("cell")
	_, err := s.change(ctx, func(x *command.Executor, n *notebook.Notebook) (command.Done, error) {
		if _, err := visible(n, id); err != nil {
			return command.Done{}, err
		}
		after, before, err := s.place(n, a.texts["after"])
		if err != nil {
			return command.Done{}, err
		}
		return x.Do(&command.MoveCells{Cells: []event.CellID{id}, After: after, Before: before})
	})
	if err != nil {
		return Result{}, err
	}
	s.point(id, 0)
	return Result{Text: fmt.Sprintf("moved cell %s", id)}, nil
}

// deleteCell deletes a cell, which people can restore.
func deleteCell(ctx context.Context, s *Set, a arguments) (Result, error) {
	id := a.cell("cell")
	_, err := s.change(ctx, func(x *command.Executor, n *notebook.Notebook) (command.Done, error) {
		if _, err := s.editable(n, id); err != nil {
			return command.Done{}, err
		}
		return x.Do(&command.DeleteCells{Cells: []event.CellID{id}})
	})
	if err != nil {
		return Result{}, err
	}
	return Result{Text: fmt.Sprintf("deleted cell %s", id)}, nil
}
