// Package plain reads and writes notebooks as text for version control: programs in the py:percent form, whose cells
// begin with lines such as "# %% [markdown]", and Markdown, whose fenced code blocks are the cells.
//
// Both forms have sources, kinds, languages, tags and other metadata of cells, and a title and a kernel in a YAML
// header. They have no outputs. A notebook that is written and read again has the same cells, and files by other
// programs lose none of their text. The forms are those of Jupytext where it has one, so either program can read the
// other's files. Jupytext's light programs and MyST, and the programs of nbconvert, are read as well. The rules are in
// spec/plain.md.
//
// The caller chooses the form of a file.
package plain

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/order"
)

// content is the content of a notebook that both forms have.
type content struct {
	head  header
	cells []cell
}

// cell is the content of a cell that both forms have.
type cell struct {
	kind     event.CellKind
	language string // empty for the notebook's language
	source   string
	metadata metadata

	hideSource, hideOutputs, hideContext bool
}

// contentOf returns the content of a notebook that the forms have.
func contentOf(n *notebook.Notebook) content {
	b := content{head: headerOf(n), cells: make([]cell, len(n.Cells()))}
	for i, id := range n.Cells() {
		c := n.Cell(id)
		b.cells[i] = cell{
			kind: c.Kind, language: c.Language, source: c.Source(), metadata: writable(c.Metadata),
			hideSource: c.HideSource, hideOutputs: c.HideOutputs, hideContext: c.HideContext,
		}
	}
	b.takeCell()
	return b
}

// payloads returns the events that give an empty notebook the content.
func (b *content) payloads() ([]event.Payload, error) {
	list := b.head.payloads()
	if b.head.rest != "" {
		b.cells = slices.Insert(b.cells, 0, headerCell(b.head.rest))
	}
	ids := make(map[event.CellID]bool, len(b.cells))
	var last order.Place
	for i := range b.cells {
		c := &b.cells[i]
		id := newID(c, ids)
		key, err := order.Between(last, order.Place{})
		if err != nil {
			return nil, fmt.Errorf("cell %d: %w", i+1, err)
		}
		last = order.Place{Key: key, ID: string(id)}
		list = append(list, &event.CellCreated{Cell: id, Kind: c.kind, Language: c.language, Order: key, Source: c.source})
		if c.hideSource || c.hideOutputs || c.hideContext {
			list = append(list, &event.CellVisibilitySet{
				Cell: id, Source: hidden(c.hideSource), Outputs: hidden(c.hideOutputs), Context: hidden(c.hideContext),
			})
		}
		for _, name := range slices.Sorted(maps.Keys(c.metadata)) {
			if string(c.metadata[name]) != "null" { // null would remove it
				list = append(list, &event.CellMetadataSet{Cell: id, Key: name, Value: c.metadata[name]})
			}
		}
	}
	return list, nil
}

// hidden returns the value of CellVisibilitySet for a part: false, or nil for a part that is not hidden.
func hidden(hide bool) *bool {
	if !hide {
		return nil
	}
	return new(bool)
}

// newID derives an id from the content of a cell, and for equal cells from the number of earlier ones: two imports of a
// file agree, and a cell keeps its id when others are added or removed.
func newID(c *cell, used map[event.CellID]bool) event.CellID {
	for i := 1; ; i++ {
		sum := sha256.Sum256([]byte(string(c.kind) + "\x00" + strconv.Itoa(i) + "\x00" + c.source))
		id := event.CellID(hex.EncodeToString(sum[:4]))
		if !used[id] {
			used[id] = true
			return id
		}
	}
}

// decode returns the text of a file. CRLF becomes LF if the file has no other line ends.
func decode(data []byte) (string, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return "", fmt.Errorf("line %d: the file is not UTF-8 text", 1+bytes.Count(data[:firstInvalid(data)], []byte("\n")))
	}
	text := string(data)
	if n := strings.Count(text, "\r\n"); n > 0 && n == strings.Count(text, "\n") && n == strings.Count(text, "\r") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text, nil
}

func firstInvalid(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(data)
}

// lines cuts a text after each of its line ends, which are those of Python and of Markdown. The last line has no line
// end and may be empty.
func lines(s string) []string {
	var list []string
	for {
		i := strings.IndexAny(s, "\r\n")
		if i < 0 {
			return append(list, s)
		}
		if i++; s[i-1] == '\r' && strings.HasPrefix(s[i:], "\n") {
			i++
		}
		list = append(list, s[:i])
		s = s[i:]
	}
}

// cutEnd cuts the line end off a line.
func cutEnd(line string) (text, end string) {
	text = strings.TrimRight(line, "\r\n")
	return text, line[len(text):]
}

// eachLine changes the text of every line of s.
func eachLine(s string, change func(string) string) string {
	var b strings.Builder
	for _, line := range lines(s) {
		text, end := cutEnd(line)
		b.WriteString(change(text))
		b.WriteString(end)
	}
	return b.String()
}
