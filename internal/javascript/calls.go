package javascript

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf16"

	"github.com/quirehq/quire/core/lang"
)

// callTime bounds calls: an object of a user may be a proxy, whose code they call.
const callTime = time.Second

// ask calls a function of the prelude that answers in JSON, into a value. An empty answer leaves it as it is.
func (in *Interpreter) ask(ctx context.Context, value any, function string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	in.ctx = ctx
	var answer any
	var err error
	in.guard(ctx, func() { answer, err = in.call(function, args...) })
	if err != nil {
		return in.shape(err, nil)
	}
	encoded, _ := answer.(string)
	if encoded == "" || value == nil {
		return nil
	}
	return json.Unmarshal([]byte(encoded), value)
}

// Variables implements lang.VariableLister.
func (in *Interpreter) Variables(ctx context.Context) ([]lang.Variable, error) {
	var list []lang.Variable
	err := in.ask(ctx, &list, "variables")
	return list, err
}

// pathBefore matches a path of names that ends where it stands, and pathAfter what goes on behind.
var pathBefore = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\.)?([A-Za-z_$][\w$]*)?$`)
})

// Complete implements lang.Completer.
func (in *Interpreter) Complete(ctx context.Context, at lang.Place) (lang.Completion, error) {
	before, _ := split(at)
	m := pathBefore().FindStringSubmatch(before)
	begun := m[2]
	end := len(utf16.Encode([]rune(before)))
	c := lang.Completion{Start: end - len(begun), End: end, Items: []lang.Candidate{}}
	if rest := strings.TrimSuffix(before, m[0]); strings.HasSuffix(rest, ".") && m[1] == "" { // of no name
		return c, nil
	}
	return c, in.ask(ctx, &c.Items, "complete", m[1], begun)
}

// nameAfter matches the rest of a name.
var nameAfter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\w$]*`) })

// Inspect implements lang.Inspector.
func (in *Interpreter) Inspect(ctx context.Context, at lang.Place) (lang.Inspection, error) {
	before, after := split(at)
	before += nameAfter().FindString(after)
	before = strings.TrimSuffix(before, "(")
	path := strings.TrimSuffix(pathBefore().FindString(before), ".")
	if path == "" {
		return lang.Inspection{}, nil
	}
	var found struct{ Signature, Text string }
	if err := in.ask(ctx, &found, "describe", path); err != nil || found.Signature == "" {
		return lang.Inspection{}, err
	}
	return lang.Inspection{Found: true, Signature: found.Signature, Data: lang.Text("text/plain", found.Text).Data}, nil
}

// split splits a source at its cursor.
func split(at lang.Place) (before, after string) {
	units := utf16.Encode([]rune(at.Source))
	cursor := min(max(at.Cursor, 0), len(units))
	return string(utf16.Decode(units[:cursor])), string(utf16.Decode(units[cursor:]))
}

// Get implements engineproto.Accessor.
func (in *Interpreter) Get(ctx context.Context, name string) (json.RawMessage, error) {
	var value json.RawMessage
	if err := in.ask(ctx, &value, "getJSON", name); err != nil {
		return nil, err
	}
	if value == nil {
		return nil, fmt.Errorf("there is no variable %s", name)
	}
	return value, nil
}

// Set implements engineproto.Accessor.
func (in *Interpreter) Set(ctx context.Context, name string, value json.RawMessage) error {
	return in.ask(ctx, nil, "setJSON", name, string(value))
}
