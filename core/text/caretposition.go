package text

// Side is the side of an insertion on which a caret at the very same place ends up.
type Side int8

// Before leaves a caret where it is when text is inserted at its place; After moves it behind that text.
const (
	Before Side = iota
	After
)

// Position returns the position after e of a caret at unit pos of a text. A caret in a deleted part moves to the place
// of that part, and if text was inserted there, to the given side of it. A caret at the end of a replaced part stays at
// its end.
func (e Edit) Position(pos int, sticky Side) int {
	old, moved := 0, 0 // the same position in the text before and after e
	for i := range e.places() {
		c := e.at(i)
		old += c.keep
		moved += c.keep
		if pos < old || pos == old && sticky == Before {
			break
		}
		if pos < old+c.drop {
			if sticky == After {
				moved += c.units
			}
			return moved
		}
		old += c.drop
		moved += c.units
	}
	return moved + pos - old
}
