package scheme

func expandQuasiquote(x *expander, form []part, at pos, sc *scope) node {
	if len(form) != 2 {
		return x.fail(at, "quasiquote: the form is (quasiquote TEMPLATE)")
	}
	return x.quasi(form[1], 1, sc)
}

// quasi expands a template at a depth of quasiquotes.
func (x *expander) quasi(p part, depth int, sc *scope) node {
	if x.depth++; x.depth > maxNesting {
		return x.fail(p.at, "the template nests deeper than %d levels", maxNesting)
	}
	defer func() { x.depth-- }()
	switch v := p.v.(type) {
	case *vector:
		n := x.quasi(part{list(v.items...), p.at}, depth, sc)
		if c, ok := n.(*constant); ok {
			all, _ := items(c.v)
			return &constant{&vector{all}}
		}
		return x.apply(p.at, "list->vector", n)
	case *pair:
		return x.quasiList(p, depth, sc)
	}
	return &constant{strip(p.v)}
}

// quasiList expands the elements of a list, and joins them from its end.
func (x *expander) quasiList(p part, depth int, sc *scope) node {
	var heads []part
	tail := p
	for len(heads) < maxExpansion {
		q, ok := tail.v.(*pair)
		if !ok {
			break
		}
		if name, arg, ok := x.unquoting(q, tail.at, sc); ok {
			if len(heads) == 0 || name != "unquote-splicing" {
				return x.join(heads, x.unquote(name, q, arg, depth, sc), depth, sc)
			}
		}
		heads = append(heads, x.head(q, tail.at))
		tail = part{q.cdr, tail.at}
	}
	return x.join(heads, x.quasi(tail, depth, sc), depth, sc)
}

// unquoting reports whether a pair is (quasiquote X), (unquote X) or (unquote-splicing X).
func (x *expander) unquoting(q *pair, at pos, sc *scope) (name string, arg part, ok bool) {
	rest, isList := q.cdr.(*pair)
	if !isList || rest.cdr != Value(empty{}) || !isIdentifier(q.car) {
		return "", part{}, false
	}
	for _, name := range []string{"quasiquote", "unquote", "unquote-splicing"} {
		if sc.isKeyword(q.car, name) {
			return name, x.head(rest, at), true
		}
	}
	return "", part{}, false
}

// unquote expands one of the three forms where it stands as a whole datum.
func (x *expander) unquote(name string, q *pair, arg part, depth int, sc *scope) node {
	if name == "unquote" && depth == 1 {
		return x.expand(arg, sc)
	}
	if name == "unquote-splicing" && depth == 1 {
		return x.fail(arg.at, "unquote-splicing: it stands outside a list")
	}
	if name == "quasiquote" {
		depth++
	} else {
		depth--
	}
	inner := x.quasi(arg, depth, sc)
	if c, ok := inner.(*constant); ok {
		return &constant{list(symbolOf(q.car), c.v)}
	}
	return x.apply(arg.at, "list", &constant{symbolOf(q.car)}, inner)
}

func (x *expander) join(heads []part, tail node, depth int, sc *scope) node {
	for i := len(heads) - 1; i >= 0 && x.err == nil; i-- {
		h := heads[i]
		if q, ok := h.v.(*pair); ok && depth == 1 {
			if name, arg, ok := x.unquoting(q, h.at, sc); ok && name == "unquote-splicing" {
				spliced := x.expand(arg, sc)
				if c, ok := tail.(*constant); ok && c.v == Value(empty{}) && i == len(heads)-1 {
					tail = spliced
				} else {
					tail = x.apply(h.at, "append", spliced, tail)
				}
				continue
			}
		}
		var n node
		if q, ok := h.v.(*pair); ok && depth > 1 {
			if name, arg, ok := x.unquoting(q, h.at, sc); ok && name == "unquote-splicing" {
				n = x.unquote(name, q, arg, depth, sc)
			}
		}
		if n == nil {
			n = x.quasi(h, depth, sc)
		}
		c, ok := n.(*constant)
		t, ok2 := tail.(*constant)
		if ok && ok2 {
			tail = &constant{&pair{c.v, t.v}}
		} else {
			tail = x.apply(h.at, "cons", n, tail)
		}
	}
	return tail
}
