package plain

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/quirehq/quire/core/event"
)

// maxBrackets bounds the lists and objects in the value of an option: deeper nesting than any program's does not fit
// into an event.
const maxBrackets = 1000

var (
	optionKey = regexp.MustCompile(`^[A-Za-z_][\w.-]*=`)
	bareWord  = regexp.MustCompile(`^[^\s"'{}\[\]]+`)
)

// parseOptions reads key=value pairs, whose values are JSON, a string in single quotes or a word, or one JSON object.
// It reports whether all of s is that.
func parseOptions(s string) (metadata, bool) {
	s = strings.TrimSpace(s)
	m := metadata{}
	if strings.HasPrefix(s, "{") {
		value, rest, ok := parseJSON(s)
		return m, ok && rest == "" && json.Unmarshal(value, &m) == nil && allKeys(m)
	}
	for s != "" {
		key := optionKey.FindString(s)
		if key == "" || len(key) > event.MaxKey {
			return nil, false
		}
		value, rest, ok := parseValue(s[len(key):])
		if !ok || rest != "" && !strings.ContainsAny(rest[:1], " \t") {
			return nil, false
		}
		m[strings.TrimSuffix(key, "=")] = value
		s = strings.TrimSpace(rest)
	}
	return m, true
}

func allKeys(m metadata) bool {
	for key := range m {
		if !isKey.MatchString(key) || len(key) > event.MaxKey {
			return false
		}
	}
	return true
}

// parseValue reads the value at the start of s.
func parseValue(s string) (value json.RawMessage, rest string, ok bool) {
	if value, rest, ok = parseJSON(s); ok && (rest == "" || strings.ContainsAny(rest[:1], " \t")) {
		return value, rest, true
	}
	if quoted, found := strings.CutPrefix(s, "'"); found {
		text, rest, ok := strings.Cut(quoted, "'")
		return encode(text), rest, ok && !strings.Contains(text, `\`)
	}
	switch word := bareWord.FindString(s); word {
	case "":
		return nil, "", false
	case "True", "TRUE":
		return encode(true), s[len(word):], true
	case "False", "FALSE":
		return encode(false), s[len(word):], true
	case "None":
		return encode(nil), s[len(word):], true
	default:
		return encode(word), s[len(word):], true
	}
}

// parseJSON reads the JSON value at the start of s.
func parseJSON(s string) (value json.RawMessage, rest string, ok bool) {
	dec := json.NewDecoder(strings.NewReader(s))
	if dec.Decode(&value) != nil || bytes.Count(value, []byte("["))+bytes.Count(value, []byte("{")) > maxBrackets {
		return nil, "", false
	}
	value, ok = canonical(value)
	return value, s[dec.InputOffset():], ok
}

// canonical returns the same form for equal JSON values: compact, with sorted keys and only necessary escapes. Numbers
// stay unchanged.
func canonical(value json.RawMessage) (json.RawMessage, bool) {
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil, false
	}
	return encode(v), true
}

// label is the description in the line before a cell: a title, a type in brackets, and options.
type label struct {
	kind     event.CellKind // empty if there is no type
	metadata metadata       // with the title
}

var (
	labelType  = regexp.MustCompile(`(?:^|\s)\[(markdown|md|raw|code)\](?:$|\s)`)
	typeAlone  = regexp.MustCompile(`^(markdown|md|raw)$`)
	labelStart = regexp.MustCompile(`(?:^|\s)(?:[A-Za-z_][\w.-]*=|\{)`)
	plainTitle = regexp.MustCompile(`^[\pL\pN][\pL\pN ,;:.()/'!?&+-]*$`)
)

// parseLabel reads a label. Text that it cannot parse belongs to the title.
func parseLabel(s string) label {
	s = strings.TrimSpace(s)
	for _, at := range labelStart.FindAllStringIndex(s, maxBrackets) {
		if m, ok := parseOptions(s[at[0]:]); ok {
			return withType(s[:at[0]], m)
		}
	}
	return withType(s, metadata{})
}

// withType returns the label of a title, optionally followed by a type, and the metadata.
func withType(title string, m metadata) label {
	title = strings.TrimSpace(title)
	if at := typeAlone.FindString(title); at != "" { // as PyCharm writes it
		return label{kindOf(at), m}
	}
	if at := labelType.FindStringSubmatchIndex(title); at != nil {
		return label{kindOf(title[at[2]:at[3]]), titled(m, title[:at[0]]+title[at[1]:])}
	}
	return label{"", titled(m, title)}
}

func titled(m metadata, title string) metadata {
	if title = strings.TrimSpace(title); title != "" {
		m[keyTitle] = encode(title)
	}
	return m
}

func kindOf(name string) event.CellKind {
	switch name {
	case "markdown", "md":
		return event.KindMarkdown
	case "raw":
		return event.KindRaw
	}
	return event.KindCode
}

// String writes a label, each part after a space. It removes the title from the metadata.
func (l label) String() string {
	s := ""
	if title := l.metadata.str(keyTitle); plainTitle.MatchString(title) && !typeAlone.MatchString(title) && strings.TrimSpace(title) == title && !strings.Contains(title, "  ") {
		s = " " + title
		delete(l.metadata, keyTitle)
	}
	if l.kind == event.KindMarkdown || l.kind == event.KindRaw {
		s += " [" + string(l.kind) + "]"
	}
	return s + l.metadata.options()
}
