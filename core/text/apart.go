package text

// spot is where an edit with one change is: it keeps at units, inserts and then
// drops some.
type spot struct {
	at, units, drop int
}

// spot returns where e changes the text, if that is one place.
func (e Edit) spot() (p spot, ok bool) {
	comps := e.comps
	if len(comps) > 0 && comps[0].text == "" && comps[0].n > 0 {
		p.at, comps = comps[0].n, comps[1:]
	}
	if len(comps) > 0 && comps[0].text != "" {
		p.units, comps = comps[0].n, comps[1:]
	}
	if len(comps) > 0 && comps[0].n < 0 {
		p.drop, comps = -comps[0].n, comps[1:]
	}
	return p, len(comps) == 0
}

// shift returns e, which is at p, as it is when the text before it has grown by n.
func (e Edit) shift(p spot, n int) Edit {
	if n == 0 {
		return e
	}
	rest := e.comps
	if p.at > 0 {
		rest = rest[1:]
	}
	comps := make([]comp, 0, 1+len(rest))
	if at := p.at + n; at > 0 {
		comps = append(comps, comp{n: at})
	}
	return Edit{append(comps, rest...)}
}

// transformApart is Transform of two edits that each change one place, one wholly
// before the other. Keystrokes nearly always do, and then one of them just shifts.
func transformApart(first, second Edit) (first2, second2 Edit, ok bool) {
	p, ok1 := first.spot()
	q, ok2 := second.spot()
	switch {
	case !ok1 || !ok2:
		return Edit{}, Edit{}, false
	case p.at+p.drop <= q.at:
		return first, second.shift(q, p.units-p.drop), true
	case q.at < p.at && q.at+q.drop <= p.at:
		return first.shift(p, q.units-q.drop), second, true
	}
	return Edit{}, Edit{}, false
}
