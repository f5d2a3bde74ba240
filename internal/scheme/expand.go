package scheme

import "fmt"

// expander turns forms into nodes. The first error stays; what it returns after that is not used.
type expander struct {
	in    *Interp
	src   *source
	spans map[*pair]span
	depth int
	size  int // of what templates have made
	err   error
}

// part is a datum of a form with its position.
type part struct {
	v  Value
	at pos
}

// maxExpansion bounds the data that the templates of one form make.
const maxExpansion = 1_000_000

func (x *expander) fail(at pos, format string, args ...any) node {
	if x.err == nil {
		c := fault(kindSyntax, "%s", fmt.Sprintf(format, args...))
		if at.line > 0 {
			c.at = &place{x.src, at}
		}
		x.err = c
	}
	return &constant{unspecified{}}
}

// head returns the first element of a list with its position.
func (x *expander) head(p *pair, outer pos) part { return part{p.car, x.carAt(p, outer)} }

func (x *expander) carAt(p *pair, outer pos) pos {
	if at := x.spans[p].car; at.line > 0 {
		return at
	}
	return outer
}

// list returns the elements of a proper list, each with its position.
func (x *expander) list(p part) ([]part, bool) {
	n, ok := listLength(p.v)
	if !ok {
		return nil, false
	}
	parts := make([]part, 0, n)
	for q, ok := p.v.(*pair); ok; q, ok = q.cdr.(*pair) {
		parts = append(parts, x.head(q, p.at))
	}
	return parts, true
}

// expand expands an expression.
func (x *expander) expand(p part, sc *scope) node {
	if x.depth++; x.depth > maxNesting {
		return x.fail(p.at, "the expression nests deeper than %d levels", maxNesting)
	}
	defer func() { x.depth-- }()
	for x.err == nil {
		switch v := p.v.(type) {
		case *symbol, *alias:
			return x.reference(v, p.at, sc)
		case *pair:
			switch b := x.headBinding(v, sc).(type) {
			case *macro:
				p = x.transcribe(b, p, sc)
				continue
			case *special:
				return x.expandSpecial(b, p, sc)
			}
			return x.call(p, sc)
		case empty:
			return x.fail(p.at, "() is no expression; write '() for the empty list")
		case *vector:
			return &constant{strip(v)}
		default:
			return &constant{v}
		}
	}
	return &constant{unspecified{}}
}

// headBinding returns the meaning of the identifier at the head of a form, and nil if there is none.
func (x *expander) headBinding(form *pair, sc *scope) binding {
	if !isIdentifier(form.car) {
		return nil
	}
	return sc.lookup(form.car)
}

func (x *expander) expandSpecial(s *special, p part, sc *scope) node {
	form, ok := x.list(p)
	if !ok {
		return x.fail(p.at, "%s: the form is no proper list", s.name)
	}
	if s.expand == nil {
		return x.fail(p.at, "%s is used outside a form that it belongs to", s.name)
	}
	return s.expand(x, form, p.at, sc)
}

func (x *expander) reference(id Value, at pos, sc *scope) node {
	switch b := sc.lookup(id).(type) {
	case *variable:
		b.refer()
		return &localRef{b, at}
	case *global:
		return &globalRef{b, at}
	case *macro:
		return x.fail(at, "%s is a macro and no variable", symbolOf(id).name)
	case *special:
		return x.fail(at, "%s is a keyword and no variable", symbolOf(id).name)
	}
	return nil
}

func (x *expander) call(p part, sc *scope) node {
	parts, ok := x.list(p)
	if !ok {
		return x.fail(p.at, "a call is no proper list")
	}
	c := &call{f: x.expand(parts[0], sc), at: p.at, args: make([]node, 0, len(parts)-1)}
	for _, arg := range parts[1:] {
		c.args = append(c.args, x.expand(arg, sc))
	}
	if f, ok := c.f.(*lambda); ok && !f.rest && len(f.params) == len(c.args) {
		return &let{f.params, c.args, f.body}
	}
	return c
}

// proc returns a built-in procedure as a node.
func (x *expander) proc(name string) node { return &constant{x.in.builtin(name)} }

// apply returns a call of a built-in procedure.
func (x *expander) apply(at pos, name string, args ...node) node {
	return &call{f: x.proc(name), args: args, at: at}
}

func (x *expander) ref(v *variable) node {
	v.refer()
	return &localRef{v, pos{}}
}

func newVariable(name string) *variable { return &variable{name: name, firstRef: -1} }

func thunk(body node) *lambda { return &lambda{body: body} }

// bindAll binds identifiers to new variables in an inner scope.
func (x *expander) bindAll(ids []part, sc *scope) (*scope, []*variable) {
	inner := sc.inner()
	vars := make([]*variable, 0, len(ids))
	for _, id := range ids {
		if !isIdentifier(id.v) {
			x.fail(id.at, "%s is no name of a variable", brief(strip(id.v), 60))
			continue
		}
		if inner.own(id.v) != nil {
			x.fail(id.at, "the variable %s is bound twice", symbolOf(id.v).name)
		}
		v := newVariable(symbolOf(id.v).name)
		inner.bind(id.v, v)
		vars = append(vars, v)
	}
	return inner, vars
}

