package ipynb

import (
	"encoding/json"
	"fmt"

	"github.com/quirehq/quire/core/event"
)

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
