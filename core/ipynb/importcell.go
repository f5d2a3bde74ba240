package ipynb

import (
	"encoding/json"
	"fmt"

	"github.com/quirehq/quire/core/event"
)

// cell is a cell in its form in a file of nbformat 4.
type cell struct {
	at          string // its place in the file
	id          string // the one of the file, empty if it is not a string
	cellType    string
	source      string
	metadata    object
	attachments object // nil if it has none
	outputs     []event.Output
	count       int
	zero        bool   // the count is 0, and not null
	keys        object // keys that the format does not know
}

func readCells(nodes []node) ([]cell, error) {
	cells := make([]cell, len(nodes))
	for i, n := range nodes {
		if err := cells[i].read(n); err != nil {
			return nil, err
		}
	}
	return cells, nil
}

func (c *cell) read(n node) (err error) {
	c.at = n.at
	c.id, _ = n.m["id"].(string)
	if c.cellType, err = n.need("cell_type"); err != nil {
		return err
	}
	if c.source, err = n.text("source"); err != nil {
		return err
	}
	metadata, err := n.object("metadata")
	if err != nil {
		return err
	}
	c.metadata = metadata.m
	delete(c.metadata, "trusted") // the reader decides what may run, not the file
	switch c.cellType {
	case typeCode:
		c.keys = n.rest("id", "cell_type", "source", "metadata", "outputs", "execution_count")
		return c.readRun(n)
	case typeMarkdown, typeRaw:
		c.keys = n.rest("id", "cell_type", "source", "metadata", "attachments")
		return c.readAttachments(n)
	}
	c.keys = n.rest("id", "cell_type", "source", "metadata")
	return nil
}

// readRun reads the count and outputs of a code cell.
func (c *cell) readRun(n node) (err error) {
	if c.count, err = n.count("execution_count"); err != nil {
		return err
	}
	c.zero = c.count == 0 && n.m["execution_count"] != nil
	outputs, err := n.nodes("outputs")
	if err != nil {
		return err
	}
	for _, o := range outputs {
		v, err := readOutput(o)
		if err != nil {
			return err
		}
		c.outputs = append(c.outputs, v)
	}
	return nil
}

func (c *cell) readAttachments(n node) error {
	if n.m["attachments"] == nil {
		return nil
	}
	files, err := n.object("attachments")
	if err != nil {
		return err
	}
	c.attachments = make(object, len(files.m))
	for name := range files.m {
		bundle, err := files.bundle(name)
		if err != nil {
			return err
		}
		c.attachments[name] = bundle
	}
	return nil
}

func knownType(cellType string) bool {
	return cellType == typeCode || cellType == typeMarkdown || cellType == typeRaw
}

// readOutput reads an output of nbformat 4. An output of an unknown type is kept whole, with a text in its place.
func readOutput(n node) (event.Output, error) {
	outputType, err := n.need("output_type")
	if err != nil {
		return event.Output{}, err
	}
	switch outputType {
	case typeStream:
		return readStream(n)
	case typeDisplay:
		return readDisplay(n, event.Output{Kind: event.OutputDisplay}, "data", "metadata")
	case typeResult:
		return readResult(n)
	case typeError:
		return readError(n)
	}
	note := fmt.Sprintf("[output of the type %q, which cannot be shown]", outputType)
	return event.Output{
		Kind:     event.OutputDisplay,
		Data:     map[string]json.RawMessage{mimePlain: raw(note)},
		Metadata: withKept(nil, object{keptOutput: n.m}),
	}, nil
}

func readStream(n node) (event.Output, error) {
	name, err := n.str("name")
	if err != nil {
		return event.Output{}, err
	}
	text, err := n.text("text")
	if err != nil {
		return event.Output{}, err
	}
	kept := object{}
	if name != event.Stdout && name != event.Stderr {
		if name != "" {
			kept[keptStream] = name
		}
		name = event.Stdout
	}
	keepMember(kept, keptKeys, n.rest("output_type", "name", "text"))
	return event.Output{Kind: event.OutputStream, Stream: name, Text: text, Metadata: withKept(nil, kept)}, nil
}

func readResult(n node) (event.Output, error) {
	count, err := n.count("execution_count")
	if err != nil {
		return event.Output{}, err
	}
	return readDisplay(n, event.Output{Kind: event.OutputResult, Count: count}, "data", "metadata", "execution_count")
}

// readDisplay reads the data and metadata of a display or result into o. It drops the display id, which belonged to a
// program that ended.
func readDisplay(n node, o event.Output, known ...string) (event.Output, error) {
	data, err := n.bundle("data")
	if err != nil {
		return o, err
	}
	metadata, err := n.object("metadata")
	if err != nil {
		return o, err
	}
	kept := object{}
	if v, ok := metadata.m[keyKept]; ok {
		delete(metadata.m, keyKept)
		kept[keptMetadata] = object{keyKept: v}
	}
	if o.Kind == event.OutputResult && o.Count == 0 && n.m["execution_count"] != nil {
		kept[keptCount] = 0
	}
	keepMember(kept, keptKeys, n.rest(append(known, "output_type", "transient")...))
	if text, ok := takeMarkdown(o.Kind, data, metadata.m); ok {
		o.Kind, o.Text = event.OutputMarkdown, text
	}
	o.Data, o.Metadata = rawBundle(data), withKept(metadata.m, kept)
	return o, nil
}

// takeMarkdown removes the text of an assistant from a display that is marked as such and returns it.
func takeMarkdown(k event.OutputKind, data, metadata object) (string, bool) {
	text, ok := data[mimeMarkdown].(string)
	if !ok || len(data) != 1 || k != event.OutputDisplay ||
		child(metadata, keyQuire)[keyKind] != string(event.OutputMarkdown) {
		return "", false
	}
	deleteIn(metadata, keyQuire, keyKind)
	delete(data, mimeMarkdown)
	return text, true
}

func readError(n node) (event.Output, error) {
	name, err := n.str("ename")
	if err != nil {
		return event.Output{}, err
	}
	message, err := n.str("evalue")
	if err != nil {
		return event.Output{}, err
	}
	parts, err := n.strs("traceback")
	if err != nil {
		return event.Output{}, err
	}
	kept := object{}
	trace, sizes := cutTrace(parts)
	if sizes != nil {
		kept[keptTraceback] = sizes
	}
	keepMember(kept, keptKeys, n.rest("output_type", "ename", "evalue", "traceback"))
	return event.Output{
		Kind:     event.OutputError,
		Error:    &event.Error{Name: name, Message: message, Trace: trace},
		Metadata: withKept(nil, kept),
	}, nil
}

// withKept returns metadata for an event, including the kept members, nil if there are none.
func withKept(metadata, kept object) map[string]json.RawMessage {
	bundle := rawBundle(metadata)
	if len(kept) == 0 {
		return bundle
	}
	if bundle == nil {
		bundle = map[string]json.RawMessage{}
	}
	bundle[keyKept] = raw(kept)
	return bundle
}

// rawBundle returns the values of an object in their JSON form, nil for an empty one.
func rawBundle(m object) map[string]json.RawMessage {
	if len(m) == 0 {
		return nil
	}
	bundle := make(map[string]json.RawMessage, len(m))
	for key, v := range m {
		bundle[key] = raw(v)
	}
	return bundle
}
