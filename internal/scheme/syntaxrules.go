package scheme

// macro is a transformer by syntax-rules.
type macro struct {
	name     string
	ellipsis Value
	literals []Value
	rules    []rule
	scope    *scope // where it is defined
	at       place
}

type rule struct{ pattern, template part }

// match is what a variable of a pattern stands for: a datum, or one match for each datum that an ellipsis takes.
type match struct {
	part  part
	many  []match
	depth int // the number of ellipses that follow the variable
}

// expandTransformer reads a (syntax-rules …) form.
func (x *expander) transformer(p part, name string, sc *scope) *macro {
	form, ok := p.v.(*pair)
	if ok {
		switch b := x.headBinding(form, sc).(type) {
		case *special:
			if b.name == "syntax-rules" {
				return x.syntaxRules(p, name, sc)
			}
		case *macro:
			return x.transformer(x.transcribe(b, p, sc), name, sc)
		}
	}
	if isIdentifier(p.v) {
		if m, ok := sc.lookup(p.v).(*macro); ok {
			return m
		}
	}
	x.fail(p.at, "a macro is defined by (syntax-rules (LITERAL …) (PATTERN TEMPLATE) …)")
	return nil
}

func (x *expander) syntaxRules(p part, name string, sc *scope) *macro {
	form, ok := x.list(p)
	m := &macro{name: name, ellipsis: x.in.intern("..."), scope: sc, at: place{x.src, p.at}}
	if ok && len(form) > 2 && isIdentifier(form[1].v) {
		m.ellipsis = form[1].v
		form = form[1:]
	}
	if !ok || len(form) < 2 {
		x.fail(p.at, "syntax-rules: the form is (syntax-rules (LITERAL …) (PATTERN TEMPLATE) …)")
		return nil
	}
	literals, ok := x.list(form[1])
	if !ok {
		x.fail(form[1].at, "syntax-rules: the literals are a list")
		return nil
	}
	for _, l := range literals {
		if !isIdentifier(l.v) {
			x.fail(l.at, "syntax-rules: a literal is an identifier")
			return nil
		}
		m.literals = append(m.literals, l.v)
	}
	for _, r := range form[2:] {
		parts, ok := x.list(r)
		if !ok || len(parts) != 2 {
			x.fail(r.at, "syntax-rules: a rule is (PATTERN TEMPLATE)")
			return nil
		}
		if _, ok := parts[0].v.(*pair); !ok {
			x.fail(r.at, "syntax-rules: a pattern is (NAME PATTERN …)")
			return nil
		}
		if !m.isPattern(parts[0].v.(*pair).cdr, map[Value]bool{}, 0) {
			x.fail(parts[0].at, "syntax-rules: the pattern has a variable twice, two ellipses in a list, or an ellipsis at its beginning")
			return nil
		}
		m.rules = append(m.rules, rule{parts[0], parts[1]})
	}
	return m
}

func (m *macro) isLiteral(id Value) bool {
	for _, l := range m.literals {
		if l == id {
			return true
		}
	}
	return false
}

func (m *macro) isEllipsis(v Value) bool {
	if !isIdentifier(v) || m.isLiteral(v) {
		return false
	}
	if s, ok := m.ellipsis.(*symbol); ok && s.name == "..." {
		return symbolOf(v) == s
	}
	return v == m.ellipsis
}

// isPattern checks a pattern, and adds its variables to seen.
func (m *macro) isPattern(v Value, seen map[Value]bool, depth int) bool {
	if depth > maxNesting {
		return false
	}
	switch v := v.(type) {
	case *symbol, *alias:
		if m.isLiteral(v) || symbolOf(v).name == "_" {
			return true
		}
		if m.isEllipsis(v) || seen[v] {
			return false
		}
		seen[v] = true
	case *vector:
		return m.isPattern(list(v.items...), seen, depth+1)
	case *pair:
		ellipses := 0
		var rest Value = v
		for n := 0; ; n++ {
			p, ok := rest.(*pair)
			if !ok {
				return ellipses <= 1 && m.isPattern(rest, seen, depth+1)
			}
			switch {
			case n > maxExpansion:
				return false
			case m.isEllipsis(p.car):
				if ellipses++; n == 0 {
					return false
				}
			case !m.isPattern(p.car, seen, depth+1):
				return false
			}
			rest = p.cdr
		}
	}
	return true
}

// matcher matches the rules of a macro with one of its uses.
type matcher struct {
	x     *expander
	m     *macro
	use   *scope
	found map[Value]match
}

