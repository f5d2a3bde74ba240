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

// maxDepth bounds the nesting of a file. It is the bound of an event plus the levels that a file has around a value, so
// every exported file can be imported.
const maxDepth = event.MaxDepth + 16

func decodeFile(data []byte) (node, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return node{}, fmt.Errorf("line %d: the file is not UTF-8 text", lineOf(data, firstInvalid(data)))
	}
	v, err := decode(data)
	if err != nil {
		var again error // an error reports the original file
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

// decode reads one JSON value and keeps its numbers unparsed.
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

// decodeObject reads a value of metadata that should be an object. Any other value counts as empty.
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

// wordAt returns the start of the word around an offset. In a word that is invalid JSON, the offset of the first
// invalid letter does not help people.
func wordAt(data []byte, at int) int {
	at = max(0, min(at, len(data)))
	for at > 0 && isLetter(data[at-1]) {
		at--
	}
	return at
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// columnOf returns the column, from 1 in characters, of an offset in the data.
func columnOf(data []byte, at int) int {
	return 1 + utf8.RuneCount(data[bytes.LastIndexByte(data[:at], '\n')+1:at])
}

// lineOf returns the line, from 1, of an offset in the data.
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

// pythonNumbers are the numbers that Python writes into JSON and JSON does not have, with their replacements: null for
// NaN, and for infinity a number that is too large for every reader.
var pythonNumbers = []struct{ from, to string }{
	{"-Infinity", "-1e999"},
	{"Infinity", "1e999"},
	{"NaN", "null"},
}

// plainNumbers replaces Python's numbers with those of JSON. It leaves strings alone, and keeps line ends in place.
func plainNumbers(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		n := 1
		if data[i] == '"' {
			n = stringLen(data[i:])
		}
		to := data[i : i+n]
		for _, number := range pythonNumbers {
			if n == 1 && bytes.HasPrefix(data[i:], []byte(number.from)) {
				n, to = len(number.from), []byte(number.to)
				break
			}
		}
		out = append(out, to...)
		i += n
	}
	return out
}

// stringLen returns the length of the string at the start of data, quotes included.
func stringLen(data []byte) int {
	for i := 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}
