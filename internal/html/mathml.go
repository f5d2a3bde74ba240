package html

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a converted formula; a larger one is shown as source.
const (
	maxFormula = 20_000 // bytes
	maxNesting = 100
)

// mathML converts a formula in LaTeX to MathML; ok is false for unsupported input. The result has
// only elements of MathML and text.
func mathML(tex string, display bool) (string, bool) {
	p := &tex2ml{s: tex}
	if len(tex) > maxFormula {
		return "", false
	}
	body := p.row("")
	if p.failed || p.at < len(p.s) {
		return "", false
	}
	attribute := ""
	if display {
		attribute = ` display="block"`
	}
	return "<math" + attribute + "><semantics>" + body + `<annotation encoding="application/x-tex">` + html.EscapeString(tex) + "</annotation></semantics></math>", true
}

// tex2ml parses a formula.
type tex2ml struct {
	s       string
	at      int
	nesting int
	failed  bool
}

// row parses up to an end, which is a closing brace, a command such as \right, or the end of a
// table cell, and does not consume it.
func (p *tex2ml) row(end string) string {
	var b strings.Builder
	for !p.failed {
		p.space()
		if p.at >= len(p.s) || p.atEnd(end) {
			break
		}
		b.WriteString(p.scripted())
	}
	return "<mrow>" + b.String() + "</mrow>"
}

// atEnd reports whether a row ends here.
func (p *tex2ml) atEnd(end string) bool {
	rest := p.s[p.at:]
	switch {
	case end == "cell":
		return rest[0] == '&' || strings.HasPrefix(rest, `\\`) || strings.HasPrefix(rest, `\end`) || strings.HasPrefix(rest, `\cr`) && !letterAt(rest, 3)
	case end == `\right`:
		return strings.HasPrefix(rest, end) && !letterAt(rest, len(end))
	}
	return end != "" && strings.HasPrefix(rest, end)
}

func letterAt(s string, at int) bool { return at < len(s) && isTeXLetter(s[at]) }

func isTeXLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// space skips input without a visible effect.
func (p *tex2ml) space() {
	for p.at < len(p.s) {
		switch p.s[p.at] {
		case ' ', '\t', '\r', '\n':
			p.at++
		case '%':
			end := strings.IndexByte(p.s[p.at:], '\n')
			if end < 0 {
				p.at = len(p.s)
				return
			}
			p.at += end
		default:
			return
		}
	}
}

// scripted parses an atom with its subscript and superscript.
func (p *tex2ml) scripted() string {
	base, limits := p.atom()
	sub, sup := "", ""
	for !p.failed {
		p.space()
		switch {
		case sub == "" && p.accept("_"):
			sub = p.argument()
		case sup == "" && p.accept("^"):
			sup = p.argument()
		case p.at < len(p.s) && p.s[p.at] == '\'' && sup == "":
			n := len(p.s[p.at:]) - len(strings.TrimLeft(p.s[p.at:], "'"))
			p.at += n
			sup = "<mo>" + strings.Repeat("′", n) + "</mo>"
			p.space()
			if p.accept("^") {
				sup = "<mrow>" + sup + p.argument() + "</mrow>"
			}
		case p.command("limits"):
			limits = true
		case p.command("nolimits"):
			limits = false
		case p.at < len(p.s) && (p.s[p.at] == '_' || p.s[p.at] == '^'):
			p.failed = true // a repeated script
		default:
			return withScripts(base, sub, sup, limits)
		}
	}
	return ""
}

func withScripts(base, sub, sup string, limits bool) string {
	both, below, above := "msubsup", "msub", "msup"
	if limits {
		both, below, above = "munderover", "munder", "mover"
	}
	switch {
	case sub != "" && sup != "":
		return element(both, base, sub, sup)
	case sub != "":
		return element(below, base, sub)
	case sup != "":
		return element(above, base, sup)
	}
	return base
}

func element(name string, children ...string) string {
	return "<" + name + ">" + strings.Join(children, "") + "</" + name + ">"
}

// accept skips a text if it comes next.
func (p *tex2ml) accept(s string) bool {
	if strings.HasPrefix(p.s[p.at:], s) {
		p.at += len(s)
		return true
	}
	return false
}

