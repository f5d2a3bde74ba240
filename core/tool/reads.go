package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/quirehq/quire/core/celltext"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

const cellID = "the id of a cell, as list_cells shows it"

// reading returns the tools that change nothing.
func reading() []definition {
	return []definition{
		{name: "list_cells", class: event.ToolReads, call: listCells},
		{name: "read_cell", class: event.ToolReads, call: readCell, params: []param{
			{name: "cell", form: formText, required: true, about: cellID},
		}},
		{name: "search", class: event.ToolReads, call: search, params: []param{
			{name: "text", form: formText, required: true, about: "the text to find; case does not matter"},
		}},
		{name: "variables", class: event.ToolReads, call: variables, params: []param{
			{name: "language", form: formText, about: "that of the notebook if it is left out"},
		}},
	}
}

const (
	// maxListed is the most cells of a list, and maxFound the most lines of a search.
	maxListed = 2_000
	maxFound  = 100
	// maxLine is the longest shown line, in bytes.
	maxLine = 160
)

// listCells lists the cells in their order, a line each.
func listCells(_ context.Context, s *Set, _ arguments) (Result, error) {
	var b strings.Builder
	err := s.with(func(r *replica.Replica) error {
		n := r.View()
		cells := n.Cells()
		fmt.Fprintf(&b, "%d cells", len(cells))
		if n.Title() != "" {
			fmt.Fprintf(&b, " in %q", n.Title())
		}
		b.WriteString("\n")
		for i, id := range cells {
			if i == maxListed {
				fmt.Fprintf(&b, "… %d more\n", len(cells)-i)
				break
			}
			b.WriteString(cellLine(n, n.Cell(id)))
		}
		return nil
	})
	return Result{Text: b.String()}, err
}

// cellLine describes a cell in a line: its id, kind, language, state, the number of its lines, and the first of them.
func cellLine(n *notebook.Notebook, c *notebook.Cell) string {
	if c.HideContext {
		return fmt.Sprintf("%s %s (hidden from assistants)\n", c.ID, c.Kind)
	}
	words := []string{string(c.ID), string(c.Kind)}
	if language := celltext.Language(n, c); language != "" && c.Kind == event.KindCode {
		words = append(words, language)
	}
	if state := celltext.State(n, c); state != "" {
		words = append(words, state)
	}
	source := strings.TrimSpace(c.Source())
	first, _, _ := strings.Cut(source, "\n")
	return fmt.Sprintf("%s, %d lines: %s\n", strings.Join(words, " "), lineCount(source), shortLine(first))
}

func lineCount(text string) int {
	if text == "" {
		return 0
	}
	return strings.Count(text, "\n") + 1
}

func shortLine(line string) string {
	line = strings.TrimSpace(line)
	if len(line) <= maxLine {
		return line
	}
	return strings.ToValidUTF8(line[:maxLine], "") + "…"
}

// readCell returns a cell with its source and outputs.
func readCell(_ context.Context, s *Set, a arguments) (Result, error) {
	var result Result
	err := s.with(func(r *replica.Replica) error {
		c, err := visible(r.View(), a.cell("cell"))
		if err != nil {
			return err
		}
		result.Text, result.Images = celltext.Cell(r.View(), c, s.cfg.Limits)
		s.saw(c.ID, c.Source())
		return nil
	})
	return result, err
}

// visible returns a cell that is not deleted and that assistants may see.
func visible(n *notebook.Notebook, id event.CellID) (*notebook.Cell, error) {
	c, err := live(n, id)
	if err == nil && c.HideContext {
		return nil, fmt.Errorf("cell %s is hidden from assistants: a person can show it", id)
	}
	return c, err
}

// search finds a text in the sources and the outputs.
func search(_ context.Context, s *Set, a arguments) (Result, error) {
	wanted := strings.ToLower(a.texts["text"])
	if wanted == "" {
		return Result{}, fmt.Errorf("search: the text is empty")
	}
	var b strings.Builder
	found := 0
	err := s.with(func(r *replica.Replica) error {
		n := r.View()
		for _, id := range n.Cells() {
			c := n.Cell(id)
			if c.HideContext {
				continue
			}
			found += matches(&b, string(id), c.Source(), wanted, maxFound-found)
			outputs, _ := celltext.Outputs(n, c.ShownOutputs(), 1<<20)
			found += matches(&b, string(id)+" output", outputs, wanted, maxFound-found)
		}
		return nil
	})
	switch {
	case found == 0:
		return Result{Text: fmt.Sprintf("%q is in no cell", a.texts["text"])}, err
	case found >= maxFound:
		fmt.Fprintf(&b, "… the first %d lines; search for a longer text to find others\n", maxFound)
	}
	return Result{Text: b.String()}, err
}

// matches writes the lines of a text that have a lower-case text, at most some, and returns their number.
func matches(b *strings.Builder, where, text, wanted string, most int) int {
	found := 0
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		if found < most && strings.Contains(strings.ToLower(line), wanted) {
			fmt.Fprintf(b, "%s:%d: %s\n", where, number, shortLine(line))
			found++
		}
	}
	return found
}

// variables lists the variables of a language's program.
func variables(ctx context.Context, s *Set, a arguments) (Result, error) {
	raw, err := s.cfg.Session.Call(ctx, protocol.MethodVariables, protocol.VariablesOf{Language: a.texts["language"]})
	if err != nil {
		return Result{}, err
	}
	var listed lang.Variables
	if err := json.Unmarshal(raw, &listed); err != nil {
		return Result{}, fmt.Errorf("read the variables: %w", err)
	}
	if len(listed.Variables) == 0 {
		return Result{Text: fmt.Sprintf("%s has no variables yet", listed.Language)}, nil
	}
	var b strings.Builder
	for _, v := range listed.Variables {
		fmt.Fprintf(&b, "%s: %s %s = %s\n", v.Name, v.Type, v.Shape, shortLine(v.Preview))
	}
	return Result{Text: celltext.Fold(b.String(), 30_000)}, nil
}
