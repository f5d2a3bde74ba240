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

// ExportMarkdown writes a notebook as Markdown with its code in fenced blocks.
// Outputs, attachments and the metadata of the notebook other than its title and
// kernel are left. There is no error yet.
func ExportMarkdown(n *notebook.Notebook) ([]byte, error) {
	b := bookOf(n)
	yaml := b.head.text(python, ".md", "markdown")
	page := b.markdown(yaml)
	if head := readHeader("", yaml); head.dialect(page).myst { // a text that looks like MyST
		yaml = joined(members(yaml, func(key string) bool { return !isOurs(key) }), b.head.jupyter(".md", "markdown"))
		page = b.markdown(yaml)
	}
	return []byte(page), nil
}

// markdown writes a book behind a header.
func (b *book) markdown(yaml string) string {
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

// pageWriter collects a file of Markdown.
type pageWriter struct {
	dialect
	b     strings.Builder
	loose bool // the last piece was text without anything around it
}

// add writes a piece, with an empty line before it.
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

// text writes a text with nothing around it, if it is read as the same there,
// whatever follows. Two empty lines part it from text before it.
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

// region writes a text between comments that say what it is.
func (w *pageWriter) region(name, source string, m metadata) {
	label := strings.ReplaceAll(label{metadata: m}.String(), ">", `\u003e`) // it is JSON in a comment
	w.add("<!-- #" + name + label + " -->\n" + eachLine(source, escapeEnd) + "\n<!-- #end" + name + " -->\n")
}

// info returns the info of the fence of a cell of code: the one that it had, as long
// as it says the same.
func (c *cell) info(d dialect) string {
	if was := c.metadata.str(keyInfo); was != "" && c.saidBy(was, d) {
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
	if read := cellOf(word, d); read.kind != c.kind || read.language != c.language || read.source != "" || tongue(word) == "" && word != d.language {
		m = c.marked(c.kind, cmp.Or(c.language, d.language))
		delete(m, keyInfo)
	}
	return word + m.options()
}

// isWord is a name of a language that can begin the info of a fence.
var isWord = regexp.MustCompile(`^[A-Za-z][\w+#.-]*$`)

// saidBy reports whether an info says all that there is to say of a cell.
func (c *cell) saidBy(info string, d dialect) bool {
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
