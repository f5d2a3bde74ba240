package scheme

// listPrims are the procedures of pairs, lists and symbols, and the predicates of equivalence.
func listPrims() []*prim {
	prims := []*prim{
		{name: "eq?", min: 2, max: 2, fn: func(_ *machine, a []Value) (Value, error) { return a[0] == a[1], nil }},
		{name: "eqv?", min: 2, max: 2, fn: func(_ *machine, a []Value) (Value, error) { return eqv(a[0], a[1]), nil }},
		{name: "equal?", min: 2, max: 2, fn: func(_ *machine, a []Value) (Value, error) { return equal(a[0], a[1]), nil }},
		{name: "not", min: 1, max: 1, fn: func(_ *machine, a []Value) (Value, error) { return !truth(a[0]), nil }},
		{name: "boolean?", min: 1, max: 1, fn: isA[bool]},
		{name: "boolean=?", min: 2, max: -1, fn: sameAll[bool]("boolean=?", "a boolean")},
		{name: "pair?", min: 1, max: 1, fn: isA[*pair]},
		{name: "null?", min: 1, max: 1, fn: isA[empty]},
		{name: "list?", min: 1, max: 1, fn: test(func(v Value) bool { _, ok := listLength(v); return ok })},
		{name: "cons", min: 2, max: 2, fn: func(_ *machine, a []Value) (Value, error) { return &pair{a[0], a[1]}, nil }},
		{name: "set-car!", min: 2, max: 2, fn: setCar},
		{name: "set-cdr!", min: 2, max: 2, fn: setCdr},
		{name: "list", max: -1, fn: func(_ *machine, a []Value) (Value, error) { return list(a...), nil }},
		{name: "cons*", min: 1, max: -1, fn: func(_ *machine, a []Value) (Value, error) { return listOnto(a[:len(a)-1], a[len(a)-1]), nil }},
		{name: "make-list", min: 1, max: 2, fn: makeList},
		{name: "length", min: 1, max: 1, fn: length},
		{name: "append", max: -1, fn: appendLists},
		{name: "reverse", min: 1, max: 1, fn: reverse},
		{name: "list-tail", min: 2, max: 2, fn: func(m *machine, a []Value) (Value, error) { return listTail(m, "list-tail", a) }},
		{name: "list-ref", min: 2, max: 2, fn: listRef},
		{name: "list-set!", min: 3, max: 3, fn: listSet},
		{name: "list-copy", min: 1, max: 1, fn: listCopy},
		{name: "memq", min: 2, max: 2, fn: member("memq", func(a, b Value) bool { return a == b })},
		{name: "memv", min: 2, max: 2, fn: member("memv", eqv)},
		{name: "%member", min: 2, max: 2, fn: member("member", equal)},
		{name: "assq", min: 2, max: 2, fn: assoc("assq", func(a, b Value) bool { return a == b })},
		{name: "assv", min: 2, max: 2, fn: assoc("assv", eqv)},
		{name: "%assoc", min: 2, max: 2, fn: assoc("assoc", equal)},
		{name: "symbol?", min: 1, max: 1, fn: isA[*symbol]},
		{name: "symbol=?", min: 2, max: -1, fn: sameAll[*symbol]("symbol=?", "a symbol")},
		{name: "symbol->string", min: 1, max: 1, fn: symbolToString},
		{name: "string->symbol", min: 1, max: 1, fn: stringToSymbol},
		{name: "gensym", max: 1, fn: func(*machine, []Value) (Value, error) { return &symbol{"g"}, nil }},
		{name: "iota", min: 1, max: 3, fn: iota1},
	}
	for _, path := range []string{
		"a", "d", "aa", "ad", "da", "dd", "aaa", "aad", "ada", "add", "daa", "dad", "dda", "ddd",
		"aaaa", "aaad", "aada", "aadd", "adaa", "adad", "adda", "addd", "daaa", "daad", "dada", "dadd", "ddaa", "ddad", "ddda", "dddd",
	} {
		name := "c" + path + "r"
		prims = append(prims, &prim{name: name, min: 1, max: 1, fn: access(name, path)})
	}
	return prims
}

