package plain

import (
	"encoding/json"
	"regexp"
	"strings"
)

// yamlLine is a line of YAML that begins a member of a mapping.
var yamlLine = regexp.MustCompile(`^( *)([\w.-]+):(?:[ \t]+(.*))?$`)

// scalars returns the texts in the mappings of a header by their paths, such as
// jupyter.kernelspec.name. It reads as much of YAML as tools write there, and takes
// no other values.
func scalars(yaml string) map[string]string {
	values := map[string]string{}
	type level struct {
		indent int
		path   string
	}
	var open []level
	for line := range strings.SplitSeq(yaml, "\n") {
		at := yamlLine.FindStringSubmatch(strings.TrimRight(line, " \t\r"))
		if at == nil {
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
		if value, ok := unquote(at[3]); ok {
			values[path] = value
		}
	}
	return values
}

// unquote returns the text that a scalar stands for.
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

// plainScalar is a text that needs no quotes and is nothing but a text without them.
var plainScalar = regexp.MustCompile(`^[A-Za-z.][\w.()+-]*(?: [\w.()+-]+)*$`)

// scalar writes a text, in quotes where it needs them.
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

// without returns YAML without a member of its outermost mapping.
func without(yaml, key string) string {
	var kept []string
	dropping := false
	for line := range strings.SplitSeq(yaml, "\n") {
		if line != "" && line[0] != ' ' && line[0] != '\t' && line[0] != '-' {
			at := yamlLine.FindStringSubmatch(strings.TrimRight(line, " \t\r"))
			dropping = at != nil && at[2] == key
		}
		if !dropping {
			kept = append(kept, line)
		}
	}
	return strings.Trim(strings.Join(kept, "\n"), "\n")
}
