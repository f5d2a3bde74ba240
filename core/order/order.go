// Package order says where the cells of a notebook stand: every cell has a key, cells are shown in the order of their keys,
// and there is always a key between two cells, so that inserting or moving one cell never touches another.
//
// It promises that equal neighbours give equal keys on every replica, that cells which were inserted apart at one spot can
// still be told apart and parted, and that keys stay short: inserting n times at one spot costs O(log n) bytes a key. The rules are
// in spec/order.md. Which cells are neighbours, and whether a cell already is where it should go, is for the caller to know.
package order

// Key is a place in the order of cells: a path of levels, in printable ASCII that needs no escape in JSON, HTML or SQL. It
// means little without the id of the cell that has it; see Place.
type Key string

// MaxLen is the greatest length of a key, in bytes.
const MaxLen = 512

// Place is a key with the id of the cell that has it. Two cells may have equal keys, when they were inserted apart at one
// spot, but never equal places. The zero Place is the end of the notebook: the start as a lower neighbour, the end as an upper one.
type Place struct {
	Key Key
	ID  string
}

// Compare orders places as bytes.Compare orders the strings key + "!" + id + "!". It allocates nothing and is total: a malformed key sorts
// somewhere, and in the same place everywhere.
func Compare(a, b Place) int {
	n := min(len(a.Key), len(b.Key))
	i := 0
	for i < n && a.Key[i] == b.Key[i] {
		i++
	}
	for ; i < a.len() && i < b.len(); i++ {
		if x, y := a.at(i), b.at(i); x != y {
			return int(x) - int(y)
		}
	}
	return a.len() - b.len()
}

// len is the length of the string that places are compared by.
func (p Place) len() int {
	return len(p.Key) + len(p.ID) + 2
}

// at is byte i of the string that places are compared by, which is never built.
func (p Place) at(i int) byte {
	key, id := len(p.Key), len(p.ID)
	switch {
	case i < key:
		return p.Key[i]
	case i == key, i == key+1+id:
		return mark
	default:
		return p.ID[i-key-1]
	}
}
