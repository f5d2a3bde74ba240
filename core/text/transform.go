package text

// Transform takes two edits of the same text and returns them so that each applies after the other: first2 after second,
// second2 after first. Both ways lead to the same text, and Compose(first, second2) equals Compose(second, first2).
//
// First is the edit that comes first in the room's order; second comes after it. Where both insert at one place, the
// text of first goes to the left. Every replica must agree on the order, so a client that receives an edit from the
// room passes that edit as first and its own as second.
//
// A part that both delete is deleted once, and an insertion within a part that the other deletes survives. Transform is
// defined for any two edits; if both fit a text, the results fit the other's result.
func Transform(first, second Edit) (first2, second2 Edit) {
	if first.IsZero() || second.IsZero() {
		return first, second
	}
	if transformApart(&first, &second) {
		return first, second
	}
	return transformAny(first, second)
}

// transformAny is Transform of edits of any shape.
func transformAny(first, second Edit) (first2, second2 Edit) {
	var out1, out2 builder
	r1, r2 := read(first), read(second)
	for !r1.done || !r2.done {
		switch {
		case r1.inserts():
			out1.insert(r1.comp.text, r1.comp.n)
			out2.retain(r1.comp.n)
			r1.next()
		case r2.inserts():
			out1.retain(r2.comp.n)
			out2.insert(r2.comp.text, r2.comp.n)
			r2.next()
		default:
			transformPiece(&out1, &out2, &r1, &r2)
		}
	}
	return out1.edit(), out2.edit()
}

// transformPiece transforms units of the common text: each edit keeps or deletes them.
func transformPiece(out1, out2 *builder, r1, r2 *reader) {
	n := min(r1.len(), r2.len())
	switch d1, d2 := r1.deletes(), r2.deletes(); {
	case d1 && d2: // gone already in both orders
	case d1:
		out1.delete(n)
	case d2:
		out2.delete(n)
	default:
		out1.retain(n)
		out2.retain(n)
	}
	r1.skip(n)
	r2.skip(n)
}

// TransformInPlace is [Transform] of two edits in place. It is quicker where edits are transformed over many others: two
// keystrokes are nearly always apart, and then one of them is shifted by adding to a number.
func TransformInPlace(first, second *Edit) {
	if !transformApart(first, second) {
		*first, *second = Transform(*first, *second)
	}
}

// transformApart transforms two edits that each change one place, one wholly before the other, and reports whether they
// do.
func transformApart(first, second *Edit) bool {
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
