package plain

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// ExportMarkdown writes a notebook as Markdown with its code in fenced blocks. It leaves out outputs, attachments and
// the metadata of the notebook other than its title and kernel. There is no error yet.
func ExportMarkdown(n *notebook.Notebook) ([]byte, error) {
	b := contentOf(n)
	yaml := b.head.text(python, ".md", "markdown")
	page := b.markdown(yaml)
	if head := readHeader("", yaml); head.dialect(page).myst { // a text that resembles MyST
		yaml = joined(members(yaml, func(key string) bool { return !isOurs(key) }), b.head.jupyter(".md", "markdown"))
		page = b.markdown(yaml)
	}
	return []byte(page), nil
}

// markdown writes the content after a header.
func (b *content) markdown(yaml string) string {
	head := readHeader("", yaml)
	w := pageWriter{dialect: head.dialect("")}
	if yaml != "" {
		w.add("---\n" + yaml + "\n---\n")
	}
	for i := range b.cells {
		w.cell(&b.cells[i])
	}
	return w.b.String()
}

// pageWriter builds a Markdown file.
type pageWriter struct {
	dialect
	b     strings.Builder
	loose bool // the last piece was a text without delimiters
}

// add appends a piece, after an empty line.
func (w *pageWriter) add(piece string) {
	if w.b.Len() > 0 {
		w.b.WriteByte('\n')
	}
	w.b.WriteString(piece)
	w.loose = false
}

func (w *pageWriter) cell(c *cell) {
	switch c.kind {
	case event.KindMarkdown:
		if m := c.marked("", c.language); len(m) > 0 || !w.text(c.source) {
			w.region("region", c.source, m)
		}
	case event.KindAI:
		w.region("region", c.source, c.marked(c.kind, c.language))
	case event.KindRaw:
		w.region("raw", c.source, c.marked("", c.language))
	default:
		info := c.info(w.dialect)
		mark := fenceFor(c.source, info)
		source := c.source
		if source != "" {
			source += "\n"
		}
		w.add(mark + info + "\n" + source + mark + "\n")
	}
}

// text writes a text without delimiters, if it will be read back unchanged whatever follows. Two empty lines separate
// it from a text before it.
func (w *pageWriter) text(source string) bool {
	if strings.TrimSpace(source) == "" || strings.Trim(source, "\r\n") != source {
		return false
	}
	if w.b.Len() == 0 && cutFront(source+"\n---\n") != "" {
		return false
	}
	const before, block, end = "text\n\n\n", "```python\n```\n", "\n<!-- #endregion -->\n"
	pieces := w.cut(before + source + "\n\n" + block + end)
	if len(pieces) != 4 || pieces[0].raw != before || pieces[2].raw != block || pieces[3].raw != end {
		return false
	}
	if w.loose {
		w.b.WriteByte('\n')
	}
	w.add(source + "\n")
	w.loose = true
	return true
}

// region writes a text between comments with its name and metadata.
func (w *pageWriter) region(name, source string, m metadata) {
	label := strings.ReplaceAll(label{metadata: m}.String(), ">", `\u003e`) // it is JSON in a comment
	w.add("<!-- #" + name + label + " -->\n" + eachLine(source, escapeEnd) + "\n<!-- #end" + name + " -->\n")
}

func escapeEnd(line string) string {
	if at := endLine.FindStringSubmatchIndex(line); at != nil {
		return line[:at[2]] + `\` + line[at[2]:]
	}
	return line
}

// info returns the info of the fence of a code cell: the imported one, while it still describes the cell.
func (c *cell) info(d dialect) string {
	if was := c.metadata.str(keyInfo); was != "" && c.describedBy(was, d) {
		return was
	}
	word := cmp.Or(c.language, d.language)
	if c.kind == event.KindSQL {
		word = sql
	}
	if !isWord.MatchString(word) {
		word = "code"
	}
	m := c.marked("", "")
	delete(m, keyInfo)
	if read := cellOf(word, d); read.kind != c.kind || read.language != c.language || read.source != "" || blockLanguage(word) == "" && word != d.language {
		m = c.marked(c.kind, cmp.Or(c.language, d.language))
		delete(m, keyInfo)
	}
	return word + m.options()
}

// isWord matches a name of a language that can begin the info of a fence.
var isWord = regexp.MustCompile(`^[A-Za-z][\w+#.-]*$`)

// describedBy reports whether an info describes a cell completely.
func (c *cell) describedBy(info string, d dialect) bool {
	f, ok := openFence(fenceFor("", info) + info)
	if !ok || f.info != info || strings.ContainsAny(info, "\r\n") || !d.isCell(info) {
		return false
	}
	read := cellOf(info, d)
	own := c.marked("", "")
	delete(own, keyInfo)
	return read.kind == c.kind && read.language == c.language && read.source == "" &&
		maps.EqualFunc(read.marked("", ""), own, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}
