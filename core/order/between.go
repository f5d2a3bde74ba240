package order

import (
	"fmt"
	"strings"
)

// step is the distance of a new key from its neighbour where there is none on the other side at that level. It leaves
// room for a few later inserts at the level; a wider step would make long runs of inserts cost a byte more.
const step = 8

// Between returns a key that sorts after lo and before hi for any id of the new cell. The same neighbours always give
// the same key. It is an error when lo is not before hi, when a place is malformed, or when the key would be longer
// than MaxLen.
func Between(lo, hi Place) (Key, error) {
	a, err := lo.path()
	if err != nil {
		return "", fmt.Errorf("place to insert after: %w", err)
	}
	b, err := hi.path()
	if err != nil {
		return "", fmt.Errorf("place to insert before: %w", err)
	}
	if a != nil && b != nil && Compare(lo, hi) >= 0 {
		return "", fmt.Errorf("cell %s at %q is not before cell %s at %q", lo.ID, lo.Key, hi.ID, hi.Key)
	}
	key := between(a, b)
	if len(key) > MaxLen {
		return "", fmt.Errorf("no room between cells %s and %s: key has %d bytes, over %d", lo.ID, hi.ID, len(key), MaxLen)
	}
	return Key(key), nil
}

// between keeps the common prefix of two paths and finds a path between the rest.
func between(a, b []token) string {
	var shared strings.Builder
	for len(a) > 0 && len(b) > 0 && a[0].text == b[0].text {
		shared.WriteString(a[0].text)
		a, b = a[1:], b[1:]
	}
	return shared.String() + part(a, b)
}

// part finds a path between two that share no token. An empty one is the end of the notebook or, below, a prefix of the
// path above.
func part(a, b []token) string {
	switch {
	case len(b) == 0:
		return after(a)
	case len(a) == 0, a[0].tag && !b[0].tag:
		return before(b)
	case a[0].tag:
		return partTags(a, b)
	case b[0].level-a[0].level > 1:
		return encode(a[0].level + (b[0].level-a[0].level)/2)
	default:
		return partAdjacent(a, b)
	}
}

// partTags finds a path between cells with equal keys. The shortest prefix of the upper id that differs from the lower
// is a short tag between the two, unless it is the whole id; then the new key goes below the lower cell's tag.
func partTags(a, b []token) string {
	lower, upper := a[0].text, b[0].text
	n := 0
	for lower[n] == upper[n] {
		n++
	}
	if upper[n+1] != mark {
		return upper[:n+1] + string(mark) + encode(0)
	}
	return lower + after(a[1:])
}

// partAdjacent finds a path between two adjacent levels, by extending the one whose result is shorter.
func partAdjacent(a, b []token) string {
	left := a[0].text + after(a[1:])
	if b[1].tag {
		return left
	}
	if right := b[0].text + before(b[1:]); len(right) < len(left) {
		return right
	}
	return left
}

// after finds a path above another, one step away. All levels are above a tag.
func after(path []token) string {
	if len(path) == 0 || path[0].tag {
		return encode(0)
	}
	if t := path[0]; t.level == greatest {
		return t.text + after(path[1:])
	}
	return encode(min(path[0].level+step, greatest))
}

// before finds a path below another that starts with a level. The least level is only a prefix, because a path below
// must exist.
func before(path []token) string {
	switch t := path[0]; t.level {
	case -greatest:
		return t.text + before(path[1:])
	case -greatest + 1:
		return encode(-greatest) + encode(0)
	default:
		return encode(max(t.level-step, -greatest+1))
	}
}
