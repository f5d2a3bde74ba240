package sqlcell

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/lang"
)

// Set sets a parameter, or with a list of objects makes a table of the database in memory with these rows, in place of
// an earlier one.
func (e *Engine) Set(ctx context.Context, name string, value json.RawMessage) error {
	if !json.Valid(value) {
		return fmt.Errorf("the value of %s is no JSON", name)
	}
	if f, ok := frameOf(value); ok {
		return e.setFrame(ctx, name, f)
	}
	release, err := e.claimFor(name)
	if err != nil {
		return err
	}
	defer release()
	delete(e.results, name)
	e.params[name] = value
	return nil
}

// SetTable implements [lang.Tabler], with a table of the database in memory.
func (e *Engine) SetTable(ctx context.Context, name string, table json.RawMessage) error {
	f, err := readFrame(table)
	if err != nil {
		return fmt.Errorf("read the table %s: %w", name, err)
	}
	return e.setFrame(ctx, name, f)
}

func (e *Engine) setFrame(ctx context.Context, name string, f frame) error {
	release, err := e.claimFor(name)
	if err != nil {
		return err
	}
	defer release()
	delete(e.results, name)
	delete(e.params, name)
	db, ok := e.databases[e.main()].(memoryDatabase)
	if !ok {
		return lang.ErrClosed
	}
	if f := db.store(ctx, name, f); f != nil {
		return fmt.Errorf("make the table %s: %w", name, f)
	}
	return nil
}

// claimFor takes the engine to set what has a name.
func (e *Engine) claimFor(name string) (release func(), err error) {
	if name == "" || wordLength(name) != len(name) {
		return nil, fmt.Errorf("%q is no name for a parameter or a table: want letters, digits and _", name)
	}
	return e.claim()
}

// frame is a table from another language.
type frame struct {
	fields []resourceField
	data   json.RawMessage // a list of objects
}

// frameOf returns a list of objects as a table, and whether the value is one: with a row and a column at least.
func frameOf(value json.RawMessage) (frame, bool) {
	f := frame{data: value}
	places := map[string]int{}
	some := false
	err := f.each(func(row map[string]json.RawMessage, keys []string) error {
		some = true
		for _, key := range keys {
			i, known := places[key]
			if !known {
				i = len(f.fields)
				places[key] = i
				f.fields = append(f.fields, resourceField{Name: key})
			}
			f.fields[i].Type = commonType(f.fields[i].Type, typeOfValue(row[key]))
		}
		return nil
	})
	return f, err == nil && some && len(f.fields) > 0
}

// readFrame reads a tabular data resource.
func readFrame(table json.RawMessage) (frame, error) {
	var r resource
	if err := json.Unmarshal(table, &r); err != nil {
		return frame{}, err
	}
	if len(r.Schema.Fields) == 0 {
		return frame{}, errors.New("it has no columns")
	}
	return frame{r.Schema.Fields, r.Data}, nil
}

// each calls a function with each row, and its keys in their order.
func (f frame) each(do func(row map[string]json.RawMessage, keys []string) error) error {
	d := json.NewDecoder(bytes.NewReader(f.data))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return errors.New("the rows are no list")
	}
	for d.More() {
		if t, err := d.Token(); err != nil || t != json.Delim('{') {
			return errors.New("a row is no object")
		}
		row, keys := map[string]json.RawMessage{}, []string(nil)
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return err
			}
			var value json.RawMessage
			if err := d.Decode(&value); err != nil {
				return err
			}
			name, _ := key.(string) // a key is no other
			row[name], keys = value, append(keys, name)
		}
		if _, err := d.Token(); err != nil {
			return err
		}
		if err := do(row, keys); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// typeOfValue returns the type of a value in a schema, "" of null.
func typeOfValue(raw json.RawMessage) string {
	switch v := decodeValue(raw).(type) {
	case nil:
		return ""
	case bool:
		return "boolean"
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "string"
}

// commonType returns the type of a column with values of two.
func commonType(a, b string) string {
	switch {
	case a == b || b == "":
		return a
	case a == "":
		return b
	case a == "integer" && b == "number", a == "number" && b == "integer":
		return "number"
	}
	return "any"
}
