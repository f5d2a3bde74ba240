package text

import "math"

// comp is one component: an insertion of n units if it has a text, else n units to keep, or -n to delete.
type comp struct {
	n    int
	text string
}

// len returns how many units c keeps, inserts or deletes.
func (c comp) len() int { return max(c.n, -c.n) }

// reader reads the components of an edit from the left, in pieces of the size asked for. After the last component it
// keeps without end.
type reader struct {
	comp   comp   // the rest of the current component
	change change // the rest of the current change, behind comp
	rest   []change
	done   bool
}

// read returns a reader at the start of e.
func read(e Edit) reader {
	r := reader{change: e.first, rest: e.rest}
	r.next()
	return r
}

// next goes to the next component.
func (r *reader) next() {
	c := &r.change
	if c.isZero() && len(r.rest) > 0 {
		*c, r.rest = r.rest[0], r.rest[1:]
	}
	switch {
	case c.isZero():
		r.comp, r.done = comp{n: math.MaxInt}, true
	case c.keep > 0:
		r.comp, c.keep = comp{n: c.keep}, 0
	case c.units > 0:
		r.comp, c.units = comp{c.units, c.text}, 0
	default:
		r.comp, c.drop = comp{n: -c.drop}, 0
	}
}

// inserts reports whether the current component inserts.
func (r *reader) inserts() bool { return r.comp.text != "" }

// deletes reports whether the current component deletes.
func (r *reader) deletes() bool { return r.comp.n < 0 }

// len returns how many units are left of the current component.
func (r *reader) len() int { return r.comp.len() }

// skip advances by n units of the current component, which keeps or deletes them.
func (r *reader) skip(n int) {
	switch {
	case r.done:
	case n == r.len():
		r.next()
	case r.deletes():
		r.comp.n += n
	default:
		r.comp.n -= n
	}
}

// take advances by n units of the current insertion and returns them, and false if they end within a surrogate pair.
func (r *reader) take(n int) (string, bool) {
	s := r.comp.text
	if n == r.comp.n {
		r.next()
		return s, true
	}
	cut, ok := byteOffset(s, r.comp.n, n)
	if !ok {
		return "", false
	}
	r.comp = comp{r.comp.n - n, s[cut:]}
	return s[:cut], true
}
