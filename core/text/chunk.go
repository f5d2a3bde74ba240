package text

import (
	"strings"
	"unicode/utf8"
)

// Sizes of chunks in bytes. The first keystroke in a chunk copies it, and a far jump looks at one number a chunk: with
// these, both cost some hundred nanoseconds in a text of a megabyte. A chunk that leaves the range is cut or joined to
// a size well inside it, so the structure changes once in hundreds of typed bytes.
const (
	maxChunk = 1024
	newChunk = 768
	minChunk = 256
)

// chunk is a piece of a text. It is never changed, only replaced, so clones can share it. The hot chunk has no text
// here: see hot.
type chunk struct {
	text  string
	units int
}

// place is a position in a text, as a unit of the text and as a byte of one of its chunks.
type place struct {
	unit, offset int
	chunk, start int  // the chunk, and the unit that it begins at
	split        bool // the position is within a surrogate pair, and offset is not valid
}

// seek returns the place of unit at, which is not beyond the end, searching from p. Between two chunks it returns the
// end of the left one.
func (t *Text) seek(p place, at int) place {
	if len(t.chunks) == 0 {
		return place{}
	}
	i, start := p.chunk, p.start
	for at < start || at == start && i > 0 {
		i--
		start -= t.chunks[i].units
	}
	for at > start+t.chunks[i].units {
		start += t.chunks[i].units
		i++
	}
	known := mark{}
	if i == p.chunk {
		known = mark{p.unit - start, p.offset}
	}
	offset, ok := 0, false
	if c := t.chunks[i]; c.text != "" {
		offset, ok = offsetNear(c.text, c.units, at-start, known)
	} else {
		offset, ok = offsetNear(t.hot.text, c.units, at-start, known)
	}
	return place{unit: at, offset: offset, chunk: i, start: start, split: !ok}
}

// size returns how many bytes chunk i has.
func (t *Text) size(i int) int {
	if s := t.chunks[i].text; s != "" {
		return len(s)
	}
	return len(t.hot.text)
}

// piece returns the text of chunk i.
func (t *Text) piece(i int) string {
	if s := t.chunks[i].text; s != "" {
		return s
	}
	return string(t.hot.text)
}

// slice returns the text between two places.
func (t *Text) slice(from, to place) string {
	if from.chunk == to.chunk {
		if s := t.chunks[from.chunk].text; s != "" {
			return s[from.offset:to.offset]
		}
		return string(t.hot.text[from.offset:to.offset])
	}
	var b strings.Builder
	t.write(&b, from, to)
	return b.String()
}

// write appends the text between two places to b.
func (t *Text) write(b *strings.Builder, from, to place) {
	for i := from.chunk; i < len(t.chunks) && i <= to.chunk; i++ {
		lo, hi := 0, t.size(i)
		if i == to.chunk {
			hi = to.offset
		}
		if i == from.chunk {
			lo = from.offset
		}
		if s := t.chunks[i].text; s != "" {
			b.WriteString(s[lo:hi])
		} else {
			b.Write(t.hot.text[lo:hi])
		}
	}
}

// appendChunks cuts s into chunks of about equal size. Each copies its bytes; otherwise the last chunk that is left of
// a large paste would keep all of the paste in memory.
func appendChunks(dst []chunk, s string) []chunk {
	if s == "" {
		return dst
	}
	if len(s) <= maxChunk {
		return append(dst, chunk{s, UTF16Len(s)})
	}
	for n := (len(s) + newChunk - 1) / newChunk; n > 0; n-- {
		cut := len(s) / n
		for cut < len(s) && !utf8.RuneStart(s[cut]) {
			cut--
		}
		dst = append(dst, chunk{strings.Clone(s[:cut]), UTF16Len(s[:cut])})
		s = s[cut:]
	}
	return dst
}
