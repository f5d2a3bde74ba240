package text

import (
	"fmt"
	"slices"
)

// maxLen is the longest text, in units, that an edit may be made for. Sums of two such lengths fit an int everywhere.
const maxLen = 1 << 30

// Edit is a change of a text: what to keep, insert and delete from the start on. What it does not reach is kept.
// It is a value that nothing changes after it is made; the zero value changes nothing. An edit is always in normal form, so
// edits that do the same are [Edit.Equal] and have the same JSON: neighbours of one kind are joined, an insertion comes
// before a deletion at its place, and nothing is kept at the end.
type Edit struct {
	comps []comp
}

// comp is one component: an insertion of n units if it has a text, else n units to keep, or -n to delete.
type comp struct {
	n    int
	text string
}

// len returns how many units c keeps, inserts or deletes.
func (c comp) len() int { return max(c.n, -c.n) }

// Insert returns the edit that inserts s at unit at. Bytes of s that are not UTF-8 become U+FFFD. A negative place is zero.
func Insert(at int, s string) Edit {
	return Replace(at, 0, s)
}

// Delete returns the edit that deletes n units at unit at. A negative place or length is zero.
func Delete(at, n int) Edit {
	return Replace(at, n, "")
}

// Replace returns the edit that puts s in the place of n units at unit at, under the rules of [Insert] and [Delete].
func Replace(at, n int, s string) Edit {
	at = min(max(at, 0), maxLen)
	n = min(max(n, 0), maxLen-at)
	s = valid(s)
	var b builder
	b.retain(at)
	b.insert(s, utf16Len(s))
	b.delete(n)
	return b.edit()
}

// IsZero reports whether e changes nothing.
func (e Edit) IsZero() bool { return len(e.comps) == 0 }

// Equal reports whether e and f are the same edit.
func (e Edit) Equal(f Edit) bool { return slices.Equal(e.comps, f.comps) }

// String returns the JSON of e.
func (e Edit) String() string { return string(e.AppendJSON(nil)) }

// BaseLen returns the least length, in UTF-16 units, of a text that e fits.
func (e Edit) BaseLen() int {
	n := 0
	for _, c := range e.comps {
		if c.text == "" {
			n += c.len()
		}
	}
	return n
}

// Delta returns by how many UTF-16 units e makes a text longer; it is negative if the text becomes shorter.
func (e Edit) Delta() int {
	n := 0
	for _, c := range e.comps {
		if c.text != "" || c.n < 0 {
			n += c.n
		}
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
	for rest := e.comps; len(rest) > 0; {
		var c change
		c, rest = nextChange(rest)
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

// change is one place where an edit changes something: after keep units, text of that many units for drop units.
type change struct {
	keep  int
	text  string
	units int
	drop  int
}

// nextChange takes the first change off components in normal form, which are not empty.
func nextChange(comps []comp) (change, []comp) {
	var c change
	if comps[0].text == "" && comps[0].n > 0 {
		c.keep, comps = comps[0].n, comps[1:]
	}
	if len(comps) > 0 && comps[0].text != "" {
		c.text, c.units, comps = comps[0].text, comps[0].n, comps[1:]
	}
	if len(comps) > 0 && comps[0].text == "" && comps[0].n < 0 {
		c.drop, comps = -comps[0].n, comps[1:]
	}
	return c, comps
}
