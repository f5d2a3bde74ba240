package scheme

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Candidate is a name that completes a prefix.
type Candidate struct {
	Text string
	Kind string // function, variable or keyword
	Type string // how it is called, or the type of the value
}

// Complete returns the names of the program that begin with what stands before a cursor, which counts UTF-16 units, and
// where that begins. Names that a program has defined come first.
func (in *Interp) Complete(source string, cursor int) (start, end int, all []Candidate) {
	units := utf16.Encode([]rune(source))
	end = min(max(cursor, 0), len(units))
	start = end
	for start > 0 && !isDelimiter(rune(units[start-1])) && units[start-1] != '#' {
		start--
	}
	prefix := string(utf16.Decode(units[start:end]))
	if prefix == "" {
		return start, end, nil
	}
	var own []Candidate
	for name, b := range in.user.table {
		c, user, ok := candidate(name, b)
		switch {
		case !ok || !strings.HasPrefix(name.name, prefix) || !isPlain(name.name):
		case user:
			own = append(own, c)
		default:
			all = append(all, c)
		}
	}
	byText := func(a, b Candidate) int { return strings.Compare(a.Text, b.Text) }
	slices.SortFunc(own, byText)
	slices.SortFunc(all, byText)
	return start, end, append(own, all...)
}

func candidate(name *symbol, b binding) (c Candidate, user, ok bool) {
	c.Text = name.name
	switch b := b.(type) {
	case *global:
		if b.v == nil {
			return c, false, false
		}
		c.Kind, c.Type = "variable", typeName(b.v)
		if isProcedure(b.v) {
			c.Kind, c.Type = "function", signature(name.name, b.v)
		}
		return c, b.user, true
	case *macro:
		c.Kind = "keyword"
		return c, true, true
	case *special:
		c.Kind = "keyword"
		return c, false, true
	}
	return c, false, false
}

// Inspect describes the name around a cursor, or that of the call in whose arguments the cursor is: as it is called, and
// its documentation or its value. It reports false for an unknown name.
func (in *Interp) Inspect(source string, cursor int) (sig, text string, found bool) {
	units := utf16.Encode([]rune(source))
	cursor = min(max(cursor, 0), len(units))
	start, end := cursor, cursor
	for start > 0 && !isDelimiter(rune(units[start-1])) {
		start--
	}
	for end < len(units) && !isDelimiter(rune(units[end])) {
		end++
	}
	if sig, text, found = in.describeName(string(utf16.Decode(units[start:end]))); found {
		return sig, text, true
	}
	depth := 0
	for i := cursor - 1; i >= 0; i-- {
		switch units[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth < 0 {
				end := i + 1
				for end < len(units) && !isDelimiter(rune(units[end])) {
					end++
				}
				return in.describeName(string(utf16.Decode(units[i+1 : end])))
			}
		}
	}
	return "", "", false
}

func (in *Interp) describeName(text string) (sig, doc string, found bool) {
	name, ok := in.symbols[text]
	if !ok {
		return "", "", false
	}
	c, _, ok := candidate(name, in.user.table[name])
	if !ok {
		return "", "", false
	}
	g, ok := in.user.table[name].(*global)
	if !ok {
		return "", "a keyword", true
	}
	if f, ok := g.v.(*closure); ok && f.code.doc != "" {
		return c.Type, f.code.doc, true
	}
	if c.Kind == "function" {
		return c.Type, "a procedure", true
	}
	return "", "a " + typeName(g.v) + ": " + brief(g.v, 200), true
}

// signature writes a procedure as it is called.
func signature(name string, v Value) string {
	count := func(least int, more bool) string {
		s := "(" + name
		for i := range least {
			s += " " + string(rune('a'+i%26))
		}
		if more {
			s += " …"
		}
		return s + ")"
	}
	switch p := v.(type) {
	case *closure:
		return "(" + strings.Join(append([]string{name}, p.code.parameters()...), " ") + ")"
	case *prim:
		return count(p.min, p.max != p.min)
	case *caseProc:
		return count(p.clauses[0].code.params, true)
	case *continuation:
		return count(0, true)
	}
	return count(0, false)
}

// parameters returns the names of the parameters; the last of several is after a point if it takes the rest.
func (c *code) parameters() []string {
	names := slices.Clone(c.names)
	if c.rest {
		names = append(names[:len(names)-1], ".", names[len(names)-1])
	}
	return names
}

// Variable describes a global of a program.
type Variable struct {
	Name, Type, Shape, Preview string
}

// Variables returns what programs have defined, without procedures and macros, sorted by name.
func (in *Interp) Variables() []Variable {
	var all []Variable
	for name, b := range in.user.table {
		g, ok := b.(*global)
		if !ok || !g.user || g.v == nil || isProcedure(g.v) {
			continue
		}
		if _, isType := g.v.(*recordType); isType {
			continue
		}
		all = append(all, Variable{name.name, typeName(g.v), shape(g.v), brief(g.v, 100)})
	}
	slices.SortFunc(all, func(a, b Variable) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func shape(v Value) string {
	n := -1
	switch v := v.(type) {
	case *pair:
		if length, ok := listLength(v); ok {
			n = length
		}
	case *vector:
		n = len(v.items)
	case *bytevector:
		return strconv.Itoa(len(v.bytes)) + " bytes"
	case *str:
		return strconv.Itoa(len(v.runes)) + " characters"
	}
	if n < 0 {
		return ""
	}
	return strconv.Itoa(n) + " items"
}
