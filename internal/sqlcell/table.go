package sqlcell

import (
	"fmt"
	"slices"
	"strconv"
)

// column is a column of a table.
type column struct {
	name     string
	declared string // the type as the database writes it, "" if it has none
	kind     kind   // of its values, kindNull where each value has a type of its own
	exact    bool   // its numbers are decimals, not floating-point numbers
}

// bounds are the limits of a table.
type bounds struct {
	rows  int
	text  int // bytes of a value
	total int // bytes of all values
}

// shownBounds are those of a table that is shown, and keptBounds those of one that is kept for other languages.
var (
	shownBounds = bounds{rows: 1000, text: 2000, total: 2 << 20}
	keptBounds  = bounds{rows: 1_000_000, text: 16 << 20, total: 32 << 20}
)

// table is a result with the rows that fit.
type table struct {
	columns []column
	rows    [][]cell
	count   int64 // of all rows so far
	more    bool  // not all rows were counted

	bounds bounds
	size   int      // of the text in the rows
	csv    *csvText // of all rows, nil for none
	kept   *table   // the rows that are kept for other languages, nil for none
	binary bool     // blobs are whole, in base64
}

func newTable(columns []column, b bounds) *table { return &table{columns: columns, bounds: b} }

// full reports whether no row is shown any more.
func (t *table) full() bool { return len(t.rows) >= t.bounds.rows || t.size >= t.bounds.total }

// reads reports whether the next row is more than a number.
func (t *table) reads() bool { return !t.full() || t.csv != nil || t.kept != nil && !t.kept.full() }

// wants returns how many bytes of a value the table has a use for.
func (t *table) wants() int {
	most := t.bounds.text
	if t.csv != nil {
		most = max(most, csvBytes)
	}
	if t.kept != nil {
		most = max(most, t.kept.bounds.text)
	}
	return most
}

// add adds a row, or counts it when the table is full.
func (t *table) add(row []cell) {
	t.count++
	if t.csv != nil {
		t.csv.row(row)
	}
	if t.kept != nil {
		t.kept.add(slices.Clone(row))
	}
	if t.full() {
		return
	}
	for i, c := range row {
		row[i] = c.shorten(t.bounds.text, t.binary)
		t.size += len(row[i].text) + cellOverhead
	}
	t.rows = append(t.rows, row)
}

// cellOverhead is what a value counts beside its text, in bytes.
const cellOverhead = 8

// note counts the rows for a reader.
func (t *table) note() string {
	shown := int64(len(t.rows))
	switch {
	case t.more:
		return fmt.Sprintf("%s rows shown of more than %s", grouped(shown), grouped(t.count))
	case shown < t.count:
		return fmt.Sprintf("%s of %s rows shown", grouped(shown), grouped(t.count))
	}
	return rowsText(shown)
}

// rowsText counts rows.
func rowsText(n int64) string {
	if n == 1 {
		return "1 row"
	}
	return grouped(n) + " rows"
}

// grouped writes a count with its thousands apart.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// shorten returns the value with at most so many bytes of text, and the start of a blob unless it is to be whole.
func (c cell) shorten(most int, whole bool) cell {
	switch {
	case c.kind == kindBlob && whole:
		c.cut = c.cut || len(c.text) > 2*most
	case c.kind == kindBlob && len(c.text) > 2*blobStart:
		c.text, c.cut = c.text[:2*blobStart], true
	case c.kind != kindBlob && len(c.text) > most:
		c = cell{kind: c.kind, text: textCell(c.kind, []byte(c.text[:most]), len(c.text)).text, size: max(c.size, len(c.text)), cut: true}
	}
	return c
}

// blobStart is the number of bytes of a blob that are shown.
const blobStart = 32