// transcribe expands one use of a macro.
func (x *expander) transcribe(m *macro, use part, sc *scope) part {
	if x.err == nil {
		x.err = x.in.machine.spend(1)
	}
	for _, r := range m.rules {
		t := &matcher{x, m, sc, map[Value]match{}}
		if t.match(part{r.pattern.v.(*pair).cdr, use.at}, part{use.v.(*pair).cdr, use.at}) {
			in := &template{x: x, m: m, found: t.found, renamed: map[Value]*alias{}, at: use.at}
			v := in.fill(r.template.v, false)
			return part{v.v, use.at}
		}
		if x.err != nil {
			break
		}
	}
	x.fail(use.at, "no rule of the macro %s matches %s", m.name, brief(strip(use.v), 200))
	return part{unspecified{}, use.at}
}

func (t *matcher) match(pattern, input part) bool {
	switch p := pattern.v.(type) {
	case *symbol, *alias:
		if t.m.isLiteral(p) {
			return isIdentifier(input.v) && sameMeaning(p, t.m.scope, input.v, t.use)
		}
		if symbolOf(p).name != "_" {
			t.found[p] = match{part: input}
		}
		return true
	case *pair:
		return t.matchList(p, input)
	case *vector:
		v, ok := input.v.(*vector)
		return ok && t.match(part{list(p.items...), pattern.at}, part{list(v.items...), input.at})
	}
	return equal(pattern.v, strip(input.v))
}

// matchList matches a list, with at most one ellipsis in it.
func (t *matcher) matchList(p *pair, input part) bool {
	for {
		if next, ok := p.cdr.(*pair); ok && t.m.isEllipsis(next.car) {
			return t.matchMany(p.car, next.cdr, input)
		}
		in, ok := input.v.(*pair)
		if !ok || !t.match(part{p.car, input.at}, t.x.head(in, input.at)) {
			return false
		}
		input.v = in.cdr
		next, ok := p.cdr.(*pair)
		if !ok {
			return t.match(part{p.cdr, input.at}, input)
		}
		p = next
	}
}

// matchMany matches a pattern with as many data as leave enough for the patterns after its ellipsis.
func (t *matcher) matchMany(pattern, after Value, input part) bool {
	least := pairsIn(after)
	available := pairsIn(input.v)
	if available < least || available > maxExpansion {
		return false
	}
	if err := t.x.in.machine.spend(available); err != nil {
		t.x.err = err
		return false
	}
	if isIdentifier(pattern) && !t.m.isLiteral(pattern) {
		input = t.matchVariable(pattern, available-least, input)
		return t.matchAfter(after, input)
	}
	var all []map[Value]match
	for range available - least {
		in := input.v.(*pair)
		one := &matcher{t.x, t.m, t.use, map[Value]match{}}
		if !one.match(part{pattern, input.at}, t.x.head(in, input.at)) {
			return false
		}
		all = append(all, one.found)
		input.v = in.cdr
	}
	vars := map[Value]bool{}
	t.m.isPattern(pattern, vars, 0)
	for v := range vars {
		m := match{many: make([]match, 0, len(all)), depth: 1}
		for _, one := range all {
			m.many = append(m.many, one[v])
		}
		t.found[v] = m
	}
	return t.matchAfter(after, input)
}

func (t *matcher) matchAfter(after Value, input part) bool {
	if rest, ok := after.(*pair); ok {
		return t.matchList(rest, input)
	}
	return t.match(part{after, input.at}, input)
}

// matchVariable matches a variable with a number of data, and returns what is left of the input.
func (t *matcher) matchVariable(v Value, n int, input part) part {
	m := match{many: make([]match, 0, n), depth: 1}
	for range n {
		in := input.v.(*pair)
		m.many = append(m.many, match{part: t.x.head(in, input.at)})
		input.v = in.cdr
	}
	if symbolOf(v).name != "_" {
		t.found[v] = m
	}
	return input
}

// pairsIn returns the number of pairs in a list, which may be improper; a circular one has more than any bound.
func pairsIn(v Value) int {
	n := 0
	for p, ok := v.(*pair); ok && n <= maxExpansion; p, ok = p.cdr.(*pair) {
		n++
	}
	return n
}

// template fills the template of a rule with what the pattern has matched.
type template struct {
	x       *expander
	m       *macro
	found   map[Value]match
	renamed map[Value]*alias
	at      pos
	depth   int
}

