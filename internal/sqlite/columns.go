package sqlite

import (
	"bytes"
	"encoding/binary"
)

// Records that follow one another differ little, each in the same places: numbers
// go up by one, the actor stays, a letter changes. Columns put what lies in the
// same place of each record side by side, as the difference from the record
// before, so that a general compressor finds next to nothing left to store.
//
// They are written one after another, each with its length before it: the shapes
// in the order of their first use; which shape each record has; how many places of
// numbers and of strings there are; and for each place its heads and its bytes. The
// head of a number is the difference from the one before in its place, and it has
// no bytes. The head of a string is 0 if it is the same as the one before, and else
// its length plus one.
type columns struct {
	shapes  []byte
	known   map[string]uint64
	uses    []byte
	numbers []column // by the number's place in the record
	strings []column
}

// column is the values of one place.
type column struct {
	number uint64 // the one before
	text   []byte // the one before
	heads  []byte // differences or lengths
	bytes  []byte // of strings
}

// maxPlaces is how many numbers, and how many strings, have columns of their own.
// What is further on in a record shares them.
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

// at returns the column of a place, making those up to it.
func at(list *[]column, i int) *column {
	i %= maxPlaces
	for len(*list) <= i {
		*list = append(*list, column{})
	}
	return &(*list)[i]
}

func (c *column) addNumber(n uint64) {
	c.heads = binary.AppendVarint(c.heads, int64(n-c.number)) // wraps, and wraps back
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
