package sqlcell

import (
	"context"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/lang"
)

// lender lends the tables of another language to a cell, by the names of variables.
type lender struct{ tables lang.Tabler } // nil where there are none

// frame returns the table that a variable has, and whether it has one. A note says why a variable that there is cannot be
// queried.
func (l lender) frame(ctx context.Context, name string) (f frame, found bool, note string) {
	if l.tables == nil || name == "" || wordLength(name) != len(name) {
		return frame{}, false, ""
	}
	table, err := l.tables.Table(ctx, name)
	if err == nil {
		f, err = readFrame(table)
	}
	switch {
	case err == nil:
		return f, true, ""
	case errors.Is(err, lang.ErrNoVariable):
		return frame{}, false, ""
	}
	return frame{}, false, fmt.Sprintf("%s is a variable of Python, and cannot be queried: %v", name, err)
}

// readOnlyNote says that a table of another language is lent.
const readOnlyNote = "A table of Python is lent to the cell and cannot be changed here: CREATE TABLE … AS SELECT * FROM it makes one that can."

// frameFault returns the fault of a frame that could not be stored.
func frameFault(err error) *fault {
	var f *fault
	if err == nil || errors.As(err, &f) {
		return f
	}
	return &fault{name: "DirectiveError", message: err.Error(), at: -1}
}
