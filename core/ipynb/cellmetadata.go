package ipynb

import (
	"unicode/utf8"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang/names"
)

// marks are the properties of a cell that its metadata in a file has and a notebook has in fields. Reading removes the
// marks from the metadata and writing restores them, so they are never in two places that could disagree.
type marks struct {
	kind     event.CellKind
	language string

	hideSource, hideOutputs, hideContext bool
}

// The keys of marks: under "jupyter" those that Jupyter knows, under keyQuire ours.
const (
	keyJupyter       = "jupyter"
	keySourceHidden  = "source_hidden"
	keyOutputsHidden = "outputs_hidden"
	keyCollapsed     = "collapsed" // the older name of outputs_hidden, not under "jupyter"

	keyKind        = "kind"
	keyLanguage    = "language"
	keyHideContext = "hideContext"
	keyID          = "id" // the id in the file of a cell that got another id
)

// takeMarks removes the marks from the metadata of a cell of a type and returns them. A value that only resembles a
// mark stays.
func takeMarks(cellType string, metadata object) marks {
	m := marks{kind: takeKind(cellType, metadata)}
	if s, ok := child(metadata, keyQuire)[keyLanguage].(string); ok && isLanguage(s) {
		m.language = s
		deleteIn(metadata, keyQuire, keyLanguage)
	} else {
		m.language = foreignLanguage(cellType, metadata)
	}
	m.hideSource = takeFlag(metadata, keyJupyter, keySourceHidden)
	m.hideContext = takeFlag(metadata, keyQuire, keyHideContext)
	if collapsed(cellType, metadata) {
		m.hideOutputs = true
		return m
	}
	m.hideOutputs = takeFlag(metadata, keyJupyter, keyOutputsHidden)
	return m
}

// takeKind returns the kind of a cell of a type, which the metadata may refine.
func takeKind(cellType string, metadata object) event.CellKind {
	switch cellType {
	case typeMarkdown:
		return event.KindMarkdown
	case typeCode:
		if kind := child(metadata, keyQuire)[keyKind]; kind == string(event.KindSQL) || kind == string(event.KindAI) {
			deleteIn(metadata, keyQuire, keyKind)
			return event.CellKind(kind.(string))
		}
		return event.KindCode
	}
	return event.KindRaw
}

// takeFlag removes a key that is true, and reports whether it was.
func takeFlag(metadata object, parent, key string) bool {
	if child(metadata, parent)[key] != true {
		return false
	}
	deleteIn(metadata, parent, key)
	return true
}

// collapsed reports whether the metadata hides the outputs in the older way. It stays in the metadata, because some
// programs write both ways and some only one.
func collapsed(cellType string, metadata object) bool {
	return cellType == typeCode && metadata[keyCollapsed] == true
}

func isLanguage(s string) bool {
	return s != "" && len(s) <= event.MaxName && utf8.ValidString(s)
}

// putMarks replaces the marks in the metadata of a cell of a type.
func putMarks(cellType string, metadata object, m marks) {
	takeMarks(cellType, metadata)
	if foreign := foreignLanguage(cellType, metadata); foreign == m.language {
		m.language = "" // it is there already
	} else if m.language == "" {
		dropForeignLanguage(metadata) // nothing of ours says that a cell has no language of its own
	}
	if m.kind == event.KindSQL || m.kind == event.KindAI {
		setIn(metadata, keyQuire, keyKind, string(m.kind))
	}
	if m.language != "" {
		setIn(metadata, keyQuire, keyLanguage, m.language)
	}
	if m.hideSource {
		setIn(metadata, keyJupyter, keySourceHidden, true)
	}
	if m.hideContext {
		setIn(metadata, keyQuire, keyHideContext, true)
	}
	switch old := collapsed(cellType, metadata); {
	case m.hideOutputs && !old:
		setIn(metadata, keyJupyter, keyOutputsHidden, true)
	case !m.hideOutputs && old:
		delete(metadata, keyCollapsed)
		takeFlag(metadata, keyJupyter, keyOutputsHidden)
	}
}

// foreignLanguages are the places in the metadata of a code cell where other programs write its language, the one that counts
// first: VS Code, Polyglot Notebooks, its predecessor, and the SoS kernel.
var foreignLanguages = [...]struct{ parent, key string }{
	{"vscode", "languageId"},
	{"polyglot_notebook", "kernelName"},
	{"dotnet_interactive", "language"},
	{"", "kernel"},
}

// foreignLanguage returns the language of a code cell as another program has written it, empty if none has, or if the
// table of languages does not have it. The metadata keeps it, so that the program finds it again.
func foreignLanguage(cellType string, metadata object) string {
	if cellType != typeCode {
		return ""
	}
	for _, at := range foreignLanguages {
		in := metadata
		if at.parent != "" {
			in = child(metadata, at.parent)
		}
		name, _ := in[at.key].(string)
		if l, ok := names.Find(name); ok {
			return l.ID
		}
	}
	return ""
}

// dropForeignLanguage removes the language of a cell that other programs have written, because it is another now.
func dropForeignLanguage(metadata object) {
	for _, at := range foreignLanguages {
		if at.parent == "" {
			delete(metadata, at.key)
			continue
		}
		deleteIn(metadata, at.parent, at.key)
	}
}
