// Package ipynb reads and writes Jupyter notebooks without loss.
//
// [Import] turns a file of nbformat 3 to 4.5 into the events that make an empty
// notebook tell the same, and [Export] writes a notebook as nbformat 4.5, byte for
// byte as Jupyter would. What Jupyter knows and we do not is kept beside what it
// belongs to, and what we know and Jupyter does not lies in metadata that Jupyter
// leaves alone, so that either program can open, change and hand on what the other
// wrote. The rules are in spec/ipynb.md.
//
// Who may import, where a file comes from, and fetching of the bytes that an
// output keeps outside the log are left to others.
package ipynb

import (
	"encoding/json"
	"strings"

	"github.com/quirehq/quire/core/event"
)

// The keys of metadata that are this package's own.
const (
	// keyKept holds, in a notebook's, a cell's or an output's metadata, what a file
	// said and events have no place for. It is never in a file.
	keyKept = "ipynb"
	// keyQuire holds, in a file, what we know of a cell or an output and the
	// format has no place for.
	keyQuire = "quire"
)

// keyTitle has a notebook's title in its metadata.
const keyTitle = "title"

// The members of what lies under keyKept.
const (
	keptMinor       = "minor"       // of a format that is newer than this package
	keptType        = "type"        // of a cell that is of none of the format's types
	keptKeys        = "keys"        // members that the format does not know
	keptAttachments = "attachments" // of a cell
	keptMetadata    = "metadata"    // keys and values that an event cannot carry
	keptCount       = "count"       // of a run that a file numbers 0, which events have for none
	keptStream      = "stream"      // the name of a stream that is neither stdout nor stderr
	keptTraceback   = "traceback"   // how many lines of a trace each string had
	keptWidths      = "widths"      // of the lines of base64 that lies outside the log, by type
	keptOutput      = "output"      // an output of none of the format's types, whole
)

// The types of cells and outputs in a file.
const (
	typeCode     = "code"
	typeMarkdown = "markdown"
	typeRaw      = "raw"

	typeStream  = "stream"
	typeDisplay = "display_data"
	typeResult  = "execute_result"
	typeError   = "error"
)

// The format that is written.
const (
	major = 4
	minor = 5
)

const (
	mimeMarkdown = "text/markdown"
	mimePlain    = "text/plain"
)

// object is a JSON object as it is in a file.
type object = map[string]any

// child returns the object that is the value of a key, nil if there is none.
func child(m object, key string) object {
	o, _ := m[key].(object)
	return o
}

// setIn sets a key of the object that is the value of parent, making one if need be.
func setIn(m object, parent, key string, value any) {
	o := child(m, parent)
	if o == nil {
		o = object{}
		m[parent] = o
	}
	o[key] = value
}

// deleteIn removes a key of the object that is the value of parent, and the
// object with its last key.
func deleteIn(m object, parent, key string) {
	o := child(m, parent)
	if _, ok := o[key]; !ok {
		return
	}
	delete(o, key)
	if len(o) == 0 {
		delete(m, parent)
	}
}

// isJSON reports whether values of a MIME type are JSON and not text.
func isJSON(mime string) bool {
	return mime == "application/json" ||
		strings.HasPrefix(mime, "application/") && strings.HasSuffix(mime, "+json")
}

// fits reports whether an event can carry a key of metadata with its value.
func fits(key string, value any) bool {
	return key != keyKept && key != "" && len(key) <= event.MaxKey && value != nil
}

// transient reports whether a key of a notebook's metadata is of the program
// that wrote the file, so that Jupyter removes it as well.
func transient(key string) bool {
	return key == "orig_nbformat" || key == "orig_nbformat_minor" || key == "signature"
}

// raw returns the JSON form of a value that was read from a file: compact, with
// its keys sorted, so that equal values have equal forms.
func raw(v any) json.RawMessage { return appendValue(nil, v, compact) }
