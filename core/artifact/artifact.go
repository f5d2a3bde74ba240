// Package artifact says in which form values of outputs lie outside the log, and
// what is shown of them inside.
//
// A text and a JSON value are stored as they are, in UTF-8, and the bytes that a
// value has in base64 as bytes, so that a file of the store is what its type says.
// Where files are kept, and who may have them, is left to others. spec/outputs.md has
// the rules.
package artifact

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/core/event"
)

// Plain is the type of text without a form, which is that of a stream.
const Plain = "text/plain"

// Store keeps content by its hash.
type Store interface {
	// Put stores what r has, from its beginning, and returns its name once it is kept. The
	// same content has the same name, however often it is put. A store that cannot be
	// reached is waited for until ctx ends; an error otherwise says that this content is
	// not taken, and why, for people.
	Put(ctx context.Context, r io.ReadSeeker) (event.Artifact, error)
}

// Source has the content of artifacts. The caller closes what Open returns.
type Source interface {
	Open(ctx context.Context, a event.Artifact) (io.ReadCloser, error)
}

// IsJSON reports whether values of a type are JSON.
func IsJSON(mime string) bool {
	mime = bare(mime)
	return mime == "application/json" || strings.HasSuffix(mime, "+json")
}

// IsBinary reports whether values of a type are bytes, which an event has in base64. Of
// a type that is not known to be they are text.
func IsBinary(mime string) bool {
	mime = bare(mime)
	switch kind, _, _ := strings.Cut(mime, "/"); kind {
	case "image", "audio", "video", "font":
		return !strings.HasSuffix(mime, "+xml") && !strings.HasSuffix(mime, "+json")
	}
	return mime == "application/pdf" || mime == "application/octet-stream"
}

// bare returns a type in lower case without its parameters.
func bare(mime string) string {
	mime, _, _ = strings.Cut(mime, ";")
	return strings.ToLower(strings.TrimSpace(mime))
}

// Bytes returns the content that a value of a type has. A value that should be base64 and
// is not is text.
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

// Value returns the value of a type that has some content: that of which [Bytes] made
// it, if that was base64 in one line or no base64 at all.
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

// Shown returns about n bytes of a text that is stored, with a line that says how much
// is not shown: its beginning and its end.
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
