package text

// builder makes an edit in normal form from any sequence of components. It collects what happens between two kept parts
// and writes it out when the next part is kept, so a kept end is never written. Joining many insertions takes linear time.
type builder struct {
	comps  []comp
	change change
	joined []byte // change.text once it has more than one piece
}

// retain keeps n units.
func (b *builder) retain(n int) {
	if n == 0 {
		return
	}
	if b.change.units > 0 || b.change.drop > 0 {
		b.flush()
	}
	b.change.keep += n
}

// insert inserts s, which has n units.
func (b *builder) insert(s string, n int) {
	switch {
	case s == "":
	case b.change.units == 0:
		b.change.text = s
	default:
		if len(b.joined) == 0 {
			b.joined = append(b.joined, b.change.text...)
		}
		b.joined = append(b.joined, s...)
	}
	b.change.units += n
}

// delete deletes n units.
func (b *builder) delete(n int) {
	b.change.drop += n
}

// edit returns what was built.
func (b *builder) edit() Edit {
	if b.change.units > 0 || b.change.drop > 0 {
		b.flush()
	}
	return Edit{b.comps}
}

// flush writes out the change at hand. It appends all of it at once, so that an edit in one place is one allocation.
func (b *builder) flush() {
	c := b.change
	if len(b.joined) > 0 {
		c.text = string(b.joined)
	}
	var all [3]comp
	comps := all[:0]
	if c.keep > 0 {
		comps = append(comps, comp{n: c.keep})
	}
	if c.units > 0 {
		comps = append(comps, comp{c.units, c.text})
	}
	if c.drop > 0 {
		comps = append(comps, comp{n: -c.drop})
	}
	b.comps = append(b.comps, comps...)
	b.change, b.joined = change{}, b.joined[:0]
}
