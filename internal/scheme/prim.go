package scheme

import "fmt"

// prim is a procedure of the interpreter.
type prim struct {
	name     string
	min, max int // arguments; a max of -1 is any number
	fn       primitive

	// special is instead of fn for one that changes the stack: it returns a procedure to apply to n arguments from the
	// bp of the machine on, or nil and a value.
	special func(m *machine, bp, n int) (f Value, argc int, v Value, err error)
}

// primitive computes the value of a call. It does not keep the slice of its arguments.
type primitive = func(m *machine, a []Value) (Value, error)

func (p *prim) check(n int) error {
	if n < p.min || n > p.max && p.max >= 0 {
		return arity(p, n)
	}
	return nil
}

func (p *caseProc) accepting(n int) *closure {
	for _, c := range p.clauses {
		if c.code.accepts(n) {
			return c
		}
	}
	return nil
}

// arity is the error of a call with a wrong number of arguments.
func arity(f Value, n int) *condition {
	name, want := procedureName(f), ""
	if name == "" {
		name = "the procedure"
	}
	switch p := f.(type) {
	case *prim:
		want = argumentCount(p.min, p.max)
	case *closure:
		most := p.code.params
		if p.code.rest {
			most = -1
		}
		want = argumentCount(p.code.params, most)
	case *parameter:
		want = argumentCount(0, 0)
	default:
		want = "another number of arguments"
	}
	return fault(kindArity, "%s takes %s, got %d", name, want, n)
}

func argumentCount(least, most int) string {
	switch {
	case most < 0:
		return fmt.Sprintf("at least %d %s", least, arguments(least))
	case least == most:
		return fmt.Sprintf("%d %s", least, arguments(least))
	}
	return fmt.Sprintf("%d to %d arguments", least, most)
}

func arguments(n int) string {
	if n == 1 {
		return "argument"
	}
	return "arguments"
}

func unbound(g *global) *condition {
	return &condition{kind: kindUnbound, message: "the variable " + g.name.name + " is not defined", irritants: nil}
}

func unassignedVariable(name Value) *condition {
	return fault(kindUnassigned, "the variable %s is used before it has a value", name)
}

func (m *machine) assign(g *global, v Value) {
	m.shadow(g)
	g.v = v
}

func (m *machine) define(g *global, v Value) {
	m.shadow(g)
	switch p := v.(type) {
	case *closure:
		if p.code.name == "" && p.code.src != nil {
			p.code.name = g.name.name
		}
	case *multi:
		v = unspecified{}
	}
	g.v, g.user = v, true
}

// shadow has instructions call what a program defines under the name of a primitive.
func (m *machine) shadow(g *global) {
	if g.inline != opNone {
		m.shadowed |= 1 << g.inline
		g.inline = opNone
	}
}

// index returns an argument that is an index up to a bound, which it may reach.
func index(who string, a []Value, nth, bound int) (int, error) {
	n, ok := a[nth].(int64)
	if !ok {
		return 0, wrongType(who, nth, "an index", a[nth])
	}
	if n < 0 || n > int64(bound) {
		return 0, outOfRange(who, nth, a[nth], bound)
	}
	return int(n), nil
}

// span2 returns the optional arguments start and end, which follow one another.
func bounds(who string, a []Value, nth, length int) (start, end int, err error) {
	end = length
	if len(a) > nth+1 {
		if end, err = index(who, a, nth+1, length); err != nil {
			return 0, 0, err
		}
	}
	if len(a) > nth {
		start, err = index(who, a, nth, end)
	}
	return start, end, err
}

func argStr(who string, a []Value, nth int) (*str, error) {
	if s, ok := a[nth].(*str); ok {
		return s, nil
	}
	return nil, wrongType(who, nth, "a string", a[nth])
}

// isA returns the predicate of a Go type.
func isA[T any](_ *machine, a []Value) (Value, error) {
	_, ok := a[0].(T)
	return ok, nil
}
