package scheme

import "strings"

// top expands a form at the outermost level of an environment, where definitions make globals.
func (x *expander) top(p part, env *environment) node {
	if x.depth++; x.depth > maxNesting {
		return x.fail(p.at, "the form nests deeper than %d levels", maxNesting)
	}
	defer func() { x.depth-- }()
	sc := env.scope()
	for x.err == nil {
		form, ok := p.v.(*pair)
		if !ok {
			return x.expand(p, sc)
		}
		switch b := x.headBinding(form, sc).(type) {
		case *macro:
			p = x.transcribe(b, p, sc)
			continue
		case *special:
			if parts, ok := x.list(p); ok {
				if n := x.topSpecial(b.name, parts, p.at, env); n != nil {
					return n
				}
			}
		}
		return x.expand(p, sc)
	}
	return &constant{unspecified{}}
}

// topSpecial expands the forms that mean something else at the outermost level, and returns nil for all others.
func (x *expander) topSpecial(name string, form []part, at pos, env *environment) node {
	sc := env.scope()
	switch name {
	case "begin":
		return x.topSequence(form[1:], env)
	case "cond-expand":
		return x.topSequence(x.condExpand(form, at), env)
	case "define":
		id, expand := x.definition(form, at, sc)
		if x.err != nil {
			return &constant{}
		}
		return x.defineGlobal(id, expand, env)
	case "define-values":
		return x.topValues(form, at, env)
	case "define-record-type":
		seq := &sequence{parts: []node{&constant{unspecified{}}}}
		for _, d := range x.recordDefinitions(form, at, sc) {
			seq.parts = append(seq.parts, x.defineGlobal(d.id, d.expand, env))
		}
		return seq
	case "define-syntax":
		x.defineSyntax(form, at, sc)
		return &constant{unspecified{}}
	case "import":
		for _, set := range form[1:] {
			x.importSet(set, env)
		}
		return &constant{unspecified{}}
	case "define-library":
		return x.defineLibrary(form, at)
	}
	return nil
}

func (x *expander) topSequence(forms []part, env *environment) node {
	seq := &sequence{}
	for _, f := range forms {
		seq.parts = append(seq.parts, x.top(f, env))
	}
	if len(seq.parts) == 0 {
		return &constant{unspecified{}}
	}
	return seq
}

func (x *expander) defineGlobal(id part, expand func() node, env *environment) node {
	if !isIdentifier(id.v) {
		return x.fail(id.at, "%s is no name of a variable", brief(strip(id.v), 60))
	}
	name := symbolOf(id.v)
	g := env.define(name)
	return &defineGlobal{g, named(expand(), name.name)}
}

func (x *expander) topValues(form []part, at pos, env *environment) node {
	if len(form) != 3 {
		return x.fail(at, "define-values: the form is (define-values (NAME …) EXPRESSION)")
	}
	ids, rest := x.formals(form[1])
	receiver := &lambda{rest: rest}
	seq := &sequence{parts: []node{&constant{unspecified{}}}}
	for _, id := range ids {
		if !isIdentifier(id.v) {
			return x.fail(id.at, "%s is no name of a variable", brief(strip(id.v), 60))
		}
		v := newVariable(symbolOf(id.v).name)
		receiver.params = append(receiver.params, v)
		seq.parts = append(seq.parts, &defineGlobal{env.define(symbolOf(id.v)), x.ref(v)})
	}
	receiver.body = &sequence{append(seq.parts, &constant{unspecified{}})}
	return x.apply(at, "call-with-values", thunk(x.expand(form[2], env.scope())), receiver)
}

// defineSyntax binds a macro in a scope, or in the environment of an outermost one.
func (x *expander) defineSyntax(form []part, at pos, sc *scope) {
	if len(form) != 3 || !isIdentifier(form[1].v) {
		x.fail(at, "define-syntax: the form is (define-syntax NAME TRANSFORMER)")
		return
	}
	m := x.transformer(form[2], symbolOf(form[1].v).name, sc)
	switch {
	case m == nil:
	case sc.parent == nil:
		sc.env.table[symbolOf(form[1].v)] = m
	default:
		sc.bind(form[1].v, m)
	}
}

func expandLetSyntax(x *expander, form []part, at pos, sc *scope) node {
	return x.letSyntax(form, at, sc, sc)
}

func expandLetrecSyntax(x *expander, form []part, at pos, sc *scope) node {
	return x.letSyntax(form, at, sc.inner(), nil)
}

// letSyntax binds macros that are defined in a scope, or in the new one if that is nil.
func (x *expander) letSyntax(form []part, at pos, sc, from *scope) node {
	if len(form) < 3 {
		return x.fail(at, "let-syntax: the form is (let-syntax ((NAME TRANSFORMER) …) BODY …)")
	}
	ids, rules := x.bindings("let-syntax", form[1])
	inner := sc.inner()
	if from == nil {
		from = inner
	}
	for i, id := range ids {
		if m := x.transformer(rules[i], symbolOf(id.v).name, from); m != nil {
			inner.bind(id.v, m)
		}
	}
	if x.err != nil {
		return &constant{}
	}
	return x.body(form[2:], at, inner)
}

// features are the names that cond-expand knows.
var features = [...]string{"r7rs", "exact-closed", "exact-complex", "ieee-float", "full-unicode", "ratios", "quire"}

// condExpand returns the forms of the clause that applies.
func (x *expander) condExpand(form []part, at pos) []part {
	for _, c := range form[1:] {
		clause, ok := x.list(c)
		if !ok || len(clause) == 0 {
			x.fail(c.at, "cond-expand: a clause is (REQUIREMENT FORM …)")
			return nil
		}
		if x.hasFeature(clause[0]) {
			return clause[1:]
		}
	}
	return nil
}

func expandCondExpand(x *expander, form []part, at pos, sc *scope) node {
	chosen := x.condExpand(form, at)
	if len(chosen) == 0 {
		return &constant{unspecified{}}
	}
	return x.sequence(chosen, sc)
}

func (x *expander) hasFeature(p part) bool {
	if isIdentifier(p.v) {
		name := symbolOf(p.v).name
		for _, f := range features {
			if f == name {
				return true
			}
		}
		return name == "else"
	}
	parts, ok := x.list(p)
	if !ok || len(parts) == 0 || !isIdentifier(parts[0].v) {
		x.fail(p.at, "cond-expand: %s is no requirement", brief(strip(p.v), 60))
		return false
	}
	switch name := symbolOf(parts[0].v).name; name {
	case "and", "or":
		for _, q := range parts[1:] {
			if x.hasFeature(q) == (name == "or") {
				return name == "or"
			}
		}
		return name == "and"
	case "not":
		return len(parts) == 2 && !x.hasFeature(parts[1])
	case "library":
		return len(parts) == 2 && x.in.library(libraryName(parts[1].v)) != nil
	}
	x.fail(p.at, "cond-expand: %s is no requirement", brief(strip(p.v), 60))
	return false
}

func libraryName(v Value) string { return brief(strip(v), 1000) }

func expandInclude(x *expander, form []part, at pos, _ *scope) node {
	n := x.fail(at, "%s: this Scheme has no access to files", symbolOf(form[0].v).name)
	if c, ok := asCondition(x.err); ok && strings.HasSuffix(c.message, "no access to files") {
		c.kind = kindGrant
	}
	return n
}
