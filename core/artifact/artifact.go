// Package artifact defines the form of values of outputs that are stored outside the log, and the excerpt that the log
// keeps of them.
//
// Texts and JSON values are stored unchanged, in UTF-8, and base64 values as the bytes, so a file of the store has the
// format of its type. Where files are stored, and who may read them, is left to others. spec/outputs.md has the rules.
// the rules.
package artifact

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/core/event"
)

// Plain is the type of plain text, which is that of a stream.
const Plain = "text/plain"

// Store keeps content by its hash.
type Store interface {
	// Put stores the content of r, from its beginning, and returns its name once it is durable. The same content always
	// has the same name. An unreachable store is waited for until ctx ends; any other error says that this content is
	// refused, and why, for people.
	Put(ctx context.Context, r io.ReadSeeker) (event.Artifact, error)
}

// Source has the content of artifacts. The caller closes the result of Open.
type Source interface {
	Open(ctx context.Context, a event.Artifact) (io.ReadCloser, error)
}

// IsJSON reports whether values of a type are JSON.
func IsJSON(mime string) bool {
	mime = bare(mime)
	return mime == "application/json" || strings.HasSuffix(mime, "+json")
}

// The types whose values are bytes: those that begin with a kind, except for some endings, and a few others.
var (
	binaryKinds = [...]string{"image", "audio", "video", "font"}
	textEndings = [...]string{"+xml", "+json"}
	binaryTypes = [...]string{"application/pdf", "application/octet-stream"}
)

// IsBinary reports whether values of a type are bytes, which an event has in base64. Unknown types are text.
func IsBinary(mime string) bool {
	mime = bare(mime)
	if kind, _, _ := strings.Cut(mime, "/"); slices.Contains(binaryKinds[:], kind) {
		return !slices.ContainsFunc(textEndings[:], func(end string) bool { return strings.HasSuffix(mime, end) })
	}
	return slices.Contains(binaryTypes[:], mime)
}

// BinaryTypes returns the tables that [IsBinary] reads: the kinds of types, the endings of those that are text, and the types
// of other kinds.
func BinaryTypes() (kinds, text, types []string) {
	return slices.Clone(binaryKinds[:]), slices.Clone(textEndings[:]), slices.Clone(binaryTypes[:])
}

// bare returns a type in lower case without its parameters.
func bare(mime string) string {
	mime, _, _ = strings.Cut(mime, ";")
	return strings.ToLower(strings.TrimSpace(mime))
}

// Bytes returns the content of a value of a type. Invalid base64 counts as text.
func Bytes(mime string, value json.RawMessage) []byte {
	var text string
	if IsJSON(mime) || json.Unmarshal(value, &text) != nil {
		return value
	}
	if IsBinary(mime) {
		if data, err := base64.StdEncoding.DecodeString(text); err == nil {
			return data
		}
	}
	return []byte(text)
}

// Value returns the value of a type with some content. It is the inverse of [Bytes] for base64 in one line and for
// text.
func Value(mime string, content []byte) (json.RawMessage, error) {
	switch {
	case IsJSON(mime) && !json.Valid(content):
		return nil, fmt.Errorf("the artifact is not the %s that it should be", mime)
	case IsJSON(mime):
		return content, nil
	case IsBinary(mime):
		return json.RawMessage(`"` + base64.StdEncoding.EncodeToString(content) + `"`), nil
	}
	raw, err := json.Marshal(strings.ToValidUTF8(string(content), "\uFFFD"))
	return raw, err
}

// Shown returns the beginning and end of a stored text, about n bytes, with a line between that has the number of bytes
// left out.
func Shown(text string, n int) string {
	if len(text) <= n {
		return text
	}
	head, tail := text[:n/2], text[len(text)-n/2:]
	for len(head) > 0 && !utf8.RuneStart(text[len(head)]) {
		head = head[:len(head)-1]
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return fmt.Sprintf("%s\n… %d bytes not shown …\n%s", head, len(text)-len(head)-len(tail), tail)
}
