package sqlite

import (
	"errors"
	"fmt"
)

// errShort says that columns end too early, or have invalid values.
var errShort = errors.New("columns do not fit together")

// shape is a shape with its numbers of values.
type shape struct {
	text             []byte
	numbers, strings int
}

// source is a column that is being decoded.
type source struct {
	heads, bytes input
	number       uint64
	text         []byte
}

func (s *source) nextNumber() uint64 {
	s.number += uint64(s.heads.varint())
	return s.number
}

func (s *source) nextString() []byte {
	if n := s.heads.uvarint(); n > 0 {
		s.text = s.bytes.take(n - 1)
	}
	return s.text
}

// table is the columns of a segment during decoding.
type table struct {
	shapes           []shape
	uses             input
	numbers, strings []source
}

// decodeColumns is the inverse of encodeColumns.
func decodeColumns(data []byte, count int) ([]byte, error) {
	t, err := readTable(data)
	if err != nil {
		return nil, err
	}
	var (
		row tokens
		dst = make([]byte, 0, 4*len(data))
	)
	for i := range count {
		if !t.next(&row) {
			return nil, fmt.Errorf("record %d: %w", i, errShort)
		}
		if len(dst)+row.size() > maxUnpacked {
			return nil, fmt.Errorf("record %d: more than %d bytes", i, maxUnpacked)
		}
		dst, _ = row.join(dst) // next fills all marks of the shape
		dst = append(dst, '\n')
	}
	return dst, nil
}

// size bounds the bytes of the record: a few damaged columns can repeat the same text many times.
func (t *tokens) size() int {
	const digits = 20 // of the largest number
	n := len(t.shape) + digits*len(t.numbers) + len("\n")
	for _, s := range t.strings {
		n += len(s)
	}
	return n
}

func readTable(data []byte) (*table, error) {
	in := input{rest: data}
	shapes := input{rest: in.block()}
	t := &table{uses: input{rest: in.block()}}
	for len(shapes.rest) > 0 {
		s := shape{text: shapes.block()}
		s.numbers, s.strings = arity(s.text)
		t.shapes = append(t.shapes, s)
	}
	numbers, strings := in.uvarint(), in.uvarint()
	if in.bad || shapes.bad || numbers > maxPlaces || strings > maxPlaces {
		return nil, errShort
	}
	t.numbers, t.strings = in.sources(numbers), in.sources(strings)
	if in.bad {
		return nil, errShort
	}
	return t, nil
}

func (in *input) sources(n uint64) []source {
	list := make([]source, n)
	for i := range list {
		list[i].heads.rest = in.block()
		list[i].bytes.rest = in.block()
	}
	return list
}

// next decodes one record into row, and reports whether there was one.
func (t *table) next(row *tokens) bool {
	use := t.uses.uvarint()
	if t.uses.bad || use >= uint64(len(t.shapes)) {
		return false
	}
	s := t.shapes[use]
	if min(s.numbers, maxPlaces) > len(t.numbers) || min(s.strings, maxPlaces) > len(t.strings) {
		return false
	}
	row.shape, row.numbers, row.strings = s.text, row.numbers[:0], row.strings[:0]
	return t.readNumbers(s.numbers, row) && t.readStrings(s.strings, row)
}

func (t *table) readNumbers(n int, row *tokens) bool {
	for i := range n {
		c := &t.numbers[i%maxPlaces]
		row.numbers = append(row.numbers, c.nextNumber())
		if c.heads.bad {
			return false
		}
	}
	return true
}

func (t *table) readStrings(n int, row *tokens) bool {
	for i := range n {
		c := &t.strings[i%maxPlaces]
		row.strings = append(row.strings, c.nextString())
		if c.heads.bad || c.bytes.bad {
			return false
		}
	}
	return true
}
