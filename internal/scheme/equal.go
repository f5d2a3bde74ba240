package scheme

import (
	"math"
	"math/big"
	"slices"
)

// eqv reports whether two values are the same object, or the same number, exactness included.
func eqv(a, b Value) bool {
	switch x := a.(type) {
	case float64:
		y, ok := b.(float64)
		return ok && (math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y))
	case *big.Int:
		y, ok := b.(*big.Int)
		return ok && x.Cmp(y) == 0
	case *big.Rat:
		y, ok := b.(*big.Rat)
		return ok && x.Cmp(y) == 0
	case *compnum:
		y, ok := b.(*compnum)
		return ok && eqv(x.re, y.re) && eqv(x.im, y.im)
	case *str:
		y, ok := b.(*str)
		return ok && x == y
	}
	return a == b
}

// equality compares data by their parts. What begins as a plain walk remembers pairs of parts after some thousand
// steps, so that it ends for circular data, and soon for those that share parts.
type equality struct {
	steps int
	known map[[2]Value]bool
}

func equal(a, b Value) bool {
	var e equality
	todo := [][2]Value{{a, b}}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if eqv(p[0], p[1]) {
			continue
		}
		same, more := e.shallow(p[0], p[1])
		if !same {
			return false
		}
		todo = append(todo, more...)
	}
	return true
}

// shallow compares two data but for their parts, which it returns unless they are compared already.
func (e *equality) shallow(a, b Value) (same bool, more [][2]Value) {
	if e.steps++; e.steps > 5000 {
		if e.known == nil {
			e.known = map[[2]Value]bool{}
		}
		if e.known[[2]Value{a, b}] {
			return true, nil
		}
		e.known[[2]Value{a, b}] = true
	}
	switch x := a.(type) {
	case *pair:
		if y, ok := b.(*pair); ok {
			return true, [][2]Value{{x.cdr, y.cdr}, {x.car, y.car}}
		}
	case *str:
		y, ok := b.(*str)
		return ok && slices.Equal(x.runes, y.runes), nil
	case *bytevector:
		y, ok := b.(*bytevector)
		return ok && slices.Equal(x.bytes, y.bytes), nil
	case *vector:
		y, ok := b.(*vector)
		if !ok || len(x.items) != len(y.items) {
			return false, nil
		}
		for i := range x.items {
			more = append(more, [2]Value{x.items[i], y.items[i]})
		}
		return true, more
	}
	return false, nil
}
