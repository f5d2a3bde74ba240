package sqlcell

import (
	"encoding/csv"
	"strings"
)

// csvBytes bounds the text of a result as CSV.
const csvBytes = 8 << 20

// csvText is a result as CSV, with all rows and whole values. NULL is an empty field, and an empty text one in quotes.
type csvText struct {
	text strings.Builder
	over bool // it does not fit
}

func newCSV(columns []column) *csvText {
	c := &csvText{}
	row := make([]cell, len(columns))
	for i, col := range columns {
		row[i] = cell{kind: kindText, text: col.name}
	}
	c.row(row)
	return c
}

func (c *csvText) row(row []cell) {
	if c.over {
		return
	}
	for i, v := range row {
		if i > 0 {
			c.text.WriteByte(',')
		}
		c.over = c.over || v.cut || c.text.Len()+len(v.text) > csvBytes
		if c.over {
			c.text.Reset()
			return
		}
		switch {
		case v.kind == kindNull:
		case v.text == "":
			c.text.WriteString(`""`)
		default:
			c.text.WriteString(quoteCSV(v.text))
		}
	}
	c.text.WriteString("\n")
}

// quoteCSV quotes a field as far as it needs it.
func quoteCSV(text string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write([]string{text}) // a builder takes all
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}
