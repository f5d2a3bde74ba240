package scheme

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// maxText bounds the text of one datum: data that share parts can be exponentially longer as a text.
const maxText = 16 << 20

// The labels that a printer writes.
type labelling int

const (
	noLabels labelling = iota
	cycleLabels
	sharedLabels
)

// printer writes one datum.
type printer struct {
	b       strings.Builder
	display bool // strings and characters as themselves
	labels  map[Value]int
	next    int // the next label
	max     int
	depth   int
	err     error
}

// written returns the text of a datum, as write or, with display, as display does.
func written(v Value, display bool, l labelling) (string, error) {
	p := printer{display: display, max: maxText}
	p.labels = labelsOf(v, l)
	p.print(v)
	return p.b.String(), p.err
}

// brief returns the beginning of the text of a datum, for messages.
func brief(v Value, max int) string {
	p := printer{max: max}
	p.print(v)
	text := []rune(p.b.String())
	if len(text) > max {
		return string(text[:max]) + "…"
	}
	return string(text)
}

func (p *printer) print(v Value) {
	if p.depth++; p.depth > maxNesting && p.err == nil {
		p.err = fault(kindNesting, "the datum nests deeper than %d levels", maxNesting)
	}
	defer func() { p.depth-- }()
	if p.b.Len() > p.max && p.err == nil {
		p.err = &limit{kindMemory, "the text of a datum is longer than " + strconv.Itoa(p.max) + " bytes"}
	}
	if p.err != nil || p.label(v) {
		return
	}
	switch v := v.(type) {
	case bool:
		if v {
			p.b.WriteString("#t")
		} else {
			p.b.WriteString("#f")
		}
	case empty:
		p.b.WriteString("()")
	case char:
		p.char(rune(v))
	case *str:
		if p.display {
			p.b.WriteString(v.String())
		} else {
			p.quoted(v.runes, '"')
		}
	case *symbol:
		p.symbol(v.name)
	case *pair:
		p.pair(v)
	case *vector:
		p.b.WriteByte('#')
		p.sequence(v.items)
	case *bytevector:
		p.bytes(v.bytes)
	default:
		if isNumber(v) {
			p.b.WriteString(formatNumber(v, 10))
		} else {
			p.object(v)
		}
	}
}

// label writes the label of a datum that has one, and reports whether that stands for the datum.
func (p *printer) label(v Value) bool {
	switch v.(type) {
	case *pair, *vector, *record:
	default:
		return false
	}
	n, ok := p.labels[v]
	if !ok {
		return false
	}
	if n >= 0 {
		fmt.Fprintf(&p.b, "#%d#", n)
		return true
	}
	p.labels[v] = p.next
	fmt.Fprintf(&p.b, "#%d=", p.next)
	p.next++
	return false
}

// abbreviations of lists of two elements.
func abbreviation(v *pair) string {
	s, ok := v.car.(*symbol)
	if !ok {
		return ""
	}
	rest, ok := v.cdr.(*pair)
	if !ok || rest.cdr != Value(empty{}) {
		return ""
	}
	switch s.name {
	case "quote":
		return "'"
	case "quasiquote":
		return "`"
	case "unquote":
		return ","
	case "unquote-splicing":
		return ",@"
	}
	return ""
}

func (p *printer) pair(v *pair) {
	if short := abbreviation(v); short != "" {
		if _, shared := p.labels[v.cdr]; !shared {
			p.b.WriteString(short)
			quoted := v.cdr.(*pair).car
			if s, ok := quoted.(*symbol); ok && short == "," && strings.HasPrefix(s.name, "@") {
				p.b.WriteByte(' ') // it would be another abbreviation
			}
			p.print(quoted)
			return
		}
	}
	p.b.WriteByte('(')
	p.print(v.car)
	for rest := v.cdr; p.err == nil; {
		next, ok := rest.(*pair)
		if _, labelled := p.labels[rest]; ok && !labelled {
			p.b.WriteByte(' ')
			p.print(next.car)
			rest = next.cdr
			continue
		}
		if rest != Value(empty{}) {
			p.b.WriteString(" . ")
			p.print(rest)
		}
		break
	}
	p.b.WriteByte(')')
}

func (p *printer) sequence(items []Value) {
	p.b.WriteByte('(')
	for i, v := range items {
		if i > 0 {
			p.b.WriteByte(' ')
		}
		if p.print(v); p.err != nil {
			return
		}
	}
	p.b.WriteByte(')')
}

func (p *printer) bytes(bytes []byte) {
	p.b.WriteString("#u8(")
	for i, c := range bytes {
		if i > 0 {
			p.b.WriteByte(' ')
		}
		p.b.WriteString(strconv.Itoa(int(c)))
		if p.b.Len() > p.max {
			return
		}
	}
	p.b.WriteByte(')')
}

func (p *printer) char(c rune) {
	if p.display {
		p.b.WriteRune(c)
		return
	}
	p.b.WriteString("#\\")
	for _, known := range charNames {
		if known.c == c {
			p.b.WriteString(known.name)
			return
		}
	}
	if !unicode.IsPrint(c) {
		fmt.Fprintf(&p.b, "x%x", c)
		return
	}
	p.b.WriteRune(c)
}

