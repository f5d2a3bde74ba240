package names

import (
	"slices"
	"strings"
)

// Magic is a cell magic of a language, such as %%ruby -i x -o y: the source below it is in that language, to which the values
// of variables are passed before it runs, and from which they are after it.
type Magic struct {
	Language string
	Source   string // with an empty line in place of the magic, so that positions hold; of SQL all, for its engine
	In, Out  []string
}

// kept are the languages whose cell magics IPython defines with a meaning that an engine does not have: bash is a new process
// each time, JavaScript is executed by the page, and Python may be another interpreter.
// With -i or -o, which IPython's has not, that of JavaScript is for an engine, since a page has no variables to pass.
var kept = []string{Python, "bash", javaScript}

const javaScript = "javascript"

// CutMagic returns the magic that a source begins with, and whether it is one of a language. Its arguments are those that
// magics for R have: -i and -o, each with names that commas separate. That of SQL may name a connection before them. A magic
// with other arguments is not one: it belongs to an extension of IPython.
func CutMagic(source string) (m Magic, ok bool) {
	line, _, _ := strings.Cut(source, "\n")
	words := strings.Fields(line)
	if len(words) == 0 || !strings.HasPrefix(line, "%%") {
		return m, false
	}
	l, known := Find(strings.TrimPrefix(words[0], "%%"))
	if !known || slices.Contains(kept, l.ID) && (l.ID != javaScript || len(words) == 1) {
		return m, false
	}
	m = Magic{Language: l.ID, Source: source[len(line):]}
	if l.ID == SQL {
		m.Source = source
		if len(words) > 1 && isConnection(words[1]) {
			words = words[1:]
		}
	}
	for words = words[1:]; len(words) >= 2; words = words[2:] {
		list := strings.Split(words[1], ",")
		switch words[0] {
		case "-i", "--input":
			m.In = append(m.In, list...)
		case "-o", "--output":
			m.Out = append(m.Out, list...)
		default:
			return Magic{}, false
		}
	}
	return m, len(words) == 0
}

// isConnection reports whether an argument of %%sql is the name of a connection or of a file, and neither an option nor the
// URL that extensions of IPython have.
func isConnection(word string) bool {
	return !strings.HasPrefix(word, "-") && !strings.ContainsAny(word, ":=<{$")
}
