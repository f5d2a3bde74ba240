package plain

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// yamlLine matches a line of YAML that begins a member of a mapping.
var yamlLine = regexp.MustCompile(`^( *)([\w.-]+):(?:[ \t]+(.*))?$`)

// scalars returns the texts in the mappings of a header by their paths, such as jupyter.kernelspec.name. It reads the
// subset of YAML that tools write there, and ignores other values.
func scalars(yaml string) map[string]string {
	values := map[string]string{}
	eachMember(yaml, func(line, path string) {
		if at := yamlLine.FindStringSubmatch(strings.TrimRight(line, " \t\r")); path != "" {
			if value, ok := unquote(at[3]); ok {
				values[path] = value
			}
		}
	})
	return values
}

// eachMember calls a function with each line of YAML, and with the path of the member that the line begins, if it is a
// yamlLine.
func eachMember(yaml string, visit func(line, path string)) {
	type level struct {
		indent int
		path   string
	}
	var open []level
	for line := range strings.SplitSeq(yaml, "\n") {
		at := yamlLine.FindStringSubmatch(strings.TrimRight(line, " \t\r"))
		if at == nil {
			if other := memberLine.FindStringSubmatch(line); other != nil {
				open = []level{{0, other[1]}}
			}
			visit(line, "")
			continue
		}
		for len(open) > 0 && open[len(open)-1].indent >= len(at[1]) {
			open = open[:len(open)-1]
		}
		path := at[2]
		if len(open) > 0 {
			path = open[len(open)-1].path + "." + path
		}
		open = append(open, level{len(at[1]), path})
		visit(line, path)
	}
}

// memberLine matches a line that begins a member of the outermost mapping.
var memberLine = regexp.MustCompile(`^([\pL_][\pL\pN _.()/-]*|"[^"]*"|'[^']*'):(?:[ \t]|$)`)

// isMapping reports whether lines are a block mapping of YAML: members, their indented lines and lists, comments and
// empty lines. It does not read the values.
func isMapping(yaml string) bool {
	members := 0
	for line := range strings.SplitSeq(yaml, "\n") {
		line = strings.TrimRight(line, " \t\r")
		switch {
		case line == "" || line[0] == '#':
		case memberLine.MatchString(line):
			members++
		case members > 0 && (line[0] == ' ' || line == "-" || strings.HasPrefix(line, "- ")):
		default:
			return false
		}
	}
	return members > 0
}

// isHeader reports whether the lines between two rules are a header. An empty first line makes the rule above it one of
// Markdown, and a carriage return ends a line of YAML that this package does not end there.
func isHeader(yaml string) bool {
	first, _, _ := strings.Cut(yaml, "\n")
	return strings.TrimSpace(first) != "" && !strings.Contains(yaml, "\r") && isMapping(yaml)
}

// unquote returns the text of a scalar.
func unquote(s string) (string, bool) {
	switch {
	case s == "" || strings.ContainsAny(s[:1], "|>&*!%@`[{#?-"):
		return "", false
	case s[0] == '"':
		var text string
		err := json.Unmarshal([]byte(s), &text)
		return text, err == nil
	case s[0] == '\'':
		quoted, ok := strings.CutSuffix(s[1:], "'")
		return strings.ReplaceAll(quoted, "''", "'"), ok && quoted != ""
	}
	s, _, _ = strings.Cut(s, " #")
	return strings.TrimSpace(s), true
}

// plainScalar matches a text that needs no quotes and that YAML reads as a text without them.
var plainScalar = regexp.MustCompile(`^[A-Za-z.][\w.()+-]*(?: [\w.()+-]+)*$`)

// scalar writes a text, in quotes if needed.
func scalar(s string) string {
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n", ".nan", ".inf":
	default:
		if plainScalar.MatchString(s) {
			return s
		}
	}
	return string(encode(s))
}

// replaced returns YAML with another scalar at an existing path, or without the line if the text is empty.
func replaced(yaml, path, text string) string {
	var kept []string
	eachMember(yaml, func(line, p string) {
		switch {
		case p != path:
			kept = append(kept, line)
		case text != "":
			name, _, _ := strings.Cut(line, ":")
			kept = append(kept, name+": "+scalar(text))
		}
	})
	return strings.Join(kept, "\n")
}

// without returns YAML without a member of its outermost mapping.
func without(yaml, key string) string {
	return members(yaml, func(k string) bool { return k != key })
}

// members returns the members of the outermost mapping of YAML that keep accepts. Comments belong to the member before
// them, those at the start to the first.
func members(yaml string, keep func(key string) bool) string {
	var kept, first []string
	begun, keeping := false, false
	for line := range strings.SplitSeq(yaml, "\n") {
		if at := memberLine.FindStringSubmatch(line); at != nil {
			if keeping = keep(at[1]); keeping && !begun {
				kept = append(kept, first...)
			}
			begun = true
		}
		switch {
		case keeping:
			kept = append(kept, line)
		case !begun:
			first = append(first, line)
		}
	}
	return strings.Trim(strings.Join(kept, "\n"), "\n")
}

// joined joins pieces of YAML, some of them empty.
func joined(pieces ...string) string {
	pieces = slices.DeleteFunc(pieces, func(piece string) bool { return piece == "" })
	return strings.Join(pieces, "\n")
}
