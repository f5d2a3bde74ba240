package sqlcell

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/quirehq/quire/core/lang"
)

// output is what the statements of a cell show, in order. The last table is held back, with the text behind it, until it
// is known whether it is the result.
type output struct {
	sink    lang.Sink
	csv     bool
	keep    bool // the result is for other languages, too
	pending *table
	held    []text // behind the pending table
	size    int    // of the held text
}

// text is a text of a stream.
type text struct{ stream, text string }

// heldBytes bounds the text that waits behind a table.
const heldBytes = 64 << 10

// table returns an empty table for the rows of a statement.
func (o *output) table(columns []column) *table {
	t := newTable(columns, shownBounds)
	if o.csv {
		t.csv = newCSV(columns)
	}
	if o.keep {
		t.kept = newTable(columns, keptBounds)
		t.kept.binary = true
	}
	return t
}

// end shows a table that is complete.
func (o *output) end(t *table) {
	o.flush()
	o.pending = t
}

// write shows a text, with its line end.
func (o *output) write(stream, line string) {
	line = strings.ToValidUTF8(line, "\uFFFD")
	if o.pending == nil {
		o.sink.Stream(stream, line)
		return
	}
	o.held = append(o.held, text{stream, line})
	if o.size += len(line); o.size > heldBytes {
		o.flush()
	}
}

// count tells what a statement did to rows.
func (o *output) count(did string, n int64) {
	o.write(lang.Stdout, rowsText(n)+" "+did+"\n")
}

// flush shows the table that was held back as a display.
func (o *output) flush() {
	if t := o.pending; t != nil {
		o.sink.Display(t.bundle(), "")
		o.drop(t)
	}
}

// result shows the table that was held back as the result, and returns it, nil if there is none.
func (o *output) result() *table {
	t := o.pending
	if t != nil {
		o.sink.Result(t.bundle(), "")
		o.drop(t)
	}
	return t
}

// drop forgets the table that was shown, and shows the text behind it.
func (o *output) drop(t *table) {
	held := o.held
	o.pending, o.held, o.size = nil, nil, 0
	if t.csv != nil && t.csv.over {
		o.sink.Stream(lang.Stderr, fmt.Sprintf("The result has no CSV: it would have more than %d MiB.\n", csvBytes>>20))
	}
	for _, h := range held {
		o.sink.Stream(h.stream, h.text)
	}
}

// resourceType is the type of a table with its schema.
const resourceType = "application/vnd.dataresource+json"

// bundle returns the table in all forms.
func (t *table) bundle() lang.Bundle {
	b := lang.Text("text/plain", t.plain())
	b.Data["text/html"] = jsonText(t.html())
	if r, err := t.resource(); err == nil { // a name or a value always marshals
		if b.Data[resourceType], err = json.Marshal(r); err != nil {
			delete(b.Data, resourceType)
		}
	}
	if t.csv != nil && !t.csv.over {
		b.Data["text/csv"] = jsonText(t.csv.text.String())
	}
	return b
}

func jsonText(text string) json.RawMessage { return lang.Text("", text).Data[""] }
