package plain

import (
	"regexp"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/event"
)

// ImportMarkdown reads a Markdown file as events for an empty notebook. Fenced blocks of a language that cells can have
// are code cells, and the text between them is Markdown cells. The only error is a file that is not text.
func ImportMarkdown(data []byte) ([]event.Payload, error) {
	text, err := decode(data)
	if err != nil {
		return nil, err
	}
	front := cutFront(text)
	b := content{head: readHeader("", frontYAML(front))}
	d := b.head.dialect(text)
	for _, p := range d.cut(text[len(front):]) {
		if c, ok := p.cell(d); ok {
			b.cells = append(b.cells, c)
		}
	}
	return b.payloads()
}

// cutFront returns the front matter at the start of a text, or "".
func cutFront(text string) string {
	n := 0
	for i, line := range lines(text) {
		n += len(line)
		switch {
		case i == 0 && strings.TrimRight(line, " \t\r\n") != "---":
			return ""
		case i > 0 && isRule(strings.TrimRight(line, "\n")):
			if !isHeader(frontYAML(text[:n])) {
				return ""
			}
			return text[:n]
		}
	}
	return ""
}

func frontYAML(front string) string {
	list := strings.Split(strings.TrimRight(front, "\r\n"), "\n")
	if len(list) < 3 {
		return ""
	}
	return strings.Join(list[1:len(list)-1], "\n")
}

// dialect has the conventions for cells of a Markdown file.
type dialect struct {
	language string // of cells that name none
	magics   bool   // the file is Jupytext's: blocks of another language are magics of Python
	myst     bool   // cells are directives, and +++ separates text cells
}

// dialect returns the dialect of a text with the header.
func (h *header) dialect(text string) dialect {
	return dialect{
		language: h.defaultLanguage(),
		magics:   h.defaultLanguage() == python && (h.format != "" || h.kernel != (kernel{})),
		myst:     h.format == "myst" || h.format == "" && (directiveFence.MatchString(text) || hasMember(h.yaml, keyKernel)),
	}
}

// hasMember reports whether the outermost mapping of YAML has a member.
func hasMember(yaml, key string) bool { return without(yaml, key) != strings.Trim(yaml, "\n") }

// directiveFence is a line that begins a cell in MyST.
var directiveFence = regexp.MustCompile("(?m)^(?:`{3,}|~{3,})\\{(?:code|raw)-cell\\}")

// piece is a part of a text: a fenced block that is a cell, a region between comments, or the text between those.
type piece struct {
	raw    string // all of it
	body   string // without the lines around it
	fence  *fence // of a block
	region string // "region" or "raw", if it is one
	label  string // of a region, or of the text after a +++
}

// cut cuts a text into pieces, whose concatenation is the text.
func (d dialect) cut(text string) []piece {
	c := cutter{dialect: d}
	for list := lines(text); len(list) > 0; {
		p, n := cutPiece(list, d)
		switch {
		case p.fence != nil || p.region != "":
			c.flush()
			c.pieces = append(c.pieces, p)
		case n == 1:
			c.line(p.raw)
		default:
			c.block(p.raw)
		}
		list = list[n:]
	}
	c.flush()
	return c.pieces
}

// cutter collects the text between code cells.
type cutter struct {
	dialect
	pieces []piece
	loose  strings.Builder
	mark   int    // bytes of the line of +++ that loose begins with
	label  string // of that line
	blank  int    // number of empty lines at the end of loose
}

// block adds lines that stay together.
func (c *cutter) block(raw string) {
	if c.blank >= 2 && !c.myst {
		c.flush()
	}
	c.blank = 0
	c.loose.WriteString(raw)
}

// line adds a line of text. Two empty lines separate two cells unless indented code continues after them; in MyST a
// line of +++ does, which may have the metadata of the next cell.
func (c *cutter) line(raw string) {
	bare := strings.TrimRight(raw, " \t\r\n")
	label, isBreak := strings.CutPrefix(bare, "+++")
	switch {
	case bare == "":
		c.blank++
		c.loose.WriteString(raw)
	case c.myst && isBreak && (label == "" || strings.ContainsAny(label[:1], " \t{")):
		c.flush()
		c.loose.WriteString(raw)
		c.mark, c.label = len(raw), label
	case strings.HasPrefix(raw, "    ") || strings.HasPrefix(raw, "\t"):
		c.blank = 0
		c.block(raw)
	default:
		c.block(raw)
	}
}

func (c *cutter) flush() {
	if raw := c.loose.String(); raw != "" {
		c.pieces = append(c.pieces, piece{raw: raw, body: raw[c.mark:], label: c.label})
	}
	c.loose.Reset()
	c.mark, c.label, c.blank = 0, "", 0
}

