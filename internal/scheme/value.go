package scheme

import (
	"math"
	"math/big"
	"slices"
)

// Value is a datum or another object of a program. Its dynamic type is one of:
//
//	bool, empty, char, *str, *symbol, *pair, *vector, *bytevector
//	int64, *big.Int (outside int64), *big.Rat (no integer), float64, *compnum
//	*closure, *caseProc, *prim, *continuation, *parameter
//	*record, *recordType, *promise, *condition, *environment, *port
//	unspecified, eof, *multi, and within the expander *alias
//
// All of them are comparable, and == is eq? but for NaN.
type Value = any

type (
	empty       struct{}
	unspecified struct{}
	eof         struct{}
	char        rune
)

// unassigned is the value of a variable before its initialisation; programs never get it.
type unassigned struct{}

type pair struct{ car, cdr Value }

type symbol struct{ name string }

// str is a string. Characters are stored as runes, so that an index takes constant time.
type str struct {
	runes   []rune
	literal bool // a constant of the source, which must not change
}

type vector struct{ items []Value }

type bytevector struct{ bytes []byte }

// box holds a variable that is assigned, so that closures and copies of the stack share it.
type box struct{ v Value }

// multi is any number of values but one, as the procedure values gives them.
type multi struct{ values []Value }

type promise struct {
	state *promiseState // shared by a chain of delay-force
}

type promiseState struct {
	done bool
	v    Value // the value, or the procedure that computes the next promise
}

type recordType struct {
	name   string
	fields []*symbol
}

type record struct {
	kind   *recordType
	fields []Value
}

// parameter is a parameter object: its value is that of the innermost parameterize, or else the one here.
type parameter struct {
	value     Value
	converter Value // a procedure, or false
}

func newStr(s string) *str { return &str{runes: []rune(s)} }

func (s *str) String() string { return string(s.runes) }

func truth(v Value) bool {
	b, ok := v.(bool)
	return !ok || b
}

// list returns a proper list of the values.
func list(values ...Value) Value { return listOnto(values, empty{}) }

// listOnto returns the values before a tail.
func listOnto(values []Value, tail Value) Value {
	for i := len(values) - 1; i >= 0; i-- {
		tail = &pair{values[i], tail}
	}
	return tail
}

// items returns the elements of a proper list. It reports false for any other value, and for a circular list.
func items(v Value) ([]Value, bool) {
	n, ok := listLength(v)
	if !ok {
		return nil, false
	}
	all := make([]Value, 0, n)
	for p, ok := v.(*pair); ok; p, ok = p.cdr.(*pair) {
		all = append(all, p.car)
	}
	return all, true
}

// listLength returns the length of a proper list, and false for any other value.
func listLength(v Value) (n int, ok bool) {
	slow := v
	for {
		p, ok := v.(*pair)
		if !ok {
			_, ok = v.(empty)
			return n, ok
		}
		v = p.cdr
		if n++; n%2 == 0 {
			slow = slow.(*pair).cdr
			if v == slow {
				if _, ok := v.(*pair); ok {
					return 0, false
				}
			}
		}
	}
}

// isProcedure reports whether a value can be called.
func isProcedure(v Value) bool {
	switch v.(type) {
	case *closure, *caseProc, *prim, *continuation, *parameter:
		return true
	}
	return false
}

func isNumber(v Value) bool {
	switch v.(type) {
	case int64, float64, *big.Int, *big.Rat, *compnum:
		return true
	}
	return false
}

// typeName names the type of a value for users.
func typeName(v Value) string {
	switch v := v.(type) {
	case bool:
		return "boolean"
	case empty:
		return "empty list"
	case char:
		return "character"
	case *str:
		return "string"
	case *symbol, *alias:
		return "symbol"
	case *pair:
		if _, ok := listLength(v); ok {
			return "list"
		}
		return "pair"
	case *vector:
		return "vector"
	case *bytevector:
		return "bytevector"
	case int64, *big.Int:
		return "integer"
	case *big.Rat:
		return "rational"
	case float64:
		return "real"
	case *compnum:
		return "complex"
	case *closure, *caseProc, *prim, *continuation:
		return "procedure"
	case *parameter:
		return "parameter"
	case *record:
		return v.kind.name
	case *recordType:
		return "record type"
	case *promise:
		return "promise"
	case *condition:
		return "error object"
	case *environment:
		return "environment"
	case *port:
		return "port"
	case eof:
		return "end of file"
	case *multi:
		return "values"
	}
	return "unspecified"
}

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
