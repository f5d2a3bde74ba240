// Package text edits a text that several users type in at once. It counts in UTF-16 code units, as CodeMirror and LSP
// do.
//
// An [Edit] is a change, as a value; [Compose], [Transform], [Diff] and [Edit.Invert] make edits from edits and texts.
// Two edits of one text, each followed by the other as Transform returns it, end in the same text. Edits apply to a
// [Text], at a cost that depends on the edit and hardly on the length of the text. No function splits a surrogate pair,
// every text is valid UTF-8, and time stays about linear in the length of any input.
//
// The order of edits, their revisions and their acknowledgement are left to the replica and the room.
package text

import (
	"fmt"
	"slices"
	"strings"
)

// Text is a text that is cheap to edit anywhere and cheap to clone. The zero value is empty and ready for use.
// One goroutine may edit it; while none does, any number may read. Use [Text.Clone] for a copy, never assignment.
type Text struct {
	// Every chunk has minChunk to maxChunk bytes, except that an only one may be shorter; an empty text has none.
	chunks []chunk
	units  int
	bytes  int
	// last is the place of the latest edit: the next one is usually near it.
	last place
	hot  hot
}

// NewText returns a text that holds s. Bytes that are not UTF-8 become U+FFFD.
func NewText(s string) *Text {
	t := &Text{}
	t.set(valid(s))
	return t
}

// set replaces the whole text with s, which is valid UTF-8.
func (t *Text) set(s string) {
	t.chunks = appendChunks(nil, s)
	t.units, t.bytes, t.last, t.hot = 0, len(s), place{}, hot{}
	for _, c := range t.chunks {
		t.units += c.units
	}
}

// Apply changes the text by e. An edit that reaches beyond the end, or that would cut a surrogate pair, is an error and
// changes nothing.
func (t *Text) Apply(e Edit) error {
	if e.IsZero() {
		return nil
	}
	var err error
	if len(e.rest) == 0 {
		err = t.change(e.first)
	} else {
		err = t.changeAll(e)
	}
	if err != nil {
		return fmt.Errorf("apply edit: %w", err)
	}
	return nil
}

// change applies the one change of an edit, if it fits. Every keystroke takes this path.
func (t *Text) change(c change) error {
	end := c.keep + c.drop
	if end > t.units {
		return errReach(end, t.units)
	}
	from := t.seek(t.last, c.keep)
	if from.split {
		return errPair(c.keep)
	}
	to := from
	if c.drop > 0 {
		if to = t.seek(from, end); to.split {
			return errPair(end)
		}
	}
	t.splice(from, to, c)
	return nil
}

// changeAll applies the changes of an edit in any number of places, if all of them fit.
func (t *Text) changeAll(e Edit) error {
	first, err := t.check(e)
	if err != nil {
		return err
	}
	t.last = first
	if e.places() > len(t.chunks)/8 {
		t.rewrite(e)
		return nil
	}
	at := 0
	for i := range e.places() {
		c := e.at(i)
		at += c.keep
		from := t.seek(t.last, at)
		t.splice(from, t.seek(from, at+c.drop), *c)
		at += c.units
	}
	return nil
}

// rewrite builds the whole text again, which is faster for changes in many places, and takes linear time however many
// they are.
func (t *Text) rewrite(e Edit) {
	var b strings.Builder
	b.Grow(t.bytes)
	p := place{}
	for i := range e.places() {
		c := e.at(i)
		kept := t.seek(p, p.unit+c.keep)
		t.write(&b, p, kept)
		b.WriteString(c.text)
		p = t.seek(kept, kept.unit+c.drop)
	}
	t.write(&b, p, t.seek(p, t.units))
	t.set(b.String())
}

