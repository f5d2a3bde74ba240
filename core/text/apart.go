package text

// Cross is [Transform] of two edits in place. Where edits are moved over many others it is the quicker one: two keystrokes
// nearly always lie apart, and then one of them is shifted by adding to a number.
func Cross(first, second *Edit) {
	if !crossApart(first, second) {
		*first, *second = Transform(*first, *second)
	}
}

// crossApart crosses two edits that each change one place, one wholly before the other, and reports whether they do.
func crossApart(first, second *Edit) bool {
	p, q := &first.first, &second.first
	switch {
	case len(first.rest) > 0 || len(second.rest) > 0 || p.isZero() || q.isZero():
		return false
	case p.keep+p.drop <= q.keep:
		q.keep += p.units - p.drop
		return true
	case q.keep < p.keep && q.keep+q.drop <= p.keep:
		p.keep += q.units - q.drop
		return true
	}
	return false
}
