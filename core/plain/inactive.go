package plain

import (
	"encoding/json"
	"slices"
	"strings"
)

// isInactive reports whether Jupytext writes a cell of code with such metadata as
// comments: it is frozen, or active in files with other endings alone.
func (m metadata) isInactive(s Script) bool {
	if string(m.object("run_control")["frozen"]) == "true" {
		return true
	}
	extension := strings.TrimPrefix(s.Extension, ".")
	if active := m.str("active"); active != "" {
		return !slices.Contains(strings.FieldsFunc(active, func(r rune) bool { return r == ',' || r == ' ' }), extension)
	}
	var tags []string
	_ = json.Unmarshal(m["tags"], &tags) // what is no list names nothing
	for _, tag := range tags {
		if list, ok := strings.CutPrefix(tag, "active-"); ok {
			return !slices.Contains(strings.Split(list, "-"), extension)
		}
	}
	return false
}

// isCommented reports whether each line of a body is a comment.
func (s Script) isCommented(body string) bool {
	for _, line := range lines(body) {
		if !strings.HasPrefix(line, s.comment) {
			return false
		}
	}
	return true
}
