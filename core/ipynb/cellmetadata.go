package ipynb

import (
	"unicode/utf8"

	"github.com/quirehq/quire/core/event"
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
