// Package ipynb reads and writes Jupyter notebooks without loss.
//
// [Import] turns a file of nbformat 3 to 4.5 into events for an empty notebook with the same contents, and [Export]
// writes a notebook as nbformat 4.5, byte for byte as Jupyter would. Members that only Jupyter knows are kept with the
// row that they belong to, and properties that only Quire knows are in metadata that Jupyter leaves alone: either
// program can open, change and pass on the other's files. The rules are in spec/ipynb.md.
//
// Permissions, the origin of a file, and fetching of artifacts are left to others.
package ipynb

import (
	"encoding/json"
	"strings"
)

// The keys of metadata that are this package's own.
const (
	// keyKept has, in a notebook's, a cell's or an output's metadata, the members of a file that events cannot express.
	// It is never in a file.
	keyKept = "ipynb"
	// keyQuire has, in a file, the properties of a cell or an output that the format cannot express.
	keyQuire = "quire"
)

// keyTitle has a notebook's title in its metadata.
const keyTitle = "title"

// The members of the value of keyKept.
const (
	keptMinor       = "minor"       // of a format newer than this package
	keptType        = "type"        // of a cell whose type the format does not have
	keptKeys        = "keys"        // members that the format does not know
	keptAttachments = "attachments" // of a cell
	keptMetadata    = "metadata"    // keys and values that an event cannot carry
	keptCount       = "count"       // of a run with the number 0 in a file, which events use for none
	keptStream      = "stream"      // the name of a stream that is neither stdout nor stderr
	keptTraceback   = "traceback"   // number of lines of each string of a trace
	keptWidths      = "widths"      // of the lines of base64 in artifacts, by type
	keptOutput      = "output"      // an output of an unknown type, whole
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

// The version of the format that is written.
const (
	major = 4
	minor = 5
)

const (
	mimeMarkdown = "text/markdown"
	mimePlain    = "text/plain"
)

// object is a JSON object of a file.
type object = map[string]any

// child returns the object that is the value of a key, nil if there is none.
func child(m object, key string) object {
	o, _ := m[key].(object)
	return o
}

// setIn sets a key of the object that is the value of parent, creating the object if needed.
func setIn(m object, parent, key string, value any) {
	o := child(m, parent)
	if o == nil {
		o = object{}
		m[parent] = o
	}
	o[key] = value
}

// deleteIn removes a key of the object that is the value of parent, and the object with its last key.
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

// raw returns the JSON form of a value that was read from a file: compact, with sorted keys, so equal values have equal
// forms.
func raw(v any) json.RawMessage { return appendValue(nil, v, compact) }
