package plain

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/event"
)

// metadata is the metadata of a cell or a notebook, by key.
type metadata map[string]json.RawMessage

// The keys with a meaning here. Marks are under keyQuire and keyJupyter as in a Jupyter file.
const (
	keyQuire   = "quire"
	keyJupyter = "jupyter"

	markKind        = "kind"
	markLanguage    = "language"
	markHideContext = "hideContext"
	markOptions     = "options" // options of a directive of MyST that are not understood
	markEnd         = "end"     // line ends after a source, which would be taken for those between cells
	markHideSource  = "source_hidden"
	markHideOutputs = "outputs_hidden"

	keyTitle     = "title"
	keyDepth     = "cell_depth"  // number of percent signs of a marker, minus two
	keyQuotes    = "cell_marker" // the quotes that a text is written between
	keyLanguage  = "language"    // in a program, of a cell that is commented out
	keyArguments = "magic_args"  // of the magic with the name of that language
	keyInfo      = "info"        // of a fence, if it differs from the one that would be written
)

// unwrittenKeys are the keys that are not written: remains of other formats, records of runs, and keys that would be
// misread.
var unwrittenKeys = []string{"ipynb", "trusted", "collapsed", "scrolled", "autoscroll", "execution", "ExecuteTime", keyLanguage, keyArguments}

// str returns the value of a key that is a string.
func (m metadata) str(key string) string {
	var s string
	_ = json.Unmarshal(m[key], &s) // any other value counts as missing
	return s
}

// object returns the value of a key that is an object, nil if it is none.
func (m metadata) object(key string) metadata {
	var o metadata
	_ = json.Unmarshal(m[key], &o)
	return o
}

// remove removes and returns a member of the object under a key, and removes the object with its last one.
func (m metadata) remove(parent, key string) json.RawMessage {
	o := m.object(parent)
	value, ok := o[key]
	if !ok {
		return nil
	}
	delete(o, key)
	if delete(m, parent); len(o) > 0 {
		m[parent] = encode(o)
	}
	return value
}

// set sets a member of the object under a key, replacing any value that is not an object.
func (m metadata) set(parent, key string, value any) {
	o := m.object(parent)
	if o == nil {
		o = metadata{}
	}
	o[key] = encode(value)
	m[parent] = encode(o)
}

// removeText is remove for a string.
func (m metadata) removeText(parent, key string) string {
	return metadata{key: m.remove(parent, key)}.str(key)
}

// encode returns the JSON form of a value, with only necessary escapes.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // strings, flags and JSON only
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// takeMarks moves the marks in the metadata of a cell to its fields.
func (c *cell) takeMarks() {
	m := c.metadata
	switch kind := event.CellKind(m.removeText(keyQuire, markKind)); kind {
	case event.KindCode, event.KindSQL, event.KindAI:
		c.kind = kind
	}
	if language := m.removeText(keyQuire, markLanguage); language != "" && len(language) <= event.MaxName {
		c.language = language
	}
	c.hideContext = string(m.remove(keyQuire, markHideContext)) == "true"
	c.hideSource = string(m.remove(keyJupyter, markHideSource)) == "true"
	c.hideOutputs = string(m.remove(keyJupyter, markHideOutputs)) == "true"
}

// marked returns the metadata of a cell with its marks. Values that only resemble one are removed before.
func (c *cell) marked(kind event.CellKind, language string) metadata {
	own := cell{metadata: maps.Clone(c.metadata)}
	own.takeMarks()
	m := own.metadata
	if m == nil {
		m = metadata{}
	}
	m.remove(keyQuire, markEnd)
	if kind != "" {
		m.set(keyQuire, markKind, kind)
	}
	if language != "" {
		m.set(keyQuire, markLanguage, language)
	}
	if c.hideContext {
		m.set(keyQuire, markHideContext, true)
	}
	if c.hideSource {
		m.set(keyJupyter, markHideSource, true)
	}
	if c.hideOutputs {
		m.set(keyJupyter, markHideOutputs, true)
	}
	return m
}

var isKey = regexp.MustCompile(`^[A-Za-z_][\w.-]*$`)

// options writes metadata as key=value pairs, each after a space.
func (m metadata) options() string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(m)) {
		b.WriteString(" " + key + "=")
		b.Write(spaced(m[key]))
	}
	return strings.ReplaceAll(b.String(), "\u0085", `\u0085`) // JSON does not escape it, and it ends a line in Scheme
}

// spaced returns compact JSON with the spaces that Python adds.
func spaced(compact json.RawMessage) []byte {
	out := make([]byte, 0, len(compact)+8)
	quoted := false
	for i, c := range compact {
		out = append(out, c)
		switch {
		case c == '"' && !escaped(compact[:i]):
			quoted = !quoted
		case (c == ',' || c == ':') && !quoted:
			out = append(out, ' ')
		}
	}
	return out
}

// escaped reports whether the next character is escaped: an odd number of backslashes is before it.
func escaped(before []byte) bool {
	return (len(before)-len(bytes.TrimRight(before, `\`)))%2 == 1
}
