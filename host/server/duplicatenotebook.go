package server

import (
	"context"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/ipynb"
	"github.com/quirehq/quire/core/notebook"
)

// Duplicate requests a copy of a notebook.
type Duplicate struct {
	Title string `json:"title,omitempty" jsonschema:"by default that of the notebook, followed by the word copy"`
}

// duplicateNotebook creates a notebook with the current cells and outputs of another. Its history,
// runs and runtimes are not copied, as with an imported file.
func (s *Server) duplicateNotebook(c *call, in Duplicate) (directory.Listing, error) {
	book, err := s.copyOf(c)
	if err != nil {
		return directory.Listing{}, err
	}
	release, err := s.memory.takeFor(c.r.Context(), book, math.MaxInt64/answerTimes)
	if err != nil {
		return directory.Listing{}, err
	}
	defer release()
	file, err := ipynb.Export(book)
	if err != nil {
		return directory.Listing{}, fmt.Errorf("copy notebook %s: %w", c.book.ID, err)
	}
	payloads, err := ipynb.Import(file)
	if err != nil {
		return directory.Listing{}, fmt.Errorf("copy notebook %s: %w", c.book.ID, err)
	}
	title := in.Title
	if title == "" {
		title = titleOfCopy(c.book.Title)
	}
	payloads = append(payloads, filesOf(book)...)
	prepare, err := s.copying(c, func(ctx context.Context, id string) error { return s.artifacts.Copy(ctx, c.book.ID, id) })
	if err != nil {
		return directory.Listing{}, err
	}
	return s.createWith(c, prepare, titleFirst(withArtifacts(payloads, book), title)...)
}

// copying wraps prepare for a copy of the notebook of a call. The copy is trusted if the notebook was
// created here by the user who copies it: trust that was granted belongs to one notebook.
func (s *Server) copying(c *call, prepare func(context.Context, string) error) (func(context.Context, string) error, error) {
	t, err := s.truster()
	if err != nil {
		return prepare, nil
	}
	of, err := t.Trust(c.book.ID)
	if err != nil {
		return nil, err
	}
	if of.Own && c.role == access.Owner {
		return prepare, nil
	}
	return s.untrusted(prepare), nil
}

// withArtifacts restores the outputs of cells that have artifacts, which a file cannot refer to. The
// payloads create the cells of the notebook, in order.
func withArtifacts(payloads []event.Payload, book *notebook.Notebook) []event.Payload {
	left, cells := book.Cells(), map[event.CellID]*notebook.Cell{}
	for _, p := range payloads {
		switch p := p.(type) {
		case *event.CellCreated:
			cells[p.Cell], left = book.Cell(left[0]), left[1:]
		case *event.OutputsImported:
			if outputs, ok := outputsOf(book, cells[p.Cell]); ok {
				p.Outputs = outputs
			}
		}
	}
	return payloads
}

// outputsOf returns the outputs of a cell, and whether any of them has artifacts.
func outputsOf(book *notebook.Notebook, c *notebook.Cell) (outputs []event.Output, artifacts bool) {
	for _, id := range c.Outputs {
		v := book.Output(id).Value()
		v.DisplayID = "" // it belongs to a program of the original
		outputs = append(outputs, v)
		artifacts = artifacts || len(v.Artifacts) > 0
	}
	return outputs, artifacts
}

func filesOf(book *notebook.Notebook) (payloads []event.Payload) {
	for _, name := range book.Files() {
		f, _ := book.File(name)
		payloads = append(payloads, &event.FileAttached{Name: name, MIME: f.MIME, Artifact: f.Artifact})
	}
	return payloads
}

// titleOfCopy returns the title of a copy. A title that would be too long is cut.
func titleOfCopy(title string) string {
	const behind = " copy"
	if most := event.MaxTitle - len(behind); len(title) > most {
		for !utf8.RuneStart(title[most]) {
			most--
		}
		title = title[:most]
	}
	return title + behind
}
