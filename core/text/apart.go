package text

// shift returns e, which changes one place, as it is when the text before it has grown by n.
func (e Edit) shift(n int) Edit {
	e.first.keep += n
	return e
}

// transformApart is Transform of two edits that each change one place, one wholly before the other. Keystrokes nearly
// always do, and then one of them just shifts.
func transformApart(first, second Edit) (first2, second2 Edit, ok bool) {
	p, q := &first.first, &second.first
	switch {
	case len(first.rest) > 0 || len(second.rest) > 0:
		return Edit{}, Edit{}, false
	case p.keep+p.drop <= q.keep:
		return first, second.shift(p.units - p.drop), true
	case q.keep < p.keep && q.keep+q.drop <= p.keep:
		return first.shift(q.units - q.drop), second, true
	}
	return Edit{}, Edit{}, false
}