func access(name, path string) primitive {
	return func(_ *machine, a []Value) (Value, error) {
		v := a[0]
		for i := len(path) - 1; i >= 0; i-- {
			p, ok := v.(*pair)
			if !ok {
				if len(path) == 1 {
					return nil, wrongType(name, 0, "a pair", v)
				}
				return nil, wrongType(name, 0, "a longer list", a[0])
			}
			if v = p.cdr; path[i] == 'a' {
				v = p.car
			}
		}
		return v, nil
	}
}

func setCar(_ *machine, a []Value) (Value, error) {
	p, ok := a[0].(*pair)
	if !ok {
		return nil, wrongType("set-car!", 0, "a pair", a[0])
	}
	p.car = a[1]
	return unspecified{}, nil
}

func setCdr(_ *machine, a []Value) (Value, error) {
	p, ok := a[0].(*pair)
	if !ok {
		return nil, wrongType("set-cdr!", 0, "a pair", a[0])
	}
	p.cdr = a[1]
	return unspecified{}, nil
}

// sameAll returns the procedure that reports whether all of its arguments, of one type, are the same.
func sameAll[T comparable](who, want string) primitive {
	return func(_ *machine, a []Value) (Value, error) {
		same := true
		for i, v := range a {
			if _, ok := v.(T); !ok {
				return nil, wrongType(who, i, want, v)
			}
			same = same && v == a[0]
		}
		return same, nil
	}
}

func makeList(m *machine, a []Value) (Value, error) {
	n, err := index("make-list", a, 0, 1<<40)
	if err != nil {
		return nil, err
	}
	if err := m.reserveItems(n, 32); err != nil {
		return nil, err
	}
	var fill, l Value = unspecified{}, empty{}
	if len(a) == 2 {
		fill = a[1]
	}
	for range n {
		l = &pair{fill, l}
	}
	return l, m.spend(n / 16)
}

func length(m *machine, a []Value) (Value, error) {
	n, ok := listLength(a[0])
	if !ok {
		return nil, wrongType("length", 0, "a list", a[0])
	}
	return int64(n), m.spend(n / 16)
}

func appendLists(m *machine, a []Value) (Value, error) {
	if len(a) == 0 {
		return empty{}, nil
	}
	tail := a[len(a)-1]
	for i := len(a) - 2; i >= 0; i-- {
		all, ok := items(a[i])
		if !ok {
			return nil, wrongType("append", i, "a list", a[i])
		}
		if err := m.reserveItems(len(all), 48); err != nil {
			return nil, err
		}
		tail = listOnto(all, tail)
		if err := m.spend(len(all) / 16); err != nil {
			return nil, err
		}
	}
	return tail, nil
}

func reverse(m *machine, a []Value) (Value, error) {
	n, ok := listLength(a[0])
	if !ok {
		return nil, wrongType("reverse", 0, "a list", a[0])
	}
	var l Value = empty{}
	for p, ok := a[0].(*pair); ok; p, ok = p.cdr.(*pair) {
		l = &pair{p.car, l}
	}
	return l, m.spend(n / 16)
}

