package sqlcell

import (
	"fmt"
	"html"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// widest is the width at which plain text cuts a value.
const widest = 80

// plain returns the table as aligned text.
func (t *table) plain() string {
	texts := make([][]string, 0, len(t.rows)+1)
	head := make([]string, len(t.columns))
	for i, c := range t.columns {
		head[i] = fit(oneLine(c.name))
	}
	texts = append(texts, head)
	for _, row := range t.rows {
		line := make([]string, len(row))
		for i, c := range row {
			line[i] = fit(oneLine(c.label()))
		}
		texts = append(texts, line)
	}
	widths := make([]int, len(t.columns))
	for _, line := range texts {
		for i, text := range line {
			widths[i] = max(widths[i], displaywidth.String(text))
		}
	}
	right := make([]bool, len(t.columns))
	for i := range right {
		right[i] = t.isNumeric(i)
	}
	var b strings.Builder
	for n, line := range texts {
		writeLine(&b, line, widths, right)
		if n == 0 {
			for i, width := range widths {
				if i > 0 {
					b.WriteByte('+')
				}
				b.WriteString(strings.Repeat("-", width+2))
			}
			b.WriteByte('\n')
		}
	}
	b.WriteString("(" + t.note() + ")")
	return b.String()
}

func writeLine(b *strings.Builder, line []string, widths []int, right []bool) {
	for i, text := range line {
		if i > 0 {
			b.WriteByte('|')
		}
		gap := strings.Repeat(" ", widths[i]-displaywidth.String(text))
		switch {
		case right[i]:
			b.WriteString(" " + gap + text)
		case i == len(line)-1:
			b.WriteString(" " + text)
			continue
		default:
			b.WriteString(" " + text + gap)
		}
		if i < len(line)-1 {
			b.WriteByte(' ')
		}
	}
	b.WriteByte('\n')
}

// isNumeric reports whether all values of a column are numbers.
func (t *table) isNumeric(i int) bool {
	some := false
	for _, row := range t.rows {
		switch row[i].kind {
		case kindInteger, kindNumber:
			some = true
		case kindNull:
		default:
			return false
		}
	}
	return some
}

// label returns the value for a reader. A text that would pass for NULL is in quotes.
func (c cell) label() string {
	text := c.text
	switch {
	case c.kind == kindNull:
		return nullLabel
	case c.kind == kindBlob:
		text = "x'" + text + "'"
		if c.cut {
			text = strings.TrimSuffix(text, "'") + "…'"
		}
		return fmt.Sprintf("%s (%s)", text, bytesText(c.size))
	case c.kind == kindText && text == nullLabel:
		return "'" + text + "'"
	}
	if c.cut {
		text += fmt.Sprintf("… (%s)", bytesText(c.size))
	}
	return text
}

const nullLabel = "NULL"

func bytesText(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return grouped(int64(n)) + " bytes"
}

// oneLine shows control characters by their pictures, so that a value is one line and no terminal obeys it.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ':
			return r + '␀'
		case r == 0x7f:
			return '␡'
		case r >= 0x80 && r < 0xa0 || r == '\u2028' || r == '\u2029':
			return '\uFFFD'
		}
		return r
	}, text)
}

// fit cuts a text that is too wide.
func fit(text string) string {
	if len(text) <= widest || displaywidth.String(text) <= widest {
		return text
	}
	return displaywidth.TruncateString(text, widest, "…")
}

// html returns the table as HTML.
func (t *table) html() string {
	var b strings.Builder
	b.WriteString("<table class=\"dataframe\">\n<thead>\n<tr>")
	right := make([]string, len(t.columns))
	for i, c := range t.columns {
		if t.isNumeric(i) {
			right[i] = ` style="text-align: right"`
		} else {
			right[i] = ` style="text-align: left"`
		}
		title := ""
		if c.declared != "" {
			title = ` title="` + html.EscapeString(c.declared) + `"`
		}
		b.WriteString("<th" + right[i] + title + ">" + html.EscapeString(c.name) + "</th>")
	}
	b.WriteString("</tr>\n</thead>\n<tbody>\n")
	for _, row := range t.rows {
		b.WriteString("<tr>")
		for i, c := range row {
			text := html.EscapeString(c.label())
			if c.kind == kindNull {
				text = "<i>" + nullLabel + "</i>"
			}
			b.WriteString("<td" + right[i] + ">" + text + "</td>")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table>\n<p>" + t.note() + "</p>")
	return b.String()
}
