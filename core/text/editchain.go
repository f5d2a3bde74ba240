package text

// linkSize is the number of edits of a chain that share bounds: at most as many as a person types at one place.
const linkSize = 16

// Chain is a list of edits, each made on the text that those before it leave. It transforms an edit over all of them,
// and them over that edit, faster than one [TransformInPlace] each: neighbours in the list are nearly always made at
// one place, and a group that is apart from the edit is shifted as a whole. The zero value is an empty chain.
type Chain struct {
	links []*link
	first int // edits of the first link that were dropped
	n     int
}

// link is a part of a chain.
type link struct {
	edits   []Edit
	shift   int  // added to the first keep of each edit
	changed bool // since the last call of Changed

	// The bounds are those of the edits without the shift. They may be too wide.
	mixed  bool // an edit has not exactly one place, so there are no bounds
	lo     int  // where the leftmost edit begins
	hi     int  // where the rightmost ends, in units of the text before the link
	beyond int  // like hi, but an edit that only inserts ends one unit after its place
	delta  int  // by how much the edits make the text longer
}

// Len returns how many edits the chain has.
func (c *Chain) Len() int { return c.n }

// Clone returns a copy that changes apart from the chain.
func (c *Chain) Clone() Chain {
	clone := *c
	clone.links = make([]*link, len(c.links))
	for i, l := range c.links {
		copied := *l
		copied.edits = append(make([]Edit, 0, linkSize), l.edits...)
		clone.links[i] = &copied
	}
	return clone
}

// Add appends an edit.
func (c *Chain) Add(e Edit) {
	if len(c.links) == 0 || len(c.links[len(c.links)-1].edits) == linkSize {
		c.links = append(c.links, &link{edits: make([]Edit, 0, linkSize)})
	}
	l := c.links[len(c.links)-1]
	e.first.keep -= l.shift
	l.edits = append(l.edits, e)
	l.include(&l.edits[len(l.edits)-1], len(l.edits)-1 == 0)
	c.n++
}

// Drop removes the first n edits. The chain must have that many.
func (c *Chain) Drop(n int) {
	c.n -= n
	for ; n > 0; n-- {
		c.links[0].forget(c.first)
		if c.first++; c.first == len(c.links[0].edits) {
			c.links, c.first = c.links[1:], 0
		}
	}
}

// Before transforms an edit that is ordered before those of the chain over them, and them over it. It returns the edit
// as it applies after them.
func (c *Chain) Before(e Edit) Edit {
	for i, l := range c.links {
		l.before(&e, c.from(i))
	}
	return e
}

// After transforms an edit that is ordered after those of the chain over them, and them over it. It returns the edit as
// it applies after them.
func (c *Chain) After(e Edit) Edit {
	for i, l := range c.links {
		l.after(&e, c.from(i))
	}
	return e
}

// Changed calls f with the index of each edit that may have changed since it was added or last passed to f.
func (c *Chain) Changed(f func(i int, e Edit)) {
	at := 0
	for i, l := range c.links {
		from := c.from(i)
		if l.changed {
			l.applyShift(from)
			for j, e := range l.edits[from:] {
				f(at+j, e)
			}
			l.changed = false
		}
		at += len(l.edits) - from
	}
}

// from returns the index of the first edit of a link that is in the chain.
func (c *Chain) from(i int) int {
	if i == 0 {
		return c.first
	}
	return 0
}

// include widens the bounds to an edit, which is the last of the link.
func (l *link) include(e *Edit, only bool) {
	p := &e.first
	if len(e.rest) > 0 || p.isZero() {
		l.mixed = true
		return
	}
	end := p.keep + p.drop - l.delta
	beyond := max(end, p.keep-l.delta+1)
	if only {
		l.lo, l.hi, l.beyond = p.keep, end, beyond
	} else {
		l.lo, l.hi, l.beyond = min(l.lo, p.keep), max(l.hi, end), max(l.beyond, beyond)
	}
	l.delta += p.units - p.drop
}

// forget removes an edit, the first that is left, from the bounds, which then are in units of the text after it.
func (l *link) forget(i int) {
	p := &l.edits[i].first
	d := p.units - p.drop
	l.hi, l.beyond, l.delta = l.hi+d, l.beyond+d, l.delta-d
}

func (l *link) before(e *Edit, from int) {
	p := &e.first
	switch {
	case p.isZero():
	case l.mixed || len(e.rest) > 0:
		l.each(from, func(own *Edit) { TransformInPlace(e, own) })
	case p.keep+p.drop <= l.lo+l.shift:
		l.move(p.units - p.drop)
	case p.keep >= l.beyond+l.shift:
		p.keep += l.delta
	default:
		l.each(from, func(own *Edit) { TransformInPlace(e, own) })
	}
}

func (l *link) after(e *Edit, from int) {
	p := &e.first
	switch {
	case p.isZero():
	case l.mixed || len(e.rest) > 0:
		l.each(from, func(own *Edit) { TransformInPlace(own, e) })
	case p.keep < l.lo+l.shift && p.keep+p.drop <= l.lo+l.shift:
		l.move(p.units - p.drop)
	case p.keep >= l.hi+l.shift:
		p.keep += l.delta
	default:
		l.each(from, func(own *Edit) { TransformInPlace(own, e) })
	}
}

func (l *link) move(by int) {
	l.shift += by
	l.changed = true
}

// each calls f with each edit, which it may change, and measures the bounds again.
func (l *link) each(from int, f func(*Edit)) {
	l.applyShift(from)
	l.changed, l.mixed, l.delta = true, false, 0
	for i := from; i < len(l.edits); i++ {
		f(&l.edits[i])
		l.include(&l.edits[i], i == from)
	}
}

// applyShift adds the shift to the edits.
func (l *link) applyShift(from int) {
	if l.shift == 0 {
		return
	}
	for i := from; i < len(l.edits); i++ {
		l.edits[i].first.keep += l.shift
	}
	l.lo, l.hi, l.beyond, l.shift = l.lo+l.shift, l.hi+l.shift, l.beyond+l.shift, 0
}
