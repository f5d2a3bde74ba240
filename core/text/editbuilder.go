package text

// builder makes an edit in normal form from any sequence of components. It collects the change between two kept parts
// and writes it when the next part is kept, so a kept end is never written. Joining many insertions takes linear time.
type builder struct {
	done   Edit
	change change
	joined []byte // change.text once it has more than one piece
}

// retain keeps n units.
func (b *builder) retain(n int) {
	if n == 0 {
		return
	}
	if !b.change.isZero() {
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

func (b *builder) edit() Edit {
	if !b.change.isZero() {
		b.flush()
	}
	return b.done
}

// flush appends the collected change to the edit.
func (b *builder) flush() {
	if len(b.joined) > 0 {
		b.change.text = string(b.joined)
	}
	if b.done.IsZero() {
		b.done.first = b.change
	} else {
		b.done.rest = append(b.done.rest, b.change)
	}
	b.change, b.joined = change{}, b.joined[:0]
}