func listTail(m *machine, who string, a []Value) (Value, error) {
	n, ok := a[1].(int64)
	if !ok || n < 0 {
		return nil, wrongType(who, 1, "an index", a[1])
	}
	v := a[0]
	for i := int64(0); i < n; i++ {
		p, ok := v.(*pair)
		if !ok {
			return nil, fault(kindRange, "%s: the list has only %d elements, and not %d", who, i, n)
		}
		if v = p.cdr; i%stepsBetween == stepsBetween-1 { // it may be circular
			if err := m.spend(stepsBetween); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

func listRef(m *machine, a []Value) (Value, error) {
	v, err := listTail(m, "list-ref", a)
	if err != nil {
		return nil, err
	}
	p, ok := v.(*pair)
	if !ok {
		return nil, fault(kindRange, "list-ref: the list has no element %s", brief(a[1], 60))
	}
	return p.car, nil
}

func listSet(m *machine, a []Value) (Value, error) {
	v, err := listTail(m, "list-set!", a[:2])
	if err != nil {
		return nil, err
	}
	p, ok := v.(*pair)
	if !ok {
		return nil, fault(kindRange, "list-set!: the list has no element %s", brief(a[1], 60))
	}
	p.car = a[2]
	return unspecified{}, nil
}

func listCopy(m *machine, a []Value) (Value, error) {
	var all []Value
	tail := a[0]
	for p, ok := tail.(*pair); ok; p, ok = tail.(*pair) {
		all = append(all, p.car)
		tail = p.cdr
		if len(all)%stepsBetween == 0 { // it may be circular
			if err := m.spend(stepsBetween); err != nil {
				return nil, err
			}
			if err := m.reserveItems(len(all), 48); err != nil {
				return nil, err
			}
			if tail == a[0] {
				return nil, wrongType("list-copy", 0, "a list that ends", a[0])
			}
		}
	}
	return listOnto(all, tail), nil
}

func member(who string, same func(a, b Value) bool) primitive {
	return func(_ *machine, a []Value) (Value, error) {
		for slow, v, n := a[1], a[1], 0; ; n++ {
			p, ok := v.(*pair)
			if !ok {
				if _, ok := v.(empty); !ok {
					return nil, wrongType(who, 1, "a list", a[1])
				}
				return false, nil
			}
			if same(a[0], p.car) {
				return p, nil
			}
			v = p.cdr
			if n%2 == 1 {
				if slow = slow.(*pair).cdr; slow == v {
					return nil, wrongType(who, 1, "a list that ends", a[1])
				}
			}
		}
	}
}

func assoc(who string, same func(a, b Value) bool) primitive {
	return func(_ *machine, a []Value) (Value, error) {
		for slow, v, n := a[1], a[1], 0; ; n++ {
			p, ok := v.(*pair)
			if !ok {
				if _, ok := v.(empty); !ok {
					return nil, wrongType(who, 1, "an association list", a[1])
				}
				return false, nil
			}
			entry, ok := p.car.(*pair)
			if !ok {
				return nil, wrongType(who, 1, "a list of pairs", a[1])
			}
			if same(a[0], entry.car) {
				return entry, nil
			}
			v = p.cdr
			if n%2 == 1 {
				if slow = slow.(*pair).cdr; slow == v {
					return nil, wrongType(who, 1, "a list that ends", a[1])
				}
			}
		}
	}
}

func symbolToString(_ *machine, a []Value) (Value, error) {
	s, ok := a[0].(*symbol)
	if !ok {
		return nil, wrongType("symbol->string", 0, "a symbol", a[0])
	}
	return &str{runes: []rune(s.name), literal: true}, nil
}

func stringToSymbol(m *machine, a []Value) (Value, error) {
	s, err := argStr("string->symbol", a, 0)
	if err != nil {
		return nil, err
	}
	return m.in.intern(s.String()), nil
}

// iota1 is the procedure iota of SRFI 1.
func iota1(m *machine, a []Value) (Value, error) {
	n, err := index("iota", a, 0, 1<<40)
	if err != nil {
		return nil, err
	}
	if err := m.reserveItems(n, 48); err != nil {
		return nil, err
	}
	var start, step Value = int64(0), int64(1)
	if len(a) > 1 {
		start = a[1]
	}
	if len(a) > 2 {
		step = a[2]
	}
	all := make([]Value, n)
	for i := range all {
		if all[i] = start; i+1 < n {
			if start, err = add(start, step); err != nil {
				return nil, err
			}
		}
	}
	return list(all...), m.spend(n / 16)
}