// cutPiece returns the first piece of lines, and its number of lines. A block that is not a cell belongs to the text
// around it, as does a region without an end.
func cutPiece(list []string, d dialect) (piece, int) {
	line, _ := cutEnd(list[0])
	if f, ok := openFence(line); ok {
		end := slices.IndexFunc(list[1:], func(line string) bool { line, _ = cutEnd(line); return f.closes(line) })
		p := piece{raw: strings.Join(list[:end+2], "")}
		switch {
		case end < 0:
			return piece{raw: strings.Join(list, "")}, len(list)
		case d.isCell(f.info):
			p.fence = &f
			for _, line := range list[1 : end+1] {
				p.body += f.dedent(line)
			}
		}
		return p, end + 2
	}
	if at := regionLine.FindStringSubmatch(line); at != nil {
		end := slices.IndexFunc(list[1:], isEnd)
		if end >= 0 {
			return piece{
				raw: strings.Join(list[:end+2], ""), body: strings.Join(list[1:end+1], ""),
				region: at[1], label: at[2],
			}, end + 2
		}
	}
	return piece{raw: list[0]}, 1
}

// isEnd reports whether a line ends a region.
func isEnd(line string) bool {
	line, _ = cutEnd(line)
	at := endLine.FindStringSubmatch(line)
	return at != nil && at[1] == ""
}

// isCell reports whether a block with an info is a cell.
func (d dialect) isCell(info string) bool {
	name, m := readInfo(info)
	switch {
	case d.myst:
		return directive(info) != ""
	case d.language != python && isNameOf(info, d.language):
		return true
	case name == "" || noEval.MatchString(info):
		return false
	case d.isMagic(name, m):
		return true
	}
	return blockLanguage(name) != "" || strings.ToLower(name) == d.language || m.object(keyQuire) != nil
}

// noEval matches the mark of a block that Jupytext reads as text.
var noEval = regexp.MustCompile(`(?:^|[\s{])\.noeval(?:$|[\s}])`)

// isMagic reports whether a block is a Python cell that begins with a magic of the block's name.
func (d dialect) isMagic(name string, m metadata) bool {
	return d.magics && name != sql && name != d.language && slices.Contains(cellMagics, name) && m.object(keyQuire) == nil
}

// cell makes a cell of a piece, unless it is empty.
func (p piece) cell(d dialect) (cell, bool) {
	switch {
	case p.fence != nil && d.myst && directive(p.fence.info) != "":
		return p.directive(d), true
	case p.fence != nil:
		return p.code(d), true
	case p.region != "":
		l := parseLabel(p.label)
		c := cell{kind: event.KindMarkdown, metadata: l.metadata, source: eachLine(strings.TrimSuffix(p.body, "\n"), unescapeEnd)}
		if p.region == "raw" {
			c.kind = event.KindRaw
		}
		c.takeMarks()
		return c, true
	}
	c := cell{kind: event.KindMarkdown, metadata: parseLabel(p.label).metadata, source: strings.Trim(p.body, "\r\n")}
	c.takeMarks()
	return c, strings.TrimSpace(c.source) != "" || p.label != ""
}

// code makes a cell of a fenced block. The metadata has the info if it differs from the one that would be written.
func (p piece) code(d dialect) cell {
	c := cellOf(p.fence.info, d)
	source := strings.TrimSuffix(p.body, "\n")
	if c.source != "" { // the line of a magic
		c.source += source
		return c
	}
	c.source = source
	if c.info(d) != p.fence.info {
		c.metadata[keyInfo] = encode(p.fence.info)
	}
	return c
}

// cellOf returns the cell that the info of a fence describes. The source is the line of a magic, if the block stands
// for one.
func cellOf(info string, d dialect) cell {
	name, m := readInfo(info)
	c := cell{kind: event.KindCode, metadata: m}
	switch t := blockLanguage(name); {
	case d.language != python && isNameOf(info, d.language):
		c.metadata = metadata{}
	case d.isMagic(name, m):
		c.source = "%%" + name
		if arguments := m.str(keyArguments); arguments != "" {
			c.source += " " + arguments
		}
		c.source += "\n"
		delete(m, keyArguments)
	case t == sql:
		c.kind = event.KindSQL
	case t != d.language:
		c.language = t
	}
	c.takeMarks()
	return c
}

func unescapeEnd(line string) string {
	if at := endLine.FindStringSubmatchIndex(line); at != nil && at[2] < at[3] {
		return line[:at[2]] + line[at[2]+1:]
	}
	return line
}
