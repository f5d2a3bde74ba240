package scheme

func expandAnd(x *expander, form []part, _ pos, sc *scope) node {
	if len(form) == 1 {
		return &constant{true}
	}
	n := x.expand(form[len(form)-1], sc)
	for i := len(form) - 2; i > 0; i-- {
		n = &conditional{x.expand(form[i], sc), n, &constant{false}}
	}
	return n
}

func expandOr(x *expander, form []part, _ pos, sc *scope) node {
	switch len(form) {
	case 1:
		return &constant{false}
	case 2:
		return x.expand(form[1], sc)
	}
	return &disjunction{x.all(form[1:], sc)}
}

func expandWhen(x *expander, form []part, at pos, sc *scope) node {
	if len(form) < 3 {
		return x.fail(at, "when: the form is (when TEST EXPRESSION …)")
	}
	return &conditional{x.expand(form[1], sc), x.sequence(form[2:], sc), &constant{unspecified{}}}
}

func expandUnless(x *expander, form []part, at pos, sc *scope) node {
	if len(form) < 3 {
		return x.fail(at, "unless: the form is (unless TEST EXPRESSION …)")
	}
	return &conditional{x.expand(form[1], sc), &constant{unspecified{}}, x.sequence(form[2:], sc)}
}

func expandCond(x *expander, form []part, at pos, sc *scope) node {
	return x.clauses(form[1:], at, sc, func() node { return &constant{unspecified{}} })
}

// clauses expands the clauses of cond and guard; otherwise expands to what is done when none of them applies.
func (x *expander) clauses(clauses []part, at pos, sc *scope, otherwise func() node) node {
	if len(clauses) == 0 {
		return otherwise()
	}
	clause, ok := x.list(clauses[0])
	if !ok || len(clause) == 0 {
		return x.fail(clauses[0].at, "cond: a clause is (TEST EXPRESSION …)")
	}
	if sc.isKeyword(clause[0].v, "else") {
		if len(clauses) > 1 || len(clause) == 1 {
			return x.fail(clauses[0].at, "cond: the clause else must be the last, with an expression")
		}
		return x.sequence(clause[1:], sc)
	}
	test := x.expand(clause[0], sc)
	next := func() node { return x.clauses(clauses[1:], at, sc, otherwise) }
	if len(clause) == 1 {
		return &disjunction{[]node{test, next()}}
	}
	if !sc.isKeyword(clause[1].v, "=>") {
		return &conditional{test, x.sequence(clause[1:], sc), next()}
	}
	if len(clause) != 3 {
		return x.fail(clauses[0].at, "cond: a clause is (TEST => RECEIVER)")
	}
	v := newVariable("test")
	receive := &call{x.expand(clause[2], sc), []node{x.ref(v)}, clauses[0].at}
	return &let{[]*variable{v}, []node{test}, &conditional{x.ref(v), receive, next()}}
}

func expandCase(x *expander, form []part, at pos, sc *scope) node {
	if len(form) < 3 {
		return x.fail(at, "case: the form is (case KEY ((DATUM …) EXPRESSION …) …)")
	}
	key := newVariable("key")
	return &let{[]*variable{key}, []node{x.expand(form[1], sc)}, x.cases(form[2:], key, sc)}
}

func (x *expander) cases(clauses []part, key *variable, sc *scope) node {
	if len(clauses) == 0 {
		return &constant{unspecified{}}
	}
	clause, ok := x.list(clauses[0])
	if !ok || len(clause) < 2 {
		return x.fail(clauses[0].at, "case: a clause is ((DATUM …) EXPRESSION …)")
	}
	var then node
	switch {
	case !sc.isKeyword(clause[1].v, "=>"):
		then = x.sequence(clause[1:], sc)
	case len(clause) == 3:
		then = &call{x.expand(clause[2], sc), []node{x.ref(key)}, clauses[0].at}
	default:
		return x.fail(clauses[0].at, "case: a clause is ((DATUM …) => RECEIVER)")
	}
	if sc.isKeyword(clause[0].v, "else") {
		if len(clauses) > 1 {
			return x.fail(clauses[0].at, "case: the clause else must be the last")
		}
		return then
	}
	data, ok := items(strip(clause[0].v))
	if !ok {
		return x.fail(clause[0].at, "case: the data of a clause are a list")
	}
	var test node = &constant{false}
	switch len(data) {
	case 0:
	case 1:
		test = x.apply(clause[0].at, "eqv?", x.ref(key), &constant{data[0]})
	default:
		test = x.apply(clause[0].at, "memv", x.ref(key), &constant{list(data...)})
	}
	return &conditional{test, then, x.cases(clauses[1:], key, sc)}
}

