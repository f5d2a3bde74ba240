package text

import "errors"

var errSplit = errors.New("compose edits: the second edit splits a surrogate pair that the first inserts")

// Compose returns the edit that does a and then b. Without the text, its only error is a b that cuts a surrogate pair
// of an insertion of a; [Text.Apply] reports whether the result fits a text.
func Compose(a, b Edit) (Edit, error) {
	if a.IsZero() {
		return b, nil
	}
	if b.IsZero() {
		return a, nil
	}
	var out builder
	ra, rb := read(a), read(b)
	for !ra.done || !rb.done {
		switch {
		case ra.deletes():
			out.delete(ra.len())
			ra.next()
		case rb.inserts():
			out.insert(rb.comp.text, rb.comp.n)
			rb.next()
		default:
			if !composePiece(&out, &ra, &rb) {
				return Edit{}, errSplit
			}
		}
	}
	return out.edit(), nil
}

// composePiece composes units that exist between the edits: a keeps or inserts them, b keeps or deletes them.
func composePiece(out *builder, ra, rb *reader) bool {
	n := min(ra.len(), rb.len())
	inserts, deletes := ra.inserts(), rb.deletes()
	rb.skip(n)
	if inserts {
		s, ok := ra.take(n)
		if ok && !deletes {
			out.insert(s, n)
		}
		return ok
	}
	ra.skip(n)
	if deletes {
		out.delete(n)
	} else {
		out.retain(n)
	}
	return true
}
