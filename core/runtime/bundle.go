package runtime

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
)

// bundle is a value as an event holds it.
type bundle struct {
	data, metadata map[string]json.RawMessage
	artifacts      map[string]event.Artifact
}

// cleanBundle drops empty and malformed values from a bundle, and converts values to
// strings where the type requires it.
func cleanBundle(b lang.Bundle) bundle {
	clean := bundle{data: map[string]json.RawMessage{}}
	for mime, raw := range b.Data {
		if !hasValue(raw) {
			continue
		}
		if artifact.IsJSON(mime) {
			raw = unquoted(raw)
		} else {
			raw = quoted(raw)
		}
		clean.data[mime] = raw
	}
	for key, raw := range b.Metadata {
		if hasValue(raw) {
			if clean.metadata == nil {
				clean.metadata = map[string]json.RawMessage{}
			}
			clean.metadata[key] = raw
		}
	}
	return clean
}

// within returns the bundle, or a notice in its place if it is too large.
func (b bundle) within(limit int) bundle {
	if size := bundleLen(b.data) + bundleLen(b.metadata); size > limit {
		return b.replaced(fmt.Sprintf("%d bytes are not shown, because at most %d fit into one output", size, limit))
	}
	return b
}

// replaced returns a notice that names the types of the bundle and the reason why it is
// left out.
func (b bundle) replaced(why string) bundle {
	notice := fmt.Sprintf("[%s: %s]", strings.Join(slices.Sorted(maps.Keys(b.data)), ", "), why)
	return bundle{data: map[string]json.RawMessage{artifact.Plain: textValue(notice)}}
}

// textValue returns a text as the value of a type.
func textValue(text string) json.RawMessage { return lang.Text("", text).Data[""] }

func (b bundle) isEmpty() bool { return len(b.data)+len(b.artifacts) == 0 }

// hasValue reports whether raw is a JSON value other than null.
func hasValue(raw json.RawMessage) bool {
	return string(raw) != "null" && json.Valid(raw) && utf8.Valid(raw)
}

// unquoted returns the object or list that a string holds, which is how some
// programs give JSON, and any other value as it is.
func unquoted(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return raw
	}
	text = strings.TrimSpace(text)
	if (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return raw
}

// quoted returns a value as a string: lines are joined, as Jupyter has them, and
// anything else becomes its JSON text.
func quoted(raw json.RawMessage) json.RawMessage {
	if raw[0] == '"' {
		return raw
	}
	text := string(raw)
	var lines []string
	if json.Unmarshal(raw, &lines) == nil {
		text = strings.Join(lines, "")
	}
	return textValue(text)
}

func bundleLen(m map[string]json.RawMessage) int {
	n := 0
	for key, raw := range m {
		n += len(key) + len(raw) + len(`"":,`)
	}
	return n
}