// fill returns the template with its variables replaced and its other identifiers renamed. In an escaped part, an
// ellipsis has no meaning.
func (t *template) fill(v Value, escaped bool) part {
	if t.depth++; t.depth > maxNesting {
		t.x.fail(t.at, "the template of the macro %s nests too deeply", t.m.name)
	}
	defer func() { t.depth-- }()
	if t.x.size++; t.x.size > maxExpansion {
		t.x.fail(t.at, "the macro %s expands to too much", t.m.name)
	}
	if t.x.err != nil {
		return part{unspecified{}, t.at}
	}
	switch v := v.(type) {
	case *symbol, *alias:
		return t.identifier(v, escaped)
	case *pair:
		if next, ok := v.cdr.(*pair); ok && !escaped && t.m.isEllipsis(v.car) {
			return t.fill(next.car, true)
		}
		return t.list(v, escaped)
	case *vector:
		all, _ := items(t.fill(list(v.items...), escaped).v)
		return part{&vector{all}, t.at}
	}
	return part{v, t.at}
}

func (t *template) identifier(id Value, escaped bool) part {
	if m, ok := t.found[id]; ok {
		if m.many != nil || m.depth > 0 {
			t.x.fail(t.at, "the macro %s uses %s without its ellipsis", t.m.name, symbolOf(id).name)
		}
		return m.part
	}
	if !escaped && t.m.isEllipsis(id) {
		t.x.fail(t.at, "the template of the macro %s has an ellipsis after nothing", t.m.name)
	}
	a, ok := t.renamed[id]
	if !ok {
		a = &alias{id, t.m.scope}
		t.renamed[id] = a
	}
	return part{a, t.at}
}

func (t *template) list(v *pair, escaped bool) part {
	var parts []part
	var rest Value = v
	for t.x.err == nil {
		p, ok := rest.(*pair)
		if !ok {
			break
		}
		rest = p.cdr
		depth := 0
		for next, ok := rest.(*pair); ok && !escaped && t.m.isEllipsis(next.car); next, ok = rest.(*pair) {
			depth++
			rest = next.cdr
		}
		if depth == 0 {
			parts = append(parts, t.fill(p.car, escaped))
		} else {
			parts = append(parts, t.repeat(p.car, depth)...)
		}
	}
	var tail Value = empty{}
	if rest != tail {
		tail = t.fill(rest, escaped).v
	}
	for i := len(parts) - 1; i >= 0; i-- {
		p := &pair{parts[i].v, tail}
		if t.x.spans != nil && parts[i].at != t.at {
			t.x.spans[p] = span{list: t.at, car: parts[i].at}
		}
		tail = p
	}
	return part{tail, t.at}
}

// repeat fills a part once for each datum that its variables have, for each of the ellipses after it.
func (t *template) repeat(v Value, depth int) []part {
	vars := map[Value]bool{}
	t.variables(v, vars)
	count := -1
	for id := range vars {
		m := t.found[id]
		switch {
		case m.depth == 0:
			delete(vars, id)
		case count >= 0 && len(m.many) != count:
			t.x.fail(t.at, "the macro %s repeats %s beside a variable of another length", t.m.name, symbolOf(id).name)
			return nil
		default:
			count = len(m.many)
		}
	}
	if count < 0 {
		t.x.fail(t.at, "the template of the macro %s has an ellipsis after a part without a variable to repeat", t.m.name)
		return nil
	}
	var parts []part
	if m, ok := t.found[v]; ok && depth == 1 && (count == 0 || m.many[0].depth == 0) { // the usual case, without a copy of all
		if t.x.size += count; t.x.size > maxExpansion {
			t.x.fail(t.at, "the macro %s expands to too much", t.m.name)
		}
		for _, one := range m.many {
			parts = append(parts, one.part)
		}
		return parts
	}
	for i := range count {
		one := &template{x: t.x, m: t.m, found: map[Value]match{}, renamed: t.renamed, at: t.at, depth: t.depth}
		for id, m := range t.found {
			if vars[id] {
				m = m.many[i]
			}
			one.found[id] = m
		}
		if depth > 1 {
			parts = append(parts, one.repeat(v, depth-1)...)
		} else {
			parts = append(parts, one.fill(v, false))
		}
		if t.x.err != nil {
			return nil
		}
	}
	return parts
}

// variables adds the variables of the pattern that a part of the template has.
func (t *template) variables(v Value, vars map[Value]bool) {
	for {
		switch p := v.(type) {
		case *symbol, *alias:
			if _, ok := t.found[p]; ok {
				vars[p] = true
			}
			return
		case *vector:
			for _, item := range p.items {
				t.variables(item, vars)
			}
			return
		case *pair:
			t.variables(p.car, vars)
			v = p.cdr
		default:
			return
		}
	}
}