func expandDelay(x *expander, form []part, at pos, sc *scope) node {
	if len(form) != 2 {
		return x.fail(at, "delay: the form is (delay EXPRESSION)")
	}
	return x.apply(at, "%make-lazy", thunk(x.apply(at, "make-promise", x.expand(form[1], sc))))
}

func expandDelayForce(x *expander, form []part, at pos, sc *scope) node {
	if len(form) != 2 {
		return x.fail(at, "delay-force: the form is (delay-force EXPRESSION)")
	}
	return x.apply(at, "%make-lazy", thunk(x.expand(form[1], sc)))
}

func expandConsStream(x *expander, form []part, at pos, sc *scope) node {
	if len(form) != 3 {
		return x.fail(at, "cons-stream: the form is (cons-stream HEAD TAIL)")
	}
	tail := x.apply(at, "%make-lazy", thunk(x.apply(at, "make-promise", x.expand(form[2], sc))))
	return x.apply(at, "cons", x.expand(form[1], sc), tail)
}

// expandGuard expands (guard (NAME CLAUSE …) BODY …). The clauses are tried where guard stands; when none applies, the
// object is raised again where it was raised:
//
//	((call/cc (lambda (leave)
//	   (with-exception-handler
//	     (lambda (raised)
//	       ((call/cc (lambda (again)
//	          (leave (lambda () (let ((NAME raised)) (cond CLAUSE …
//	            (else (again (lambda () (raise-continuable raised))))))))))
//	     (lambda ()
//	       (call-with-values (lambda () BODY …)
//	         (lambda results (lambda () (apply values results)))))))))
func expandGuard(x *expander, form []part, at pos, sc *scope) node {
	const want = "guard: the form is (guard (NAME CLAUSE …) BODY …)"
	if len(form) < 3 {
		return x.fail(at, want)
	}
	spec, ok := x.list(form[1])
	if !ok || len(spec) == 0 {
		return x.fail(at, want)
	}
	leave, again, raised, results := newVariable("leave"), newVariable("again"), newVariable("raised"), newVariable("results")
	inner, vars := x.bindAll(spec[:1], sc)
	if x.err != nil {
		return &constant{}
	}
	clauses := x.clauses(spec[1:], at, inner, func() node {
		return &call{x.ref(again), []node{thunk(x.apply(pos{}, "raise-continuable", x.ref(raised)))}, pos{}}
	})
	handle := thunk(&let{vars, []node{x.ref(raised)}, clauses})
	handler := &lambda{params: []*variable{raised}, body: &call{f: x.apply(pos{}, "%call/cc", &lambda{
		params: []*variable{again},
		body:   &call{x.ref(leave), []node{handle}, pos{}},
	})}}
	body := thunk(x.apply(pos{}, "call-with-values", thunk(x.body(form[2:], at, sc)), &lambda{
		params: []*variable{results}, rest: true,
		body: thunk(x.apply(pos{}, "apply", x.proc("values"), x.ref(results))),
	}))
	return &call{f: x.apply(pos{}, "%call/cc", &lambda{
		params: []*variable{leave},
		body:   x.apply(pos{}, "with-exception-handler", handler, body),
	})}
}

func expandAssert(x *expander, form []part, at pos, sc *scope) node {
	if len(form) != 2 {
		return x.fail(at, "assert: the form is (assert EXPRESSION)")
	}
	failed := x.apply(at, "error", &constant{newStr("assertion failed:")}, &constant{strip(form[1].v)})
	return &conditional{x.expand(form[1], sc), &constant{unspecified{}}, failed}
}
