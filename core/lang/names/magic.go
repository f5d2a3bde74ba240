package names

import (
	"slices"
	"strings"
)

// kept are the languages whose cell magics IPython defines with a meaning that an engine does not have: bash is a new process
// each time, JavaScript is executed by the page, and Python may be another interpreter.
var kept = []string{Python, "bash", "javascript"}

// CutMagic returns the language of a source that begins with a cell magic of one, such as %%ruby, and the source without that
// line. The line stays as an empty one, so that positions in the source hold. A magic with arguments is not cut: they
// belong to an extension of IPython.
func CutMagic(source string) (language, rest string, ok bool) {
	line, _, _ := strings.Cut(source, "\n")
	name, magic := strings.CutPrefix(strings.TrimRight(line, " \t\r"), "%%")
	if !magic {
		return "", source, false
	}
	l, known := Find(name)
	if !known || slices.Contains(kept, l.ID) {
		return "", source, false
	}
	return l.ID, source[len(line):], true
}
