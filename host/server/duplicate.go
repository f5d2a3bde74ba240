package server

import (
	"fmt"
	"unicode/utf8"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/ipynb"
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
	return s.create(c, titleFirst(payloads, title)...)
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
