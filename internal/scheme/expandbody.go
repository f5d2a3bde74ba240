package scheme

// body expands the definitions and expressions of a body. Definitions may stand between expressions.
func (x *expander) body(forms []part, at pos, outer *scope) node {
	b := &body{x: x, sc: outer.inner(), current: new(int)}
	b.collect(forms)
	if x.err != nil {
		return &constant{unspecified{}}
	}
	if len(b.items) == 0 || b.items[len(b.items)-1].ids != nil {
		return x.fail(at, "the body has no expression at its end")
	}
	return b.finish()
}

// body is a body whose forms are classified: all of its definitions are known before any expression is expanded.
type body struct {
	x       *expander
	sc      *scope
	items   []bodyItem
	current *int // the index of the item that is being expanded
	defines bool
}

// bodyItem is an expression, or a definition of variables by one.
type bodyItem struct {
	ids    []part
	vars   []*variable
	values bool // define-values
	rest   bool // of define-values: the last variable takes the other values
	expand func() node
}

func (b *body) collect(forms []part) {
	x := b.x
	for i := 0; i < len(forms) && x.err == nil; i++ {
		p := forms[i]
		form, ok := p.v.(*pair)
		if !ok {
			b.expression(p)
			continue
		}
		switch s := x.headBinding(form, b.sc).(type) {
		case *macro:
			forms[i] = x.transcribe(s, p, b.sc)
			i--
		case *special:
			b.special(s, p)
		default:
			b.expression(p)
		}
	}
}

func (b *body) expression(p part) {
	b.items = append(b.items, bodyItem{expand: func() node { return b.x.expand(p, b.sc) }})
}

func (b *body) special(s *special, p part) {
	x := b.x
	form, ok := x.list(p)
	if !ok {
		x.fail(p.at, "%s: the form is no proper list", s.name)
		return
	}
	switch s.name {
	case "begin":
		b.collect(form[1:])
	case "define":
		id, expand := x.definition(form, p.at, b.sc)
		b.define([]part{id}, bodyItem{expand: expand})
	case "define-values":
		if len(form) != 3 {
			x.fail(p.at, "define-values: the form is (define-values (NAME …) EXPRESSION)")
			return
		}
		ids, rest := x.formals(form[1])
		b.define(ids, bodyItem{values: true, rest: rest, expand: func() node { return x.expand(form[2], b.sc) }})
	case "define-record-type":
		for _, d := range x.recordDefinitions(form, p.at, b.sc) {
			b.define([]part{d.id}, bodyItem{expand: d.expand})
		}
	case "define-syntax":
		x.defineSyntax(form, p.at, b.sc)
	default:
		b.expression(p)
	}
}

func (b *body) define(ids []part, it bodyItem) {
	it.ids = ids
	if ids == nil {
		it.ids = []part{}
	}
	for _, id := range ids {
		if !isIdentifier(id.v) {
			b.x.fail(id.at, "%s is no name of a variable", brief(strip(id.v), 60))
			return
		}
		if _, twice := b.sc.own(id.v).(*variable); twice {
			b.x.fail(id.at, "%s is defined twice in one body", symbolOf(id.v).name)
			return
		}
		v := newVariable(symbolOf(id.v).name)
		v.current = b.current
		b.sc.bind(id.v, v)
		it.vars = append(it.vars, v)
	}
	b.defines = true
	b.items = append(b.items, it)
}

// finish expands the items, in order.
func (b *body) finish() node {
	if !b.defines {
		seq := &sequence{}
		for _, it := range b.items {
			seq.parts = append(seq.parts, it.expand())
		}
		if len(seq.parts) == 1 {
			return seq.parts[0]
		}
		return seq
	}
	n := &letrec{}
	for _, it := range b.items[:len(b.items)-1] {
		*b.current = len(n.items)
		switch {
		case it.values:
			b.values(n, it)
		case len(it.vars) == 1:
			it.vars[0].index = len(n.items)
			n.items = append(n.items, item{it.vars[0], named(it.expand(), it.vars[0].name)})
		default:
			n.items = append(n.items, item{nil, it.expand()})
		}
	}
	*b.current = len(n.items)
	n.body = b.items[len(b.items)-1].expand()
	return n
}

// values adds variables, and the assignment of several values to them.
func (b *body) values(n *letrec, it bodyItem) {
	for _, v := range it.vars {
		v.index, v.assigned = len(n.items), true
		n.items = append(n.items, item{v, nil})
	}
	*b.current = len(n.items)
	value := it.expand()
	receiver := &lambda{rest: it.rest}
	seq := &sequence{parts: []node{&constant{unspecified{}}}}
	for _, v := range it.vars {
		given := newVariable(v.name)
		receiver.params = append(receiver.params, given)
		v.refer()
		seq.parts = append(seq.parts, &setLocal{v, b.x.ref(given), pos{}})
	}
	receiver.body = seq
	n.items = append(n.items, item{nil, b.x.apply(pos{}, "call-with-values", thunk(value), receiver)})
}

// named gives a procedure without a name that of its variable.
func named(n node, name string) node {
	switch n := n.(type) {
	case *lambda:
		if n.name == "" {
			n.name = name
		}
	case *caseLambda:
		for _, c := range n.clauses {
			named(c, name)
		}
	}
	return n
}