// formals reads the parameters of a procedure.
func (x *expander) formals(p part) (ids []part, rest bool) {
	v, at := p.v, p.at
	for n := 0; n < maxNesting; n++ {
		q, ok := v.(*pair)
		if !ok {
			if _, ok := v.(empty); !ok {
				return append(ids, part{v, at}), true
			}
			return ids, false
		}
		at = x.carAt(q, at)
		ids = append(ids, part{q.car, at})
		v = q.cdr
	}
	x.fail(p.at, "the parameters are no list")
	return nil, false
}

// lambda expands the parameters and the body of a procedure.
func (x *expander) lambda(name string, formals part, body []part, at pos, sc *scope) *lambda {
	ids, rest := x.formals(formals)
	inner, vars := x.bindAll(ids, sc)
	l := &lambda{name: name, params: vars, rest: rest, at: at}
	if s, ok := body[0].v.(*str); ok && len(body) > 1 {
		l.doc = s.String()
	}
	l.body = x.body(body, at, inner)
	return l
}

func expandQuote(x *expander, form []part, at pos, _ *scope) node {
	if len(form) != 2 {
		return x.fail(at, "quote: the form is (quote DATUM)")
	}
	return &constant{strip(form[1].v)}
}

func expandIf(x *expander, form []part, at pos, sc *scope) node {
	if len(form) != 3 && len(form) != 4 {
		return x.fail(at, "if: the form is (if TEST THEN ELSE), where ELSE may be left out")
	}
	n := &conditional{x.expand(form[1], sc), x.expand(form[2], sc), &constant{unspecified{}}}
	if len(form) == 4 {
		n.otherwise = x.expand(form[3], sc)
	}
	return n
}

func expandLambda(x *expander, form []part, at pos, sc *scope) node {
	if len(form) < 3 {
		return x.fail(at, "lambda: the form is (lambda (PARAMETER …) BODY …)")
	}
	return x.lambda("", form[1], form[2:], at, sc)
}

func expandCaseLambda(x *expander, form []part, at pos, sc *scope) node {
	n := &caseLambda{at: at}
	for _, clause := range form[1:] {
		parts, ok := x.list(clause)
		if !ok || len(parts) < 2 {
			return x.fail(clause.at, "case-lambda: a clause is ((PARAMETER …) BODY …)")
		}
		n.clauses = append(n.clauses, x.lambda("", parts[0], parts[1:], clause.at, sc))
	}
	if len(n.clauses) == 0 {
		return x.fail(at, "case-lambda: it has no clause")
	}
	return n
}

func expandSet(x *expander, form []part, at pos, sc *scope) node {
	if len(form) != 3 || !isIdentifier(form[1].v) {
		return x.fail(at, "set!: the form is (set! NAME EXPRESSION)")
	}
	value := x.expand(form[2], sc)
	switch b := sc.lookup(form[1].v).(type) {
	case *variable:
		b.assigned = true
		b.refer()
		return &setLocal{b, value, at}
	case *global:
		if !sc.owns(form[1].v) {
			return x.fail(at, "set!: %s is imported from a library; define a variable of your own", b.name.name)
		}
		return &setGlobal{b, value, at}
	}
	return x.fail(at, "set!: %s is a keyword and no variable", symbolOf(form[1].v).name)
}

// owns reports whether the environment where a global identifier is looked up may assign it.
func (sc *scope) owns(id Value) bool {
	for {
		switch v := id.(type) {
		case *alias:
			id, sc = v.id, v.scope
		case *symbol:
			return sc.root().owned[v]
		}
	}
}

func expandBegin(x *expander, form []part, at pos, sc *scope) node {
	if len(form) == 1 {
		return &constant{unspecified{}}
	}
	return x.sequence(form[1:], sc)
}

func (x *expander) sequence(forms []part, sc *scope) node {
	if len(forms) == 1 {
		return x.expand(forms[0], sc)
	}
	n := &sequence{}
	for _, f := range forms {
		n.parts = append(n.parts, x.expand(f, sc))
	}
	return n
}

func expandMisplaced(x *expander, form []part, at pos, _ *scope) node {
	return x.fail(at, "%s: a definition stands where only an expression can; put it at the beginning of a body", symbolOf(form[0].v).name)
}

func expandSyntaxError(x *expander, form []part, at pos, _ *scope) node {
	if len(form) < 2 {
		return x.fail(at, "syntax-error")
	}
	text, _ := written(strip(form[1].v), true, cycleLabels)
	for _, f := range form[2:] {
		text += " " + brief(strip(f.v), 200)
	}
	return x.fail(at, "%s", text)
}
