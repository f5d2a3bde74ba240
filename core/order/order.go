// Package order gives cells of a notebook their positions: every cell has a key, cells are sorted by their keys, and
// there is always a key between two cells, so inserting or moving one cell never changes another.
//
// It promises that equal neighbours give equal keys on every replica, that cells inserted concurrently at one position
// are still ordered and have room between them, and that keys stay short: n inserts at one position cost O(log n) bytes
// a key. The rules are in spec/order.md. The caller knows the neighbours, and whether a cell is in its position
// already.
package order

// Key is a position in the order of cells: a path of levels, in printable ASCII that needs no escape in JSON, HTML or
// SQL. It is compared together with the id of its cell; see Place.
type Key string

// MaxLen is the greatest length of a key, in bytes.
const MaxLen = 512

// Place is a key with the id of its cell. Two cells inserted concurrently at one position may have equal keys, but
// never equal places. The zero Place is an end of the notebook: the start as a lower neighbour, the end as an upper
// one.
type Place struct {
	Key Key
	ID  string
}

// Compare orders places as bytes.Compare orders the strings key + "!" + id + "!". It allocates nothing and is total: a
// malformed key has the same position on every replica.
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

// len is the length of that string.
func (p Place) len() int {
	return len(p.Key) + len(p.ID) + 2
}

// at is byte i of that string, which is never built.
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
