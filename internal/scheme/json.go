package scheme

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
)

// JSON returns the value of a variable as JSON: vectors and lists as arrays, lists of pairs whose first parts are symbols
// as objects, symbols and characters as strings, the symbol null as null.
func (in *Interp) JSON(name string) ([]byte, error) {
	s, ok := in.symbols[name]
	g, isGlobal := in.user.table[s].(*global)
	if !ok || !isGlobal || g.v == nil {
		return nil, fmt.Errorf("there is no variable %q", name)
	}
	v, err := toJSON(g.v, 0)
	if err != nil {
		return nil, fmt.Errorf("the variable %s: %w", name, err)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("the variable %s: %w", name, err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

func toJSON(v Value, depth int) (any, error) {
	if depth > maxNesting/10 {
		return nil, errors.New("it nests too deeply")
	}
	switch v := v.(type) {
	case bool, int64, *big.Int:
		return v, nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("JSON has no number %s", formatNumber(v, 10))
		}
		return v, nil
	case *big.Rat:
		return toJSON(toFloat(v), depth)
	case *str:
		return v.String(), nil
	case char:
		return string(rune(v)), nil
	case *symbol:
		if v.name == "null" {
			return nil, nil
		}
		return v.name, nil
	case *vector:
		return arrayJSON(v.items, depth)
	case empty, *pair:
		all, ok := items(v)
		if !ok {
			break
		}
		if object, ok := fieldsOf(all); ok {
			return objectJSON(object, depth)
		}
		return arrayJSON(all, depth)
	}
	return nil, fmt.Errorf("JSON has no %s", typeName(v))
}

func arrayJSON(all []Value, depth int) (any, error) {
	array := make([]any, len(all))
	for i, v := range all {
		var err error
		if array[i], err = toJSON(v, depth+1); err != nil {
			return nil, err
		}
	}
	return array, nil
}

// fieldsOf returns the fields of an association list of symbols.
func fieldsOf(all []Value) (map[string]Value, bool) {
	fields := map[string]Value{}
	for _, v := range all {
		p, ok := v.(*pair)
		if !ok {
			return nil, false
		}
		s, ok := p.car.(*symbol)
		if !ok {
			return nil, false
		}
		if _, twice := fields[s.name]; !twice {
			fields[s.name] = p.cdr
		}
	}
	return fields, len(all) > 0
}

func objectJSON(fields map[string]Value, depth int) (any, error) {
	object := make(map[string]any, len(fields))
	for name, v := range fields {
		var err error
		if object[name], err = toJSON(v, depth+1); err != nil {
			return nil, err
		}
	}
	return object, nil
}

// SetJSON defines a variable with a value of JSON: arrays are vectors, objects are lists of pairs of a symbol and a value,
// and null is the symbol null.
func (in *Interp) SetJSON(name string, text []byte) error {
	if !isVariableName(name) {
		return fmt.Errorf("%q is no name of a variable", name)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := in.fromJSON(d, 0)
	if err != nil {
		return fmt.Errorf("set the variable %s: %w", name, err)
	}
	in.machine.define(in.user.define(in.intern(name)), v)
	return nil
}

// isVariableName reports whether a name can be written in other languages too, so that none of them is refused there.
func isVariableName(name string) bool {
	for i, c := range name {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '-' || c == '?' || c == '!' || c == '*' || c == '%' || c == '/' || c == '<' || c == '>' || c == '='
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return isPlain(name)
}

func (in *Interp) fromJSON(d *json.Decoder, depth int) (Value, error) {
	if depth > maxNesting/10 {
		return nil, errors.New("it nests too deeply")
	}
	token, err := d.Token()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	switch t := token.(type) {
	case bool:
		return t, nil
	case string:
		return newStr(t), nil
	case json.Number:
		v, ok, err := parseNumber(t.String(), 10)
		if err != nil || !ok {
			return nil, fmt.Errorf("the number %s: %w", t, err)
		}
		return v, nil
	case json.Delim:
		if t == '[' {
			v := &vector{}
			for d.More() {
				item, err := in.fromJSON(d, depth+1)
				if err != nil {
					return nil, err
				}
				v.items = append(v.items, item)
			}
			_, err := d.Token()
			return v, err
		}
		var fields []Value
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := in.fromJSON(d, depth+1)
			if err != nil {
				return nil, err
			}
			name, _ := key.(string)
			fields = append(fields, &pair{in.intern(name), v})
		}
		_, err := d.Token()
		return list(fields...), err
	}
	return in.intern("null"), nil
}
