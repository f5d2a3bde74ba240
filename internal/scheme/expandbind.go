package scheme

// bindings reads ((NAME EXPRESSION) …).
func (x *expander) bindings(who string, p part) (ids, inits []part) {
	list, ok := x.list(p)
	if !ok {
		x.fail(p.at, "%s: the bindings are ((NAME EXPRESSION) …)", who)
	}
	for _, b := range list {
		parts, ok := x.list(b)
		if !ok || len(parts) != 2 || !isIdentifier(parts[0].v) {
			x.fail(b.at, "%s: a binding is (NAME EXPRESSION)", who)
			return nil, nil
		}
		ids, inits = append(ids, parts[0]), append(inits, parts[1])
	}
	return ids, inits
}

func (x *expander) all(parts []part, sc *scope) []node {
	nodes := make([]node, 0, len(parts))
	for _, p := range parts {
		nodes = append(nodes, x.expand(p, sc))
	}
	return nodes
}

func (x *expander) namedAll(ids, inits []part, sc *scope) []node {
	nodes := x.all(inits, sc)
	for i, id := range ids {
		named(nodes[i], symbolOf(id.v).name)
	}
	return nodes
}

func expandLet(x *expander, form []part, at pos, sc *scope) node {
	if len(form) >= 4 && isIdentifier(form[1].v) {
		return x.namedLet(form, at, sc)
	}
	if len(form) < 3 {
		return x.fail(at, "let: the form is (let ((NAME EXPRESSION) …) BODY …)")
	}
	ids, inits := x.bindings("let", form[1])
	values := x.namedAll(ids, inits, sc)
	inner, vars := x.bindAll(ids, sc)
	if x.err != nil {
		return &constant{}
	}
	return &let{vars, values, x.body(form[2:], at, inner)}
}

// namedLet expands a let whose body is a procedure that can call itself.
func (x *expander) namedLet(form []part, at pos, sc *scope) node {
	ids, inits := x.bindings("let", form[2])
	values := x.all(inits, sc)
	outer, self := x.bindAll(form[1:2], sc)
	inner, vars := x.bindAll(ids, outer)
	if x.err != nil {
		return &constant{}
	}
	l := &lambda{name: self[0].name, params: vars, at: at}
	return x.selfCalling(self[0], l, values, at, func() node { return x.body(form[3:], at, inner) })
}

// selfCalling returns a call of a procedure that is bound to a variable, for its body and for nothing else.
func (x *expander) selfCalling(self *variable, l *lambda, args []node, at pos, body func() node) node {
	self.current = new(int)
	l.body = body()
	*self.current = 1
	return &letrec{items: []item{{self, l}}, body: &call{x.ref(self), args, at}}
}

func expandLetStar(x *expander, form []part, at pos, sc *scope) node {
	if len(form) < 3 {
		return x.fail(at, "let*: the form is (let* ((NAME EXPRESSION) …) BODY …)")
	}
	ids, inits := x.bindings("let*", form[1])
	var lets []*let
	for i := range ids {
		value := named(x.expand(inits[i], sc), symbolOf(ids[i].v).name)
		inner, vars := x.bindAll(ids[i:i+1], sc)
		lets, sc = append(lets, &let{vars, []node{value}, nil}), inner
	}
	n := x.body(form[2:], at, sc)
	for i := len(lets) - 1; i >= 0; i-- {
		lets[i].body = n
		n = lets[i]
	}
	return n
}

func expandLetrec(x *expander, form []part, at pos, sc *scope) node {
	if len(form) < 3 {
		return x.fail(at, "%s: the form is (%[1]s ((NAME EXPRESSION) …) BODY …)", symbolOf(form[0].v).name)
	}
	ids, inits := x.bindings("letrec", form[1])
	inner, vars := x.bindAll(ids, sc)
	if x.err != nil {
		return &constant{}
	}
	current := new(int)
	n := &letrec{}
	for i, v := range vars {
		v.current, v.index = current, i
	}
	for i, v := range vars {
		*current = i
		n.items = append(n.items, item{v, named(x.expand(inits[i], inner), v.name)})
	}
	*current = len(vars)
	n.body = x.body(form[2:], at, inner)
	return n
}

