package plain

import (
	"encoding/json"
	"fmt"

	"github.com/quirehq/quire/core/notebook"
)

// programs describes the files of programs, for people.
const programs = `a program, such as .py, .r, .jl or .js`

// NoFormat returns an error text for a file name ending that cannot be read, or written, with the supported ones.
func NoFormat(ending string, reading bool) string {
	switch {
	case reading && ending == "html":
		return "a page of HTML can be written and not read: a notebook is read from .ipynb, .md or " + programs
	case reading:
		return fmt.Sprintf("there is no notebook format %.20q: a notebook is read from .ipynb, .md or %s", ending, programs)
	}
	return fmt.Sprintf("there is no notebook format %.20q: a notebook is written as .ipynb, .md, .html or %s", ending, programs)
}

// Attachments returns the number of files attached to the cells of a notebook, which the forms of this package leave
// out.
func Attachments(n *notebook.Notebook) int {
	count := 0
	for _, id := range n.Cells() {
		var kept struct {
			Attachments map[string]json.RawMessage `json:"attachments"`
		}
		if json.Unmarshal(n.Cell(id).Metadata["ipynb"], &kept) == nil {
			count += len(kept.Attachments)
		}
	}
	return count
}

// WithoutAttachments returns a warning that attached files are not in the written file.
func WithoutAttachments(count int) string {
	what := "1 attached file is"
	if count != 1 {
		what = fmt.Sprintf("%d attached files are", count)
	}
	return what + " left out: export as .ipynb or .html to have all"
}
