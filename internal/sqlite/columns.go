package sqlite

import (
	"bytes"
	"encoding/binary"
)

// Consecutive records differ little, each in the same places: numbers increase by one, the actor
// stays, a letter changes. Columns store the values of one place of all records together, as
// differences from the record before, so a general compressor finds almost nothing to store.
//
// The encoding is a sequence of blocks with their lengths: the shapes in the order of their first
// use; the shape of each record; the counts of number and string places; and for each place its
// heads and its bytes. The head of a number is the difference from the previous one in its place,
// and it has no bytes. The head of a string is 0 if it equals the previous one, and else its length
// plus one.
type columns struct {
	shapes  []byte
	known   map[string]uint64
	uses    []byte
	numbers []column // by the number's place in the record
	strings []column
}

// column is the values of one place.
type column struct {
	number uint64 // the previous one
	text   []byte // the previous one
	heads  []byte // differences or lengths
	bytes  []byte // of strings
}

// maxPlaces bounds the numbers, and the strings, that have columns of their own. Later places in a
// record share them.
const maxPlaces = 64

// encodeColumns returns the columns of count records in lines.
func encodeColumns(lines []byte, count int) []byte {
	c := columns{known: map[string]uint64{}, uses: make([]byte, 0, count)}
	var t tokens
	for line := range splitLines(lines) {
		t.cut(line)
		c.add(&t)
	}
	return c.bytes(len(lines))
}

func (c *columns) add(t *tokens) {
	use, ok := c.known[string(t.shape)]
	if !ok {
		use = uint64(len(c.known))
		c.known[string(t.shape)] = use
		c.shapes = appendBytes(c.shapes, t.shape)
	}
	c.uses = binary.AppendUvarint(c.uses, use)
	for i, n := range t.numbers {
		at(&c.numbers, i).addNumber(n)
	}
	for i, s := range t.strings {
		at(&c.strings, i).addString(s)
	}
}

// at returns the column of a place, creating those up to it.
func at(list *[]column, i int) *column {
	i %= maxPlaces
	for len(*list) <= i {
		*list = append(*list, column{})
	}
	return &(*list)[i]
}

func (c *column) addNumber(n uint64) {
	c.heads = binary.AppendVarint(c.heads, int64(n-c.number)) // overflow wraps, and is reversed by decoding
	c.number = n
}

func (c *column) addString(s []byte) {
	if len(c.heads) > 0 && bytes.Equal(s, c.text) {
		c.heads = append(c.heads, 0)
		return
	}
	c.heads = binary.AppendUvarint(c.heads, uint64(len(s))+1)
	c.bytes = append(c.bytes, s...)
	c.text = s
}

func (c *columns) bytes(size int) []byte {
	dst := appendBytes(make([]byte, 0, size/4), c.shapes)
	dst = appendBytes(dst, c.uses)
	dst = binary.AppendUvarint(dst, uint64(len(c.numbers)))
	dst = binary.AppendUvarint(dst, uint64(len(c.strings)))
	for _, l := range [][]column{c.numbers, c.strings} {
		for i := range l {
			dst = appendBytes(dst, l[i].heads)
			dst = appendBytes(dst, l[i].bytes)
		}
	}
	return dst
}
