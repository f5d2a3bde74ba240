package scheme

import "slices"

// controlPrims are the procedures of control, exceptions, records, promises, parameters and evaluation.
func controlPrims() []*prim {
	return []*prim{
		{name: "procedure?", min: 1, max: 1, fn: test(isProcedure)},
		{name: "apply", min: 2, max: -1, special: (*machine).applyList},
		{name: "values", max: -1, fn: func(_ *machine, a []Value) (Value, error) { return asOne(a), nil }},
		{name: "call-with-values", min: 2, max: 2, special: (*machine).callWithValues},
		{name: "%call/cc", min: 1, max: 1, special: (*machine).callCC},
		{name: "call-with-current-continuation", min: 1, max: 1, special: (*machine).callCC},
		{name: "call/cc", min: 1, max: 1, special: (*machine).callCC},
		{name: "%rewind", min: 2, max: 2, special: (*machine).rewindStep},
		{name: "%push-wind!", min: 2, max: 2, fn: pushWind},
		{name: "%pop-wind!", fn: popWind},
		{name: "void", max: -1, fn: func(*machine, []Value) (Value, error) { return unspecified{}, nil }},

		{name: "%handlers", fn: currentHandlers},
		{name: "%with-handlers", min: 2, max: 2, special: (*machine).withHandlers},
		{name: "%uncaught", min: 1, max: 1, fn: func(_ *machine, a []Value) (Value, error) { return nil, &uncaught{a[0]} }},
		{name: "%handler-returned", min: 1, max: 1, fn: handlerReturned},
		{name: "error", max: -1, fn: raiseError},
		{name: "error-object?", min: 1, max: 1, fn: isA[*condition]},
		{name: "error-object-message", min: 1, max: 1, fn: onCondition("error-object-message", func(c *condition) Value { return newStr(c.message) })},
		{name: "error-object-irritants", min: 1, max: 1, fn: onCondition("error-object-irritants", func(c *condition) Value { return list(c.irritants...) })},
		{name: "condition-kind", min: 1, max: 1, fn: conditionKind},
		{name: "read-error?", min: 1, max: 1, fn: ofKind(kindRead)},
		{name: "file-error?", min: 1, max: 1, fn: ofKind(kindFile, kindGrant)},

		{name: "%make-record-type", min: 1, max: 1, fn: func(_ *machine, a []Value) (Value, error) { k := *a[0].(*recordType); return &k, nil }},
		{name: "%record-constructor", min: 3, max: 3, fn: recordConstructor},
		{name: "%record-predicate", min: 1, max: 1, fn: recordPredicate},
		{name: "%record-accessor", min: 3, max: 3, fn: recordAccessor},
		{name: "%record-modifier", min: 3, max: 3, fn: recordModifier},

		{name: "promise?", min: 1, max: 1, fn: isA[*promise]},
		{name: "make-promise", min: 1, max: 1, fn: makePromise},
		{name: "%make-lazy", min: 1, max: 1, fn: func(_ *machine, a []Value) (Value, error) {
			return &promise{&promiseState{false, a[0]}}, nil
		}},
		{name: "%promise-done?", min: 1, max: 1, fn: func(_ *machine, a []Value) (Value, error) { return a[0].(*promise).state.done, nil }},
		{name: "%promise-value", min: 1, max: 1, fn: func(_ *machine, a []Value) (Value, error) { return a[0].(*promise).state.v, nil }},
		{name: "%promise-update!", min: 2, max: 2, fn: promiseUpdate},

		{name: "%make-parameter", min: 2, max: 2, fn: func(_ *machine, a []Value) (Value, error) { return &parameter{a[0], a[1]}, nil }},
		{name: "%parameter-converter", min: 1, max: 1, fn: parameterConverter},
		{name: "%with-parameters", min: 3, max: 3, special: (*machine).withParameters},

		{name: "eval", min: 1, max: 2, special: (*machine).evaluate},
		{name: "environment", max: -1, fn: makeEnvironment},
		{name: "interaction-environment", fn: func(m *machine, _ []Value) (Value, error) { return m.in.user, nil }},
		{name: "scheme-report-environment", min: 1, max: 1, fn: reportEnvironment},
		{name: "null-environment", min: 1, max: 1, fn: reportEnvironment},
		{name: "environment?", min: 1, max: 1, fn: isA[*environment]},
	}
}

// uncaught is an object that no handler takes.
type uncaught struct{ v Value }

func (u *uncaught) Error() string { return "uncaught: " + brief(u.v, 200) }

func handlerReturned(_ *machine, a []Value) (Value, error) {
	c := fault(kindContinue, "a handler has returned from an exception that cannot be continued:")
	if raised, ok := a[0].(*condition); ok {
		c.message += " " + raised.message
		c.irritants = raised.irritants
	} else {
		c.irritants = []Value{a[0]}
	}
	c.payload = a[0]
	return c, nil
}

