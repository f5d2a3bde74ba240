package scheme

// binding is the meaning of an identifier: a *variable, a *global, a *macro or a *special.
type binding any

// special is a keyword that the expander knows.
type special struct {
	name   string
	expand func(x *expander, form []part, at pos, sc *scope) node // nil for auxiliary keywords, such as else
}

// alias is an identifier that a template of a macro has introduced. It means what the identifier means where the macro
// is defined, unless a form of the same expansion binds it.
type alias struct {
	id    Value // a *symbol or an *alias
	scope *scope
}

func (a *alias) symbol() *symbol { return symbolOf(a) }

// symbolOf returns the symbol that an identifier is as a datum.
func symbolOf(id Value) *symbol {
	for {
		switch v := id.(type) {
		case *symbol:
			return v
		case *alias:
			id = v.id
		}
	}
}

func isIdentifier(v Value) bool {
	switch v.(type) {
	case *symbol, *alias:
		return true
	}
	return false
}

// scope has the identifiers that one form binds. The outermost has an environment instead.
type scope struct {
	parent   *scope
	env      *environment
	ids      []Value
	bindings []binding
}

func (sc *scope) inner() *scope { return &scope{parent: sc} }

func (sc *scope) bind(id Value, b binding) {
	for i, known := range sc.ids {
		if known == id {
			sc.bindings[i] = b
			return
		}
	}
	sc.ids, sc.bindings = append(sc.ids, id), append(sc.bindings, b)
}

// own returns the binding of an identifier in this scope alone.
func (sc *scope) own(id Value) binding {
	for i, known := range sc.ids {
		if known == id {
			return sc.bindings[i]
		}
	}
	return nil
}

func (sc *scope) root() *environment {
	for sc.parent != nil {
		sc = sc.parent
	}
	return sc.env
}

// lookup returns the meaning of an identifier. One that is bound nowhere is a global without a value.
func (sc *scope) lookup(id Value) binding {
	for {
		s := sc
		for ; s.parent != nil; s = s.parent {
			if b := s.own(id); b != nil {
				return b
			}
		}
		switch v := id.(type) {
		case *alias:
			id, sc = v.id, v.scope
		case *symbol:
			return s.env.lookup(v)
		}
	}
}

// isKeyword reports whether an identifier means the auxiliary keyword of a name. A name without any binding does too.
func (sc *scope) isKeyword(id Value, name string) bool {
	if !isIdentifier(id) || symbolOf(id).name != name {
		return false
	}
	switch b := sc.lookup(id).(type) {
	case *special:
		return b.name == name
	case *global:
		return b.v == nil
	}
	return false
}

// sameMeaning reports whether two identifiers mean the same, each in its scope.
func sameMeaning(a Value, in *scope, b Value, use *scope) bool {
	x, y := in.lookup(a), use.lookup(b)
	if x == y {
		return true
	}
	g, ok := x.(*global)
	h, ok2 := y.(*global)
	return ok && ok2 && g.v == nil && h.v == nil && g.name == h.name
}

// strip replaces the aliases in a datum by their symbols. A datum without any stays the same object.
func strip(v Value) Value {
	return stripSeen(v, map[Value]Value{})
}

func stripSeen(v Value, seen map[Value]Value) Value {
	switch v := v.(type) {
	case *alias:
		return v.symbol()
	case *pair:
		return stripList(v, seen)
	case *vector:
		if done, ok := seen[v]; ok {
			return done
		}
		seen[v] = v
		for i, item := range v.items {
			if s := stripSeen(item, seen); s != item {
				if seen[v] == Value(v) {
					seen[v] = &vector{append([]Value(nil), v.items...)}
				}
				seen[v].(*vector).items[i] = s
			}
		}
		return seen[v]
	}
	return v
}

// stripList strips the elements of a list from the first to the last, and then copies the part that changed.
func stripList(v *pair, seen map[Value]Value) Value {
	var cells []*pair
	var tail Value = v
	for {
		p, ok := tail.(*pair)
		if !ok {
			tail = stripSeen(tail, seen)
			break
		}
		if done, ok := seen[p]; ok {
			tail = done
			break
		}
		seen[p] = p
		cells = append(cells, p)
		tail = p.cdr
	}
	for i := len(cells) - 1; i >= 0; i-- {
		p := cells[i]
		if car := stripSeen(p.car, seen); car != p.car || tail != p.cdr {
			seen[p] = &pair{car, tail}
		}
		tail = seen[p]
	}
	return tail
}

// environment has the bindings of programs at their outermost level.
type environment struct {
	table map[*symbol]binding
	owned map[*symbol]bool // the globals that are not those of a library
}

// global is a variable at the outermost level. Its value is nil while it has none.
type global struct {
	name   *symbol
	v      Value
	inline op   // the instruction of the primitive that it still is
	user   bool // defined by a program
}

func newEnvironment() *environment {
	return &environment{table: map[*symbol]binding{}, owned: map[*symbol]bool{}}
}

func (e *environment) scope() *scope { return &scope{env: e} }

func (e *environment) lookup(s *symbol) binding {
	if b, ok := e.table[s]; ok {
		return b
	}
	g := &global{name: s}
	e.table[s], e.owned[s] = g, true
	return g
}

// define returns the global of a name for a definition. What a library or a keyword had there is not changed.
func (e *environment) define(s *symbol) *global {
	if g, ok := e.table[s].(*global); ok && e.owned[s] {
		return g
	}
	g := &global{name: s}
	e.table[s], e.owned[s] = g, true
	return g
}

// take binds a name to what a library exports. A global that was only mentioned so far becomes that of the library.
func (e *environment) take(s *symbol, b binding) {
	e.table[s], e.owned[s] = b, false
}

// takeValue binds a name to a variable of its own with the value of a built-in one, so that code that is compiled
// already sees a later definition of the name.
func (e *environment) takeValue(s *symbol, g *global) {
	own, ok := e.table[s].(*global)
	if !ok || !e.owned[s] {
		own = &global{name: s}
		e.table[s], e.owned[s] = own, true
	}
	own.v, own.inline, own.user = g.v, g.inline, false
}