// command skips a command if it comes next.
func (p *tex2ml) command(name string) bool {
	rest, ok := strings.CutPrefix(p.s[p.at:], `\`+name)
	if !ok || letterAt(rest, 0) {
		return false
	}
	p.at += 1 + len(name)
	return true
}

// argument parses a group or one atom.
func (p *tex2ml) argument() string {
	p.space()
	if p.at >= len(p.s) {
		p.failed = true
		return ""
	}
	if c := p.s[p.at]; c >= '0' && c <= '9' {
		p.at++
		return "<mn>" + string(c) + "</mn>"
	}
	if c := p.s[p.at]; c == '^' || c == '_' {
		p.failed = true
		return ""
	}
	base, _ := p.atom()
	return base
}

// words returns a group unparsed.
func (p *tex2ml) words() string {
	p.space()
	if !p.accept("{") {
		p.failed = true
		return ""
	}
	depth, start := 1, p.at
	for ; p.at < len(p.s); p.at++ {
		switch p.s[p.at] {
		case '\\':
			p.at++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				p.at++
				return p.s[start : p.at-1]
			}
		}
	}
	p.failed, p.at = true, len(p.s)
	return ""
}

// atom parses the smallest unit that can have scripts, and reports whether these are limits.
func (p *tex2ml) atom() (set string, limits bool) {
	if p.nesting++; p.nesting > maxNesting {
		p.failed = true
		return "", false
	}
	defer func() { p.nesting-- }()
	switch c := p.s[p.at]; {
	case c == '{':
		p.at++
		set = p.row("}")
		if !p.accept("}") {
			p.failed = true
		}
		return set, false
	case c == '\\':
		return p.commanded()
	case c >= '0' && c <= '9':
		n := len(p.s[p.at:]) - len(strings.TrimLeft(p.s[p.at:], "0123456789."))
		number := strings.TrimRight(p.s[p.at:p.at+n], ".")
		p.at += len(number)
		return "<mn>" + number + "</mn>", false
	case c == '}' || c == '&' || c == '#':
		p.failed = true
		return "", false
	case c == '^' || c == '_':
		return "<mrow></mrow>", false // scripts without a base
	case c == '~':
		p.at++
		return space("0.33em"), false
	}
	r, size := utf8.DecodeRuneInString(p.s[p.at:])
	p.at += size
	if unicode.IsLetter(r) {
		return "<mi>" + string(r) + "</mi>", false
	}
	if r == '-' {
		r = '−'
	}
	return operator(string(r)), false
}

func operator(s string) string {
	if s == "|" || s == "‖" || s == "(" || s == ")" || s == "[" || s == "]" {
		return `<mo stretchy="false">` + s + "</mo>"
	}
	return "<mo>" + html.EscapeString(s) + "</mo>"
}

func space(width string) string { return `<mspace width="` + width + `"/>` }

// name parses the name of a command after its backslash.
func (p *tex2ml) name() string {
	p.at++
	start := p.at
	for letterAt(p.s, p.at) {
		p.at++
	}
	if p.at == start && p.at < len(p.s) {
		_, size := utf8.DecodeRuneInString(p.s[p.at:])
		p.at += size
	}
	return p.s[start:p.at]
}

// commanded parses a command.
func (p *tex2ml) commanded() (set string, limits bool) {
	name := p.name()
	if s, ok := letters[name]; ok {
		return "<mi>" + s + "</mi>", false
	}
	if s, ok := operators[name]; ok {
		return operator(s), false
	}
	if s, ok := largeOperators[name]; ok {
		return `<mo movablelimits="true">` + s + "</mo>", !strings.HasSuffix(name, "int")
	}
	if strings.Contains(functions, " "+name+" ") {
		return "<mi>" + name + "</mi>", false
	}
	if strings.Contains(limitFunctions, " "+name+" ") {
		return `<mo movablelimits="true">` + name + "</mo>", true
	}
	if s, ok := spaces[name]; ok {
		if s == "" {
			return "", false
		}
		return space(s), false
	}
	if s, ok := accents[name]; ok {
		return `<mover accent="true">` + p.argument() + "<mo>" + s + "</mo></mover>", false
	}
	if a, ok := alphabets[name]; ok {
		return p.inAlphabet(a), false
	}
	return p.built(name)
}

// built parses a command with arguments.
func (p *tex2ml) built(name string) (set string, limits bool) {
	switch name {
	case "frac", "dfrac", "tfrac", "cfrac":
		return element("mfrac", p.argument(), p.argument()), false
	case "binom", "dbinom", "tbinom":
		return "<mrow><mo>(</mo><mfrac linethickness=\"0\">" + p.argument() + p.argument() + "</mfrac><mo>)</mo></mrow>", false
	case "sqrt":
		return p.root(), false
	case "text", "textrm", "mbox", "textnormal", "textbf", "textit", "texttt", "textsf":
		return "<mtext>" + texText(p.words()) + "</mtext>", false
	case "mathrm", "operatorname", "rm":
		large := p.accept("*")
		s := html.EscapeString(strings.NewReplacer(`\,`, " ", `\ `, " ").Replace(p.words()))
		if strings.ContainsAny(s, `\^_{}`) {
			p.failed = true
		}
		return `<mi mathvariant="normal">` + s + "</mi>", large
	case "left":
		return p.fenced(), false
	case "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr", "Biggl", "Biggr", "middle", "bigm":
		return "<mo>" + p.delimiter() + "</mo>", false
	case "begin":
		return p.environment(), false
	case "overset", "stackrel":
		above := p.argument()
		return element("mover", p.argument(), above), false
	case "underset":
		below := p.argument()
		return element("munder", p.argument(), below), false
	case "underline":
		return "<munder>" + p.argument() + "<mo>_</mo></munder>", false
	case "underbrace":
		return "<munder>" + p.argument() + "<mo>⏟</mo></munder>", true
	case "overbrace":
		return "<mover>" + p.argument() + "<mo>⏞</mo></mover>", true
	case "not":
		return p.negated(), false
	case "pmod":
		return "<mrow>" + space("1em") + "<mo>(</mo><mi>mod</mi>" + space("0.33em") + p.argument() + "<mo>)</mo></mrow>", false
	case "textcolor", "color":
		p.words()
		if name == "color" {
			return "", false
		}
		return p.argument(), false
	case "boxed", "mathop", "mathrel", "mathbin", "mathord", "ensuremath":
		return p.argument(), name == "mathop"
	case "label":
		p.words()
		return "", false
	case "tag":
		return space("2em") + "<mtext>(" + texText(p.words()) + ")</mtext>", false
	}
	p.failed = true
	return "", false
}

// texText returns the content of \text.
func texText(s string) string {
	s = strings.NewReplacer("~", "\u00a0", `\ `, "\u00a0", "$", "", `\%`, "%", `\_`, "_", `\&`, "&", `\#`, "#", `\$`, "$").Replace(s)
	if strings.HasPrefix(s, " ") {
		s = "\u00a0" + s[1:]
	}
	if strings.HasSuffix(s, " ") {
		s = s[:len(s)-1] + "\u00a0"
	}
	return html.EscapeString(s)
}

func (p *tex2ml) root() string {
	p.space()
	if p.accept("[") {
		degree := p.row("]")
		if !p.accept("]") {
			p.failed = true
		}
		return element("mroot", p.argument(), degree)
	}
	return element("msqrt", p.argument())
}

// fenced parses \left … \right.
func (p *tex2ml) fenced() string {
	open := p.delimiter()
	body := p.row(`\right`)
	if !p.command("right") {
		p.failed = true
		return ""
	}
	return `<mrow><mo stretchy="true">` + open + "</mo>" + body + `<mo stretchy="true">` + p.delimiter() + "</mo></mrow>"
}

// delimiter parses a delimiter, "" for a dot.
func (p *tex2ml) delimiter() string {
	p.space()
	if p.at >= len(p.s) {
		p.failed = true
		return ""
	}
	if p.s[p.at] == '\\' {
		name := p.name()
		s, ok := operators[name]
		p.failed = p.failed || !ok
		return html.EscapeString(s)
	}
	r, size := utf8.DecodeRuneInString(p.s[p.at:])
	p.at += size
	switch r {
	case '.':
		return ""
	case '<':
		return "⟨"
	case '>':
		return "⟩"
	}
	return html.EscapeString(string(r))
}

// negated parses a relation and negates it.
func (p *tex2ml) negated() string {
	p.space()
	if p.at >= len(p.s) {
		p.failed = true
		return ""
	}
	set, _ := p.atom()
	i := strings.LastIndex(set, "</")
	if i < 0 {
		p.failed = true
		return ""
	}
	return set[:i] + "\u0338" + set[i:]
}

// environment parses a table up to its \end.
func (p *tex2ml) environment() string {
	name := p.words()
	kind, ok := environments[strings.TrimSuffix(name, "*")]
	if !ok {
		p.failed = true
		return ""
	}
	if name == "array" || name == "alignat" || name == "alignedat" {
		p.words()
	}
	var rows, cells []string
	for !p.failed {
		cell := p.row("cell")
		cells = append(cells, `<mtd`+kind.style(len(cells))+`>`+cell+"</mtd>")
		switch {
		case p.accept("&"):
			continue
		case p.accept(`\\`), p.command("cr"):
			p.space()
			if p.accept("[") { // the optional row spacing
				for p.at < len(p.s) && !p.accept("]") {
					p.at++
				}
			}
			for p.space(); p.command("hline"); p.space() {
				continue
			}
			rows, cells = append(rows, element("mtr", cells...)), nil
			if !strings.HasPrefix(p.s[p.at:], `\end`) {
				continue
			}
		}
		if !p.command("end") || p.words() != name {
			p.failed = true
			return ""
		}
		if cells != nil {
			rows = append(rows, element("mtr", cells...))
		}
		table := "<mtable" + kind.attributes() + ">" + strings.Join(rows, "") + "</mtable>"
		return "<mrow>" + fence(kind.open) + table + fence(kind.close) + "</mrow>"
	}
	return ""
}

func fence(s string) string {
	if s == "" {
		return ""
	}
	return `<mo stretchy="true">` + s + "</mo>"
}