// raiseError is the procedure error.
func raiseError(_ *machine, a []Value) (Value, error) {
	c := &condition{kind: kindError}
	if len(a) > 0 {
		if s, ok := a[0].(*str); ok {
			c.message = s.String()
		} else {
			c.message = brief(a[0], 200)
		}
		c.irritants = slices.Clone(a[1:])
	}
	return nil, c
}

func onCondition(who string, f func(*condition) Value) primitive {
	return func(_ *machine, a []Value) (Value, error) {
		c, ok := a[0].(*condition)
		if !ok {
			return nil, wrongType(who, 0, "an error object", a[0])
		}
		return f(c), nil
	}
}

func conditionKind(m *machine, a []Value) (Value, error) {
	c, ok := a[0].(*condition)
	if !ok {
		return nil, wrongType("condition-kind", 0, "an error object", a[0])
	}
	return m.in.intern(c.kind), nil
}

func ofKind(kinds ...string) primitive {
	return func(_ *machine, a []Value) (Value, error) {
		c, ok := a[0].(*condition)
		return ok && slices.Contains(kinds, c.kind), nil
	}
}

// recordConstructor is (%record-constructor TYPE NAME INDICES).
func recordConstructor(_ *machine, a []Value) (Value, error) {
	kind := a[0].(*recordType)
	all, _ := items(a[2])
	indices := make([]int, len(all))
	for i, v := range all {
		indices[i] = int(v.(int64))
	}
	return &prim{name: a[1].(*symbol).name, min: len(indices), max: len(indices), fn: func(_ *machine, a []Value) (Value, error) {
		r := &record{kind, make([]Value, len(kind.fields))}
		if len(indices) < len(r.fields) {
			for i := range r.fields {
				r.fields[i] = false
			}
		}
		for i, v := range a {
			r.fields[indices[i]] = v
		}
		return r, nil
	}}, nil
}

func recordPredicate(_ *machine, a []Value) (Value, error) {
	kind := a[0].(*recordType)
	return &prim{name: kind.name + "?", min: 1, max: 1, fn: func(_ *machine, a []Value) (Value, error) {
		r, ok := a[0].(*record)
		return ok && r.kind == kind, nil
	}}, nil
}

func recordAccessor(_ *machine, a []Value) (Value, error) {
	kind, name, i := a[0].(*recordType), a[1].(*symbol).name, a[2].(int64)
	return &prim{name: name, min: 1, max: 1, fn: func(_ *machine, a []Value) (Value, error) {
		r, ok := a[0].(*record)
		if !ok || r.kind != kind {
			return nil, wrongType(name, 0, "a "+procedureName(kind), a[0])
		}
		return r.fields[i], nil
	}}, nil
}

func recordModifier(_ *machine, a []Value) (Value, error) {
	kind, name, i := a[0].(*recordType), a[1].(*symbol).name, a[2].(int64)
	return &prim{name: name, min: 2, max: 2, fn: func(_ *machine, a []Value) (Value, error) {
		r, ok := a[0].(*record)
		if !ok || r.kind != kind {
			return nil, wrongType(name, 0, "a "+procedureName(kind), a[0])
		}
		r.fields[i] = a[1]
		return unspecified{}, nil
	}}, nil
}

func makePromise(_ *machine, a []Value) (Value, error) {
	if p, ok := a[0].(*promise); ok {
		return p, nil
	}
	return &promise{&promiseState{true, a[0]}}, nil
}

// promiseUpdate is (%promise-update! NEW OLD): what forcing OLD has computed becomes the state of both.
func promiseUpdate(_ *machine, a []Value) (Value, error) {
	from, ok := a[0].(*promise)
	if !ok {
		return nil, wrongType("force", 0, "a delay-force of a promise", a[0])
	}
	to := a[1].(*promise)
	*to.state = *from.state
	from.state = to.state
	return unspecified{}, nil
}

func parameterConverter(_ *machine, a []Value) (Value, error) {
	p, ok := a[0].(*parameter)
	if !ok {
		return nil, wrongType("parameterize", 0, "a parameter", a[0])
	}
	return p.converter, nil
}

// makeEnvironment is the procedure environment.
func makeEnvironment(m *machine, a []Value) (Value, error) {
	env := newEnvironment()
	x := &expander{in: m.in}
	for _, set := range a {
		x.importSet(part{set, pos{}}, env)
		if x.err != nil {
			return nil, x.err
		}
	}
	return env, nil
}

func reportEnvironment(m *machine, a []Value) (Value, error) {
	if a[0] != Value(int64(5)) && a[0] != Value(int64(7)) {
		return nil, fault(kindUnsupported, "there is no environment of version %s, only of 5 and 7", brief(a[0], 60))
	}
	env := newEnvironment()
	for name, g := range m.in.user.table {
		if s, ok := g.(*special); ok {
			env.take(name, s)
		}
	}
	for _, name := range m.in.libraryNames("(scheme r5rs)") {
		m.in.importBuiltin(env, name, name)
	}
	return env, nil
}
