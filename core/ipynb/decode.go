package ipynb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/quirehq/quire/core/event"
)

// maxDepth is how deep the values of a file may nest. It is what an event may, with
// some levels that a file has around a value and an event has not: what was exported
// can be imported.
const maxDepth = event.MaxDepth + 16

// decodeFile reads the bytes of a file as one JSON object.
func decodeFile(data []byte) (node, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return node{}, fmt.Errorf("line %d: the file is not UTF-8 text", lineOf(data, firstInvalid(data)))
	}
	v, err := decode(data)
	if err != nil {
		var again error // an error is that of the file as it is
		if v, again = decode(plainNumbers(data)); again != nil {
			return node{}, err
		}
	}
	if tooDeep(v, maxDepth) {
		return node{}, fmt.Errorf("the file nests deeper than %d levels", maxDepth)
	}
	m, ok := v.(object)
	if !ok {
		return node{}, fmt.Errorf("want a notebook, which is an object, got %s", describe(v))
	}
	return node{m: m}, nil
}

// decode reads one JSON value and keeps its numbers as they are written.
func decode(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		at := wordAt(data, int(syntax.Offset)-1)
		return nil, fmt.Errorf("line %d, column %d: this is not JSON, as a Jupyter notebook is", lineOf(data, at), columnOf(data, at))
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("line %d: the file ends before the notebook does", lineOf(data, len(data)))
	}
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: more follows the end of the notebook", lineOf(data, int(dec.InputOffset())))
	}
	return v, nil
}

// decodeObject reads a value of metadata that should be an object. What is none
// is as good as empty.
func decodeObject(data json.RawMessage) object {
	if len(data) == 0 {
		return nil
	}
	v, err := decode(data)
	if err != nil {
		return nil
	}
	m, _ := v.(object)
	return m
}

// wordAt returns where the word begins that a place is in. Of a word that is none in JSON the
// place of the first letter that cannot be says nothing to people.
func wordAt(data []byte, at int) int {
	at = max(0, min(at, len(data)))
	for at > 0 && isLetter(data[at-1]) {
		at--
	}
	return at
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// columnOf returns the column, from 1 in characters, of a place in the data.
func columnOf(data []byte, at int) int {
	return 1 + utf8.RuneCount(data[bytes.LastIndexByte(data[:at], '\n')+1:at])
}

// lineOf returns the line, from 1, of a place in the data.
func lineOf(data []byte, at int) int {
	return 1 + bytes.Count(data[:max(0, min(at, len(data)))], []byte("\n"))
}

func firstInvalid(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(data)
}

// tooDeep reports whether v nests deeper than levels.
func tooDeep(v any, levels int) bool {
	if levels < 0 {
		return true
	}
	switch v := v.(type) {
	case object:
		for _, w := range v {
			if tooDeep(w, levels-1) {
				return true
			}
		}
	case []any:
		for _, w := range v {
			if tooDeep(w, levels-1) {
				return true
			}
		}
	}
	return false
}
