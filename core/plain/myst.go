package plain

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/quirehq/quire/core/event"
)

// directiveInfo matches the info of a fence that is a cell in MyST: its name, and the language of a code cell.
var directiveInfo = regexp.MustCompile(`^\{(code-cell|raw-cell)\}[ \t]*(\S*)[ \t]*$`)

// directive returns the name of the directive in an info, or "".
func directive(info string) string {
	at := directiveInfo.FindStringSubmatch(info)
	if at == nil {
		return ""
	}
	return at[1]
}

// directive makes a cell of a directive of MyST. Its metadata comes before its source, as lines of ":key: value" or as
// YAML between two rules, which is kept unchanged if it is more than mappings and lists of scalars.
func (p piece) directive(d dialect) cell {
	at := directiveInfo.FindStringSubmatch(p.fence.info)
	m, source := cutOptions(strings.TrimSuffix(p.body, "\n"))
	c := cell{kind: event.KindCode, metadata: m, source: source}
	switch name := blockLanguage(at[2]); {
	case at[1] == "raw-cell":
		c.kind = event.KindRaw
	case name != d.language:
		c.language = name
	}
	c.takeMarks()
	return c
}

// optionLine matches a line of a directive with a member of its metadata.
var optionLine = regexp.MustCompile(`^:([A-Za-z_][\w.-]*):(?:[ \t]+(.*))?$`)

// cutOptions cuts the metadata off the body of a directive. Lines that are not understood belong to the source.
func cutOptions(body string) (metadata, string) {
	if front := cutFront(body + "\n"); front != "" {
		m, ok := blockMetadata(frontYAML(front))
		if !ok {
			m = metadata{}
			m.set(keyQuire, markOptions, frontYAML(front))
		}
		return m, strings.TrimPrefix(strings.TrimSuffix((body + "\n")[len(front):], "\n"), "\n")
	}
	m, rest := metadata{}, body
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		at := optionLine.FindStringSubmatch(strings.TrimRight(line, " \t\r"))
		if at == nil || len(at[1]) > event.MaxKey {
			break
		}
		m[at[1]] = yamlValue(at[2])
		rest = after
	}
	if len(m) > 0 {
		rest = strings.TrimPrefix(rest, "\n")
	}
	return m, rest
}

// blockMetadata reads YAML of mappings of mappings, scalars and lists of scalars, as in cells, and reports whether it
// is no more than that.
func blockMetadata(yaml string) (metadata, bool) {
	m := metadata{}
	list := strings.Split(yaml, "\n")
	for len(list) > 0 {
		line := strings.TrimRight(list[0], " \t\r")
		list = list[1:]
		if line == "" || line[0] == '#' {
			continue
		}
		at := yamlLine.FindStringSubmatch(line)
		if at == nil || at[1] != "" || !isKey.MatchString(at[2]) || len(at[2]) > event.MaxKey {
			return nil, false
		}
		if at[3] != "" {
			m[at[2]] = yamlValue(at[3])
			continue
		}
		n := memberLines(list)
		value, ok := blockValue(list[:n])
		if !ok {
			return nil, false
		}
		m[at[2]], list = value, list[n:]
	}
	return m, true
}

// memberLines returns the number of lines that belong to the member before them.
func memberLines(list []string) int {
	for i, line := range list {
		if line != "" && line[0] != ' ' && line != "-" && !strings.HasPrefix(line, "- ") {
			return i
		}
	}
	return len(list)
}

// blockValue returns the JSON of the lines of a member.
func blockValue(list []string) (json.RawMessage, bool) {
	text := dedented(list)
	if text == "" {
		return encode(nil), true
	}
	if text[0] != '-' {
		m, ok := blockMetadata(text)
		return encode(m), ok
	}
	var items []json.RawMessage
	for line := range strings.SplitSeq(text, "\n") {
		item, ok := strings.CutPrefix(line, "- ")
		if !ok || yamlLine.MatchString(item) {
			return nil, false
		}
		items = append(items, yamlValue(item))
	}
	return encode(items), true
}

// dedented returns lines without the indentation of the first, and without empty ones.
func dedented(list []string) string {
	var kept []string
	indent := -1
	for _, line := range list {
		if line = strings.TrimRight(line, " \t\r"); line == "" {
			continue
		}
		if own := len(indentOf.FindString(line)); indent < 0 {
			indent = own
		}
		kept = append(kept, line[min(indent, len(indentOf.FindString(line))):])
	}
	return strings.Join(kept, "\n")
}

// yamlValue returns the JSON of a value on one line of YAML.
func yamlValue(s string) json.RawMessage {
	s = strings.TrimSpace(s)
	if value, rest, ok := parseJSON(s); ok && strings.TrimSpace(rest) == "" {
		return value
	}
	if inner, ok := strings.CutPrefix(s, "["); ok && strings.HasSuffix(inner, "]") {
		list := []json.RawMessage{}
		for item := range strings.SplitSeq(strings.TrimSuffix(inner, "]"), ",") {
			if item = strings.TrimSpace(item); item != "" {
				list = append(list, yamlValue(item))
			}
		}
		return encode(list)
	}
	switch strings.ToLower(s) {
	case "", "~", "null":
		return encode(nil)
	case "true":
		return encode(true)
	case "false":
		return encode(false)
	}
	if text, ok := unquote(s); ok {
		return encode(text)
	}
	return encode(s)
}
