package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/event"
)

// definition is a tool with its function.
type definition struct {
	name   string
	class  event.ToolClass
	params []param
	call   func(ctx context.Context, s *Set, a arguments) (Result, error)
}

// param is an argument that a tool takes.
type param struct {
	name, about string
	form        form
	required    bool
	oneOf       []string // the values that a text may have; nil for any
}

// form is the type of an argument.
type form string

const (
	formText    form = "string"
	formInteger form = "integer"
	formTexts   form = "array" // of strings
)

// arguments are the decoded arguments of a call. A missing one has its zero value.
type arguments struct {
	texts    map[string]string
	integers map[string]int
	lists    map[string][]string
	has      map[string]bool
}

// schema returns the JSON Schema of a tool's arguments.
func (d *definition) schema() json.RawMessage {
	properties := map[string]any{}
	required := []string{}
	for _, p := range d.params {
		property := map[string]any{"type": string(p.form), "description": p.about}
		if p.form == formTexts {
			property["items"] = map[string]any{"type": "string"}
			property["minItems"] = 1
		}
		if p.oneOf != nil {
			property["enum"] = p.oneOf
		}
		properties[p.name] = property
		if p.required {
			required = append(required, p.name)
		}
	}
	schema, err := json.Marshal(map[string]any{
		"type": "object", "properties": properties, "required": required, "additionalProperties": false,
	})
	if err != nil {
		panic(err) // texts and lists of them always marshal
	}
	return schema
}

// decode reads the arguments that a model wrote. The error says which one is wrong, and what the tool takes. Null
// counts as left out, since models write it so; no text at all is an object without members.
func (d *definition) decode(written json.RawMessage) (arguments, error) {
	a := arguments{texts: map[string]string{}, integers: map[string]int{}, lists: map[string][]string{}, has: map[string]bool{}}
	members, err := object(written)
	if err != nil {
		return a, fmt.Errorf("the arguments of %s are not a JSON object: %w", d.name, err)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.ContainsFunc(d.params, func(p param) bool { return p.name == name }) {
			return a, fmt.Errorf("%s has no argument %q; %s", d.name, name, d.taken())
		}
	}
	for _, p := range d.params {
		raw, ok := members[p.name]
		if !ok || string(raw) == "null" {
			if p.required {
				return a, fmt.Errorf("%s needs the argument %q: %s", d.name, p.name, p.about)
			}
			continue
		}
		if err := a.set(p, raw); err != nil {
			return a, fmt.Errorf("%s: %w", d.name, err)
		}
	}
	return a, nil
}

// object decodes a JSON object with no member twice, and nothing behind it.
func object(written json.RawMessage) (map[string]json.RawMessage, error) {
	if len(bytes.TrimSpace(written)) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(written))
	var members map[string]json.RawMessage
	if err := d.Decode(&members); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is text behind it")
	}
	return members, nil
}

// taken lists the arguments of a tool.
func (d *definition) taken() string {
	if len(d.params) == 0 {
		return "it takes none"
	}
	var names []string
	for _, p := range d.params {
		if p.required {
			names = append(names, p.name+" (needed)")
		} else {
			names = append(names, p.name)
		}
	}
	return "it takes " + strings.Join(names, ", ")
}

// set decodes one argument.
func (a *arguments) set(p param, raw json.RawMessage) error {
	a.has[p.name] = true
	var into any
	var text string
	var integer int
	var list []string
	switch p.form {
	case formText:
		into = &text
	case formInteger:
		into = &integer
	case formTexts:
		into = &list
	}
	if json.Unmarshal(raw, into) != nil {
		return fmt.Errorf("the argument %q must be %s", p.name, p.form.words())
	}
	if p.form == formTexts && len(list) == 0 {
		return fmt.Errorf("the argument %q must have at least one text", p.name)
	}
	if p.oneOf != nil && !slices.Contains(p.oneOf, text) {
		return fmt.Errorf("the argument %q must be one of %s", p.name, strings.Join(p.oneOf, ", "))
	}
	a.texts[p.name], a.integers[p.name], a.lists[p.name] = text, integer, list
	return nil
}

func (f form) words() string {
	switch f {
	case formInteger:
		return "a whole number"
	case formTexts:
		return "a list of texts"
	}
	return "a text"
}

// cell returns the argument that names a cell.
func (a *arguments) cell(name string) event.CellID { return event.CellID(a.texts[name]) }
