package text

import (
	"fmt"
	"slices"
	"strings"
)

// maxLen is the longest text, in units, that an edit may be made for. Sums of two such lengths fit an int everywhere.
const maxLen = 1 << 30

// Edit is a change of a text: components that keep, insert and delete, from the start on. It keeps the text after its
// last component. It is a value that is not changed after it is made; the zero value changes nothing. An edit is always
// in normal form, so edits with the same effect are [Edit.Equal] and have the same JSON: neighbours of one kind are
// joined, an insertion comes before a deletion at its place, and no component keeps the end.
type Edit struct {
	first change // here and not in a slice, for keystrokes have no other
	rest  []change
}

// change is one place where an edit changes a text: after keep units, text of that many units replaces drop units.
// Units and drop are not both zero, and only the first change of an edit may have a keep of zero.
type change struct {
	keep  int
	text  string
	units int
	drop  int
}

// isZero reports whether c changes nothing.
func (c *change) isZero() bool { return c.units == 0 && c.drop == 0 }

// places returns the number of places where e changes a text.
func (e *Edit) places() int {
	if e.first.isZero() {
		return 0
	}
	return 1 + len(e.rest)
}

// at returns the change with an index.
func (e *Edit) at(i int) *change {
	if i == 0 {
		return &e.first
	}
	return &e.rest[i-1]
}

// Insert returns the edit that inserts s at unit at. Bytes of s that are not UTF-8 become U+FFFD. A negative place is
// zero.
func Insert(at int, s string) Edit {
	return Replace(at, 0, s)
}

// Delete returns the edit that deletes n units at unit at. A negative place or length is zero.
func Delete(at, n int) Edit {
	return Replace(at, n, "")
}

// Replace returns the edit that replaces n units at unit at with s, under the rules of [Insert] and [Delete].
func Replace(at, n int, s string) Edit {
	at = min(max(at, 0), maxLen)
	n = min(max(n, 0), maxLen-at)
	s = valid(s)
	var b builder
	b.retain(at)
	b.insert(s, UTF16Len(s))
	b.delete(n)
	return b.edit()
}

// IsZero reports whether e changes nothing.
func (e Edit) IsZero() bool { return e.first.isZero() }

// Equal reports whether e and f are the same edit.
func (e Edit) Equal(f Edit) bool { return e.first == f.first && slices.Equal(e.rest, f.rest) }

// String returns the JSON of e.
func (e Edit) String() string { return string(e.AppendJSON(nil)) }

// BaseLen returns the least length, in UTF-16 units, of a text that e fits.
func (e Edit) BaseLen() int {
	n := 0
	for i := range e.places() {
		c := e.at(i)
		n += c.keep + c.drop
	}
	return n
}

// Delta returns by how many UTF-16 units e makes a text longer; it is negative if the text becomes shorter.
func (e Edit) Delta() int {
	n := 0
	for i := range e.places() {
		c := e.at(i)
		n += c.units - c.drop
	}
	return n
}

// Insertion returns the place and the text of an edit that inserts one text and does nothing else, and false for other
// edits.
func (e Edit) Insertion() (at int, s string, ok bool) {
	return e.first.keep, e.first.text, len(e.rest) == 0 && e.first.units > 0 && e.first.drop == 0
}

// Inserted returns all text that e inserts, in order.
func (e Edit) Inserted() string {
	if len(e.rest) == 0 {
		return e.first.text
	}
	var b strings.Builder
	for i := range e.places() {
		b.WriteString(e.at(i).text)
	}
	return b.String()
}

// Size returns about how many bytes of memory e takes.
func (e Edit) Size() int {
	const each = 64
	n := each
	for i := range e.places() {
		n += each + len(e.at(i).text)
	}
	return n
}

// Invert returns the edit that undoes e, given the text that e applies to, before it is applied.
func (e Edit) Invert(t *Text) (Edit, error) {
	p, err := t.check(e)
	if err != nil {
		return Edit{}, fmt.Errorf("invert edit: %w", err)
	}
	var b builder
	at := 0
	for i := range e.places() {
		c := e.at(i)
		at += c.keep
		b.retain(c.keep)
		b.delete(c.units)
		if c.drop > 0 {
			p = t.seek(p, at)
			end := t.seek(p, at+c.drop)
			b.insert(t.slice(p, end), c.drop)
			at, p = at+c.drop, end
		}
	}
	return b.edit(), nil
}
