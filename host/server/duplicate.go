package server

import (
	"context"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/ipynb"
	"github.com/quirehq/quire/core/notebook"
)

// Duplicate asks for a copy of a notebook.
type Duplicate struct {
	Title string `json:"title,omitempty" jsonschema:"by default the notebook's own with the word copy behind it"`
}

// duplicateNotebook makes a notebook with the cells and outputs that another has now.
// Its history, runs and runtimes stay where they are, as with a file that is imported.
func (s *Server) duplicateNotebook(c *call, in Duplicate) (directory.Listing, error) {
	book, err := s.copyOf(c)
	if err != nil {
		return directory.Listing{}, err
	}
	giveBack, err := s.scale.takeFor(c.r.Context(), book, math.MaxInt64/answerTimes)
	if err != nil {
		return directory.Listing{}, err
	}
	defer giveBack()
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

// withArtifacts puts the outputs of cells back that have artifacts, which no file can
// point at. The payloads make the cells of the book, in order.
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
		v.DisplayID = "" // it belonged to a program that is not the copy's
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

// titleOfCopy returns a title which says that a notebook is a copy. Of one that is too
// long for that it has the beginning.
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
