package plain

import (
	"slices"
	"strings"

	"github.com/quirehq/quire/core/event"
)

// ImportMarkdown reads a file of Markdown as events for an empty notebook. Fenced
// blocks of a language that cells can have are cells of code, and what is between
// them is cells of Markdown. The only error is that the file is not text.
func ImportMarkdown(data []byte) ([]event.Payload, error) {
	text, err := decode(data)
	if err != nil {
		return nil, err
	}
	front := cutFront(text)
	b := book{head: readHeader("", frontYAML(front))}
	for _, p := range cutMarkdown(text[len(front):], b.head.spoken()) {
		if c, ok := p.cell(b.head.spoken()); ok {
			b.cells = append(b.cells, c)
		}
	}
	return b.payloads()
}

// cutFront returns the front matter that a text begins with, if it does.
func cutFront(text string) string {
	n := 0
	for i, line := range lines(text) {
		bare, _ := cutEnd(line)
		n += len(line)
		switch bare = strings.TrimRight(bare, " \t"); {
		case i == 0 && bare != "---":
			return ""
		case i > 0 && (bare == "---" || bare == "..."):
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

// piece is a part of a text: a fenced block that is a cell, a region between
// comments, or what is between those.
type piece struct {
	raw    string // all of it
	body   string // without the lines around it
	fence  *fence // of a block
	region string // "region" or "raw", if it is one
	label  string // of a region
}

// cutMarkdown cuts a text into pieces, which together are the text.
func cutMarkdown(text, language string) []piece {
	list := lines(text)
	var pieces []piece
	var loose strings.Builder
	flush := func() {
		if loose.Len() > 0 {
			pieces = append(pieces, piece{raw: loose.String(), body: loose.String()})
			loose.Reset()
		}
	}
	for i := 0; i < len(list); {
		p, n := cutPiece(list[i:], language)
		if p.fence == nil && p.region == "" {
			loose.WriteString(p.raw)
		} else {
			flush()
			pieces = append(pieces, p)
		}
		i += n
	}
	flush()
	return pieces
}

// cutPiece returns the piece that lines begin with, and how many of them it has. A
// block that is no cell is one with the text around it, as is a region without an end.
func cutPiece(list []string, language string) (piece, int) {
	line, _ := cutEnd(list[0])
	if f, ok := openFence(line); ok {
		end := slices.IndexFunc(list[1:], func(line string) bool { line, _ = cutEnd(line); return f.closes(line) })
		p := piece{raw: strings.Join(list[:end+2], "")}
		switch {
		case end < 0:
			return piece{raw: strings.Join(list, "")}, len(list)
		case isCell(f.info, language):
			p.fence = &f
			for _, line := range list[1 : end+1] {
				p.body += f.inside(line)
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

// isCell reports whether a block with an info is a cell in a notebook of a language.
func isCell(info, language string) bool {
	name, m := readInfo(info)
	return name != "" && (tongue(name) != "" || strings.ToLower(name) == language || m.object(keyQuire) != nil)
}

// cell makes a cell of a piece, unless nothing is in it.
func (p piece) cell(language string) (cell, bool) {
	switch {
	case p.fence != nil:
		return p.code(language), true
	case p.region != "":
		l := parseLabel(p.label)
		c := cell{kind: event.KindMarkdown, metadata: l.metadata, source: eachLine(strings.TrimSuffix(p.body, "\n"), unescapeEnd)}
		if p.region == "raw" {
			c.kind = event.KindRaw
		}
		c.takeMarks()
		return c, true
	}
	source := strings.Trim(p.body, "\r\n")
	return cell{kind: event.KindMarkdown, metadata: metadata{}, source: source}, strings.TrimSpace(source) != ""
}

// code makes a cell of a fenced block in a notebook of a language. The metadata has
// the info if it is not as we would write it.
func (p piece) code(language string) cell {
	c := cellOf(p.fence.info, language)
	c.source = strings.TrimSuffix(p.body, "\n")
	if c.info(language) != p.fence.info {
		c.metadata[keyInfo] = encode(p.fence.info)
	}
	return c
}

// cellOf returns what the info of a fence says of its cell.
func cellOf(info, language string) cell {
	name, m := readInfo(info)
	c := cell{kind: event.KindCode, metadata: m}
	switch t := tongue(name); {
	case t == sql:
		c.kind = event.KindSQL
	case t != language:
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

func escapeEnd(line string) string {
	if at := endLine.FindStringSubmatchIndex(line); at != nil {
		return line[:at[2]] + `\` + line[at[2]:]
	}
	return line
}