// definition reads (define NAME EXPRESSION) or (define (NAME PARAMETER …) BODY …), which may be curried.
func (x *expander) definition(form []part, at pos, sc *scope) (id part, expand func() node) {
	if len(form) < 2 {
		x.fail(at, "define: the form is (define NAME EXPRESSION) or (define (NAME PARAMETER …) BODY …)")
		return part{}, nil
	}
	target, ok := form[1].v.(*pair)
	if !ok {
		if len(form) > 3 || !isIdentifier(form[1].v) {
			x.fail(at, "define: the form is (define NAME EXPRESSION) or (define (NAME PARAMETER …) BODY …)")
		}
		if len(form) == 2 {
			return form[1], func() node { return &constant{unspecified{}} }
		}
		return form[1], func() node { return x.expand(form[2], sc) }
	}
	if len(form) < 3 {
		x.fail(at, "define: the procedure has no body")
	}
	id = x.head(target, form[1].at)
	formals := part{target.cdr, id.at}
	if _, curried := id.v.(*pair); curried {
		x.fail(id.at, "define: %s is no name of a procedure", brief(strip(id.v), 60))
		return id, nil
	}
	return id, func() node {
		name := ""
		if isIdentifier(id.v) {
			name = symbolOf(id.v).name
		}
		return x.lambda(name, formals, form[2:], at, sc)
	}
}

// recordDefinition is one of the definitions of a define-record-type.
type recordDefinition struct {
	id     part
	expand func() node
}

// recordDefinitions returns the definitions of a record type: of the type first, to which the others refer.
func (x *expander) recordDefinitions(form []part, at pos, sc *scope) []recordDefinition {
	if len(form) < 3 {
		x.fail(at, "define-record-type: the form is (define-record-type NAME (CONSTRUCTOR FIELD …) PREDICATE (FIELD ACCESSOR MODIFIER) …)")
		return nil
	}
	name := form[1]
	if list, ok := x.list(name); ok && len(list) > 0 {
		name = list[0]
	}
	if !isIdentifier(name.v) {
		x.fail(name.at, "define-record-type: the name of the type is no identifier")
		return nil
	}
	r := &recordForm{x: x, sc: sc, name: name, kind: &recordType{name: symbolOf(name.v).name}}
	var fields []part
	if len(form) > 4 {
		fields = form[4:]
	}
	r.fields(fields)
	kind := r.kind
	r.add(name, "%make-record-type", &constant{kind})
	r.constructor(form[2])
	if len(form) > 3 && form[3].v != Value(false) {
		r.add(form[3], "%record-predicate", r.typeRef)
	}
	r.accessors(fields)
	return r.definitions
}

type recordForm struct {
	x           *expander
	sc          *scope
	name        part
	kind        *recordType
	ids         []Value // of the fields
	definitions []recordDefinition
}

func (r *recordForm) add(id part, maker string, args ...any) {
	r.definitions = append(r.definitions, recordDefinition{id, func() node {
		nodes := []node{}
		for _, a := range args {
			if ref, ok := a.(func() node); ok {
				a = ref()
			}
			nodes = append(nodes, a)
		}
		return r.x.apply(id.at, maker, nodes...)
	}})
}

func (r *recordForm) typeRef() node { return r.x.reference(r.name.v, r.name.at, r.sc) }

func (r *recordForm) fields(fields []part) {
	for _, f := range fields {
		parts, ok := r.x.list(f)
		if isIdentifier(f.v) {
			parts, ok = []part{f}, true
		}
		if !ok || len(parts) == 0 || len(parts) > 3 || !isIdentifier(parts[0].v) {
			r.x.fail(f.at, "define-record-type: a field is (NAME ACCESSOR) or (NAME ACCESSOR MODIFIER)")
			return
		}
		r.ids = append(r.ids, parts[0].v)
		r.kind.fields = append(r.kind.fields, symbolOf(parts[0].v))
	}
}

func (r *recordForm) constructor(p part) {
	if p.v == Value(false) {
		return
	}
	if isIdentifier(p.v) {
		var all []Value
		for i := range r.ids {
			all = append(all, int64(i))
		}
		r.add(p, "%record-constructor", r.typeRef, &constant{symbolOf(p.v)}, &constant{list(all...)})
		return
	}
	parts, ok := r.x.list(p)
	if !ok || len(parts) == 0 || !isIdentifier(parts[0].v) {
		r.x.fail(p.at, "define-record-type: the constructor is (NAME FIELD …)")
		return
	}
	var indices []Value
	for _, f := range parts[1:] {
		i := r.index(f)
		if i < 0 {
			r.x.fail(f.at, "define-record-type: the constructor takes %s, which is no field", brief(strip(f.v), 60))
			return
		}
		indices = append(indices, int64(i))
	}
	r.add(parts[0], "%record-constructor", r.typeRef, &constant{symbolOf(parts[0].v)}, &constant{list(indices...)})
}

func (r *recordForm) index(f part) int {
	for i, id := range r.ids {
		if id == f.v {
			return i
		}
	}
	return -1
}

func (r *recordForm) accessors(fields []part) {
	for i, f := range fields {
		parts, _ := r.x.list(f)
		for k, maker := range []string{"%record-accessor", "%record-modifier"} {
			if len(parts) > k+1 && isIdentifier(parts[k+1].v) {
				r.add(parts[k+1], maker, r.typeRef, &constant{symbolOf(parts[k+1].v)}, &constant{int64(i)})
			}
		}
	}
}
