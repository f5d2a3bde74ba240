package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/core/lang"
)

// bundle is a value as an event holds it.
type bundle struct {
	data, metadata map[string]json.RawMessage
}

// shapeBundle takes out of a bundle what is empty or malformed, makes strings of
// what must be strings, and puts a notice in place of one that is too large.
func shapeBundle(b lang.Bundle, limit int) bundle {
	shaped := bundle{data: map[string]json.RawMessage{}}
	for mime, raw := range b.Data {
		if !hasValue(raw) {
			continue
		}
		if isJSON(mime) {
			raw = unquoted(raw)
		} else {
			raw = quoted(raw)
		}
		shaped.data[mime] = raw
	}
	for key, raw := range b.Metadata {
		if hasValue(raw) {
			if shaped.metadata == nil {
				shaped.metadata = map[string]json.RawMessage{}
			}
			shaped.metadata[key] = raw
		}
	}
	if size := bundleLen(shaped.data) + bundleLen(shaped.metadata); size > limit {
		return tooLarge(shaped, size, limit)
	}
	return shaped
}

func (b bundle) isEmpty() bool { return len(b.data) == 0 }

// hasValue reports whether raw is a JSON value other than null.
func hasValue(raw json.RawMessage) bool {
	return string(raw) != "null" && json.Valid(raw) && utf8.Valid(raw)
}

// isJSON reports whether the values of a type are JSON.
func isJSON(mime string) bool {
	mime, _, _ = strings.Cut(mime, ";")
	mime = strings.TrimSpace(mime)
	return mime == "application/json" || strings.HasSuffix(mime, "+json")
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
	return lang.Text("", text).Data[""]
}

func tooLarge(b bundle, size, limit int) bundle {
	types := strings.Join(slices.Sorted(maps.Keys(b.data)), ", ")
	notice := fmt.Sprintf("[%s: %d bytes are not shown, because at most %d fit into one output]", types, size, limit)
	return bundle{data: lang.Text("text/plain", notice).Data}
}

func bundleLen(m map[string]json.RawMessage) int {
	n := 0
	for key, raw := range m {
		n += len(key) + len(raw) + len(`"":,`)
	}
	return n
}
