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
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang/names"
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

// writable returns the metadata of a cell that can be written.
func writable(m map[string]json.RawMessage) metadata {
	own := metadata{}
	for key, value := range m {
		if !isKey.MatchString(key) || slices.Contains(unwrittenKeys, key) {
			continue
		}
		if value, ok := canonical(value); ok {
			own[key] = value
		}
	}
	return own
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

// The keys of a notebook's metadata with a meaning here. The header of an imported file is under keyQuire.
const (
	keyKernel     = "kernelspec"
	keyInfoOf     = "language_info"
	keyHeader     = "header"     // its lines of YAML
	keyHeaderCell = "headerCell" // the first cell has the foreign members
	keyPreamble   = "preamble"   // the lines before it that name a program or an encoding
)

// The members of a header that name the form of the file.
const (
	formatName      = "text_representation.format_name"
	formatVersion   = "text_representation.format_version"
	formatExtension = "text_representation.extension"
)

// header is the part of a file before its first cell.
type header struct {
	preamble string // lines, without the last line's end
	yaml     string // lines, without the last line's end
	rest     string // the members of yaml that the notebook shows in its first cell

	title    string
	kernel   kernel
	language string // of language_info
	format   string // the form that the file names, such as "light"
}

// kernel is the kernelspec of a Jupyter notebook.
type kernel struct {
	Display  string `json:"display_name,omitempty"`
	Language string `json:"language,omitempty"`
	Name     string `json:"name,omitempty"`
}

func headerOf(n *notebook.Notebook) header {
	m := metadata(n.Metadata())
	h := header{title: n.Title(), language: m.object(keyInfoOf).str("name")}
	_ = json.Unmarshal(m[keyKernel], &h.kernel) // an invalid one counts as missing
	ours := m.object(keyQuire)
	h.preamble, h.yaml = ours.str(keyPreamble), ours.str(keyHeader)
	if h.yaml != "" && string(ours[keyHeaderCell]) != "true" { // no cell has its other members
		h.rest = readHeader("", h.yaml).rest
	}
	return h
}

// takeCell moves the members of a header from the first cell to the header, unless the header has them already.
func (b *content) takeCell() {
	if b.head.rest != "" || len(b.cells) == 0 {
		return
	}
	first := &b.cells[0]
	if rest, ok := first.inHeader(); ok {
		b.head.rest, b.cells = rest, b.cells[1:]
	}
}

// inHeader returns the YAML of a raw cell between two rules that a header can have instead.
func (c *cell) inHeader() (yaml string, ok bool) {
	yaml, ok = strings.CutPrefix(c.source, "---\n")
	yaml, closed := strings.CutSuffix(yaml, "\n---")
	m := c.marked("", c.language)
	delete(m, keyQuotes) // a header has no quotes
	if !ok || !closed || c.kind != event.KindRaw || len(m) > 0 {
		return "", false
	}
	for line := range strings.SplitSeq(yaml, "\n") {
		if isRule(line) {
			return "", false
		}
	}
	return yaml, isHeader(yaml) && foreignMembers(yaml, true) == yaml
}

// isRule reports whether a line ends a header.
func isRule(line string) bool {
	line = strings.TrimRight(line, " \t\r")
	return line == "---" || line == "..."
}

// headerCell returns the cell that shows the foreign members of a header.
func headerCell(rest string) cell {
	return cell{kind: event.KindRaw, metadata: metadata{}, source: "---\n" + rest + "\n---"}
}

// foreignMembers returns YAML without the members that the notebook has elsewhere.
func foreignMembers(yaml string, titled bool) string {
	return members(yaml, func(key string) bool { return !isOurs(key) && !(titled && key == keyTitle) })
}

// defaultLanguage returns the language of cells that name none.
func (h *header) defaultLanguage() string { return notebook.Language(h.metadata()) }

// assume sets the language of a header that names none.
func (h *header) assume(language string) {
	if h.kernel.Language == "" {
		h.language = cmp.Or(h.language, language)
	}
}

// metadata returns the kernel and the language as a notebook's metadata has them.
func (h *header) metadata() metadata {
	m := metadata{}
	if h.kernel != (kernel{}) {
		m[keyKernel] = encode(h.kernel)
	}
	if h.language != "" {
		m[keyInfoOf] = encode(map[string]string{"name": h.language})
	}
	return m
}

// readHeader reads title, kernel, language and format from YAML. MyST has at the top level what Jupytext has in the
// member "jupyter".
func readHeader(preamble, yaml string) header {
	h := header{preamble: preamble, yaml: yaml}
	values := scalars(yaml)
	for _, path := range slices.Sorted(maps.Keys(values)) {
		value := values[path]
		switch strings.TrimPrefix(path, "jupyter.") {
		case keyTitle:
			if len(value) <= event.MaxTitle && path == keyTitle {
				h.title = value
			}
		case "kernelspec.display_name":
			h.kernel.Display = value
		case "kernelspec.language":
			h.kernel.Language = value
		case "kernelspec.name":
			h.kernel.Name = value
		case "language_info.name":
			h.language = value
		case "jupytext." + formatName:
			h.format = value
		}
	}
	h.rest = foreignMembers(yaml, h.title != "")
	return h
}

// payloads returns the events that give an empty notebook the header.
func (h *header) payloads() []event.Payload {
	var list []event.Payload
	if h.title != "" {
		list = append(list, &event.NotebookTitled{Title: h.title})
	}
	m := h.metadata()
	for _, key := range slices.Sorted(maps.Keys(m)) {
		list = append(list, &event.NotebookMetadataSet{Key: key, Value: m[key]})
	}
	ours := map[string]any{}
	if h.yaml != "" {
		ours[keyHeader] = h.yaml
	}
	if h.rest != "" {
		ours[keyHeaderCell] = true
	}
	if h.preamble != "" {
		ours[keyPreamble] = h.preamble
	}
	if len(ours) > 0 {
		list = append(list, &event.NotebookMetadataSet{Key: keyQuire, Value: encode(ours)})
	}
	return list
}

// text returns the YAML to write: the lines of the imported file, with changed values replaced. It is empty if a file
// in that language needs no header.
func (h *header) text(language, extension, format string) string {
	was := readHeader("", h.yaml)
	was.assume(language)
	yaml := was.formatted(extension, format)
	sameKernel := was.kernel == h.kernel && was.defaultLanguage() == h.defaultLanguage()
	switch {
	case h.rest != was.rest:
		yaml = joined(h.titleLine(), h.rest, members(yaml, isOurs))
	case h.title != was.title:
		yaml = joined(h.titleLine(), without(yaml, keyTitle))
	}
	if !sameKernel {
		yaml = joined(members(yaml, func(key string) bool { return !isOurs(key) }), h.jupyter(extension, format))
	}
	return yaml
}

// isOurs reports whether a member of a header describes the form or the kernel.
func isOurs(key string) bool {
	switch key {
	case "jupyter", "jupytext", keyKernel, keyInfoOf, "kernel_info":
		return true
	}
	return false
}

// titleLine returns the line of YAML with the title, if there is one.
func (h *header) titleLine() string {
	if h.title == "" {
		return ""
	}
	return keyTitle + ": " + scalar(h.title)
}

// formatted returns the YAML with the name of the written form in place of the one that was read.
func (h *header) formatted(extension, format string) string {
	yaml := h.yaml
	if h.format == "" || h.format == format {
		return yaml
	}
	for _, prefix := range []string{"jupyter.jupytext.", "jupytext."} {
		yaml = replaced(yaml, prefix+formatName, format)
		yaml = replaced(yaml, prefix+formatExtension, extension)
		yaml = replaced(yaml, prefix+formatVersion, "")
	}
	return yaml
}

// jupyter returns the member of a header that names form and kernel.
func (h *header) jupyter(extension, format string) string {
	var b strings.Builder
	b.WriteString("jupyter:\n  jupytext:\n    text_representation:\n")
	b.WriteString("      extension: " + extension + "\n      format_name: " + format)
	if h.kernel != (kernel{}) {
		b.WriteString("\n  kernelspec:")
		for _, field := range [][2]string{{"display_name", h.kernel.Display}, {"language", h.kernel.Language}, {"name", h.kernel.Name}} {
			if field[1] != "" {
				b.WriteString("\n    " + field[0] + ": " + scalar(field[1]))
			}
		}
	}
	if language := h.defaultLanguage(); h.kernel.Language == "" || language != names.ID(h.kernel.Language) {
		b.WriteString("\n  language_info:\n    name: " + scalar(cmp.Or(h.language, language)))
	}
	return b.String()
}