// expandLetValues expands let-values; the expressions stand in the outer scope, as do those of nested procedures here,
// whose variables are resolved already.
func expandLetValues(x *expander, form []part, at pos, sc *scope) node {
	return x.letValues(form, at, sc, false)
}

func expandLetStarValues(x *expander, form []part, at pos, sc *scope) node {
	return x.letValues(form, at, sc, true)
}

func (x *expander) letValues(form []part, at pos, sc *scope, nested bool) node {
	if len(form) < 3 {
		return x.fail(at, "let-values: the form is (let-values (((NAME …) EXPRESSION) …) BODY …)")
	}
	list, ok := x.list(form[1])
	if !ok {
		return x.fail(form[1].at, "let-values: the bindings are (((NAME …) EXPRESSION) …)")
	}
	outer := sc
	var values []node
	var receivers []*lambda
	for _, b := range list {
		parts, ok := x.list(b)
		if !ok || len(parts) != 2 {
			return x.fail(b.at, "let-values: a binding is ((NAME …) EXPRESSION)")
		}
		from := outer
		if nested {
			from = sc
		}
		values = append(values, x.expand(parts[1], from))
		ids, rest := x.formals(parts[0])
		inner, vars := x.bindAll(ids, sc)
		receivers = append(receivers, &lambda{params: vars, rest: rest, at: b.at})
		sc = inner
	}
	n := x.body(form[2:], at, sc)
	for i := len(receivers) - 1; i >= 0; i-- {
		receivers[i].body = n
		n = x.apply(list[i].at, "call-with-values", thunk(values[i]), receivers[i])
	}
	return n
}

func expandDo(x *expander, form []part, at pos, sc *scope) node {
	const want = "do: the form is (do ((NAME INIT STEP) …) (TEST EXPRESSION …) COMMAND …)"
	if len(form) < 3 {
		return x.fail(at, want)
	}
	specs, ok := x.list(form[1])
	end, ok2 := x.list(form[2])
	if !ok || !ok2 || len(end) == 0 {
		return x.fail(at, want)
	}
	var ids, inits, steps []part
	for _, s := range specs {
		parts, ok := x.list(s)
		if !ok || len(parts) < 2 || len(parts) > 3 || !isIdentifier(parts[0].v) {
			return x.fail(s.at, "do: a variable is (NAME INIT STEP), where STEP may be left out")
		}
		ids, inits, steps = append(ids, parts[0]), append(inits, parts[1]), append(steps, parts[len(parts)-1])
		if len(parts) == 2 {
			steps[len(steps)-1] = parts[0]
		}
	}
	values := x.all(inits, sc)
	inner, vars := x.bindAll(ids, sc)
	if x.err != nil {
		return &constant{}
	}
	self := newVariable("do")
	return x.selfCalling(self, &lambda{name: "do", params: vars, at: at}, values, at, func() node {
		test := x.expand(end[0], inner)
		var result node = &constant{unspecified{}}
		if len(end) > 1 {
			result = x.sequence(end[1:], inner)
		}
		commands := &sequence{x.all(form[3:], inner)}
		commands.parts = append(commands.parts, &call{x.ref(self), x.all(steps, inner), at})
		return &conditional{test, result, commands}
	})
}

func expandParameterize(x *expander, form []part, at pos, sc *scope) node {
	if len(form) < 3 {
		return x.fail(at, "parameterize: the form is (parameterize ((PARAMETER VALUE) …) BODY …)")
	}
	list, ok := x.list(form[1])
	if !ok {
		return x.fail(form[1].at, "parameterize: the bindings are ((PARAMETER VALUE) …)")
	}
	var params, values []node
	for _, b := range list {
		parts, ok := x.list(b)
		if !ok || len(parts) != 2 {
			return x.fail(b.at, "parameterize: a binding is (PARAMETER VALUE)")
		}
		params = append(params, x.expand(parts[0], sc))
		values = append(values, x.expand(parts[1], sc))
	}
	return x.apply(at, "%parameterize", x.apply(at, "list", params...), x.apply(at, "list", values...), thunk(x.body(form[2:], at, sc)))
}