// quoted writes a string or a symbol between delimiters.
func (p *printer) quoted(runes []rune, delimiter rune) {
	p.b.WriteRune(delimiter)
	for _, c := range runes {
		switch {
		case c == delimiter || c == '\\':
			p.b.WriteByte('\\')
			p.b.WriteRune(c)
		case c == '\n':
			p.b.WriteString(`\n`)
		case c == '\t':
			p.b.WriteString(`\t`)
		case c == '\r':
			p.b.WriteString(`\r`)
		case c == 7:
			p.b.WriteString(`\a`)
		case c == 8:
			p.b.WriteString(`\b`)
		case !unicode.IsPrint(c):
			fmt.Fprintf(&p.b, `\x%x;`, c)
		default:
			p.b.WriteRune(c)
		}
		if p.b.Len() > p.max {
			return
		}
	}
	p.b.WriteRune(delimiter)
}

func (p *printer) symbol(name string) {
	if p.display || isPlain(name) {
		p.b.WriteString(name)
		return
	}
	p.quoted([]rune(name), '|')
}

// isPlain reports whether the reader reads a name, without bars, as the symbol.
func isPlain(name string) bool {
	if name == "" || name == "." || name[0] == '#' {
		return false
	}
	for _, c := range name {
		if isDelimiter(c) || c == '|' || c == '\\' || !unicode.IsPrint(c) {
			return false
		}
	}
	if len(name) >= 6 {
		switch strings.ToLower(name[:6]) { // a number by its beginning, to some readers
		case "+inf.0", "-inf.0", "+nan.0", "-nan.0":
			return false
		}
	}
	_, number, err := parseNumber(name, 10)
	return !number && err == nil
}

// object writes what has no syntax.
func (p *printer) object(v Value) {
	switch v := v.(type) {
	case unspecified, unassigned:
		p.b.WriteString("#<unspecified>")
	case eof:
		p.b.WriteString("#<eof>")
	case *multi:
		for i, v := range v.values {
			if i > 0 {
				p.b.WriteByte('\n')
			}
			p.print(v)
		}
	case *record:
		p.b.WriteString("#<" + strings.Trim(v.kind.name, "<>"))
		for i, f := range v.fields {
			p.b.WriteString(" " + v.kind.fields[i].name + ": ")
			p.print(f)
		}
		p.b.WriteByte('>')
	case *condition:
		p.b.WriteString("#<" + v.kind + " ")
		p.quoted([]rune(v.message), '"')
		for _, irritant := range v.irritants {
			p.b.WriteByte(' ')
			p.print(irritant)
		}
		p.b.WriteByte('>')
	case *alias:
		p.symbol(v.symbol().name)
	default:
		p.b.WriteString("#<" + typeName(v))
		if name := procedureName(v); name != "" {
			p.b.WriteString(" " + name)
		}
		p.b.WriteByte('>')
	}
}

func procedureName(v Value) string {
	switch v := v.(type) {
	case *closure:
		return v.code.name
	case *caseProc:
		return v.clauses[0].code.name
	case *prim:
		return v.name
	case *recordType:
		return strings.Trim(v.name, "<>")
	}
	return ""
}

// labelsOf returns the parts of a datum that a printer labels, each with -1 for no number yet.
func labelsOf(v Value, l labelling) map[Value]int {
	if l == noLabels || l == cycleLabels && isSmallTree(v) {
		return nil
	}
	s := scan{path: map[Value]bool{}, labels: map[Value]int{}, l: l}
	s.visit(v)
	return s.labels
}

// isSmallTree reports whether a datum ends within some thousand steps, which one with a cycle does not.
func isSmallTree(v Value) bool {
	todo := []Value{v}
	for steps := 0; len(todo) > 0; steps++ {
		if steps == 5000 {
			return false
		}
		last := len(todo) - 1
		v, todo = todo[last], todo[:last]
		todo = append(todo, partsOf(v)...)
	}
	return true
}

func partsOf(v Value) []Value {
	switch v := v.(type) {
	case *pair:
		return []Value{v.car, v.cdr}
	case *vector:
		return v.items
	case *record:
		return v.fields
	}
	return nil
}

// scan finds the parts of a datum that are reached twice.
type scan struct {
	path   map[Value]bool // whether a part is still being visited; visited parts are false
	labels map[Value]int
	l      labelling
}

// step is a part to visit, or the end of its visit.
type step struct {
	v   Value
	end bool
}

func (s *scan) visit(v Value) {
	for todo := []step{{v, false}}; len(todo) > 0; {
		last := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if last.end {
			s.path[last.v] = false
			continue
		}
		parts := partsOf(last.v)
		if parts == nil {
			continue
		}
		open, seen := s.path[last.v]
		if open || seen && s.l == sharedLabels {
			s.labels[last.v] = -1
		}
		if seen {
			continue
		}
		s.path[last.v] = true
		todo = append(todo, step{last.v, true})
		for i := len(parts) - 1; i >= 0; i-- {
			todo = append(todo, step{parts[i], false})
		}
	}
}