// check returns a place near the first change of e, or an error if e does not fit the text.
func (t *Text) check(e Edit) (place, error) {
	if n := e.BaseLen(); n > t.units {
		return place{}, errReach(n, t.units)
	}
	at, first, p := 0, t.last, t.last
	for i := range e.places() {
		c := e.at(i)
		for _, n := range [...]int{c.keep, c.drop} {
			at += n
			if p = t.seek(p, at); p.split {
				return place{}, errPair(at)
			}
		}
		if i == 0 {
			first = p
		}
	}
	return first, nil
}

func errReach(unit, units int) error {
	return fmt.Errorf("edit reaches unit %d of a text of %d", unit, units)
}

func errPair(unit int) error {
	return fmt.Errorf("edit splits the surrogate pair around unit %d", unit)
}

// splice replaces the text between two places.
func (t *Text) splice(from, to place, c change) {
	t.units += c.units - c.drop
	t.last = from
	if from.chunk == to.chunk && t.patch(from, to, c) {
		return
	}
	t.freeze()
	t.replace(from, to, c.text)
}

// patch applies a change within one chunk, if the chunk keeps a good size.
func (t *Text) patch(from, to place, c change) bool {
	i := from.chunk
	if i >= len(t.chunks) {
		return false
	}
	grown := len(c.text) - (to.offset - from.offset)
	if n := t.size(i) + grown; n > maxChunk || n < minChunk && len(t.chunks) > 1 || n == 0 {
		return false
	}
	t.heat(i)
	t.hot.splice(from.offset, to.offset, c.text)
	t.chunks[i].units += c.units - c.drop
	t.bytes += grown
	return true
}

// replace replaces the text between two places with s, and cuts the chunks that it touches again. No chunk is hot.
func (t *Text) replace(from, to place, s string) {
	lo, hi := from.chunk, min(to.chunk+1, len(t.chunks))
	if lo < hi {
		s = t.chunks[lo].text[:from.offset] + s + t.chunks[to.chunk].text[to.offset:]
	}
	t.last = place{unit: from.start, chunk: lo, start: from.start}
	if len(s) < minChunk && lo > 0 {
		lo--
		s = t.chunks[lo].text + s
		start := from.start - t.chunks[lo].units
		t.last = place{unit: start, chunk: lo, start: start}
	}
	if len(s) < minChunk && hi < len(t.chunks) {
		s += t.chunks[hi].text
		hi++
	}
	t.bytes += len(s)
	for _, c := range t.chunks[lo:hi] {
		t.bytes -= len(c.text)
	}
	var few [4]chunk
	t.chunks = slices.Replace(t.chunks, lo, hi, appendChunks(few[:0], s)...)
	if len(t.chunks) == 0 {
		t.last = place{}
	}
}

// Len returns the length of the text in UTF-16 code units.
func (t *Text) Len() int { return t.units }

// Bytes returns the length of the text in bytes of UTF-8.
func (t *Text) Bytes() int { return t.bytes }

// String returns the whole text.
func (t *Text) String() string {
	if len(t.chunks) == 1 && t.hot.empty() {
		return t.chunks[0].text
	}
	var b strings.Builder
	b.Grow(t.bytes)
	t.write(&b, place{}, t.seek(t.last, t.units))
	return b.String()
}

// Equal reports whether two texts are the same. Chunks that they share are not read.
func (t *Text) Equal(u *Text) bool {
	if t.units != u.units || t.bytes != u.bytes {
		return false
	}
	var a, b string
	for i, j := 0, 0; ; {
		if a == "" {
			if i == len(t.chunks) {
				return true // all bytes were compared, for the two have the same number
			}
			a = t.piece(i)
			i++
		}
		if b == "" {
			b = u.piece(j)
			j++
		}
		n := min(len(a), len(b))
		if a[:n] != b[:n] {
			return false
		}
		a, b = a[n:], b[n:]
	}
}

// Clone returns an independent copy. The two share the bytes that neither has changed since.
func (t *Text) Clone() *Text {
	c := *t
	c.chunks = slices.Clone(t.chunks)
	c.hot = hot{}
	if !t.hot.empty() {
		c.chunks[t.hot.chunk].text = string(t.hot.text)
	}
	return &c
}
