package text

// Transform takes two edits of the same text and returns them so that each applies after the other: first2 after second,
// second2 after first. Both ways lead to the same text, and Compose(first, second2) equals Compose(second, first2).
//
// First is the edit that has its place in the order already, as far as the room is concerned; second is the one that
// comes after it. Where both insert at one place, the text of first goes to the left. Every replica must agree on who is
// first, so a client that takes in an edit of the room passes that edit as first and its own as second.
//
// What both delete is deleted once, and an insertion within a part that the other deletes survives. Transform is defined for
// any two edits; if both fit a text, the results fit what the other makes of it.
func Transform(first, second Edit) (first2, second2 Edit) {
	if first.IsZero() || second.IsZero() {
		return first, second
	}
	if crossApart(&first, &second) {
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
	case d1 && d2: // gone already, whoever comes second
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
