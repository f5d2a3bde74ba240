package scheme

import (
	"strings"
)

// library is what a define-library form defines. Built-in libraries have no environment of their own: their names are
// those of the environment of the interpreter.
type library struct {
	env     *environment
	exports []export
}

type export struct{ inner, outer *symbol }

// library returns the library of a name, and nil if there is none.
func (in *Interp) library(name string) *library {
	if l, ok := in.libraries[name]; ok {
		return l
	}
	names := in.libraryNames(name)
	if names == nil {
		return nil
	}
	l := &library{env: in.core}
	for _, n := range names {
		l.exports = append(l.exports, export{n, n})
	}
	in.libraries[name] = l
	return l
}

// imported is a name that an import set gives to what a library exports.
type imported struct {
	lib          *library
	inner, outer *symbol
}

// importSet binds the names of an import set in an environment.
func (x *expander) importSet(p part, env *environment) {
	names := x.importNames(p)
	if x.err != nil {
		return
	}
	for _, n := range names {
		if n.lib.env == x.in.core {
			x.in.importBuiltin(env, n.inner, n.outer)
		} else {
			env.take(n.outer, n.lib.env.lookup(n.inner))
		}
	}
}

// importBuiltin binds a name to what the interpreter has under another.
func (in *Interp) importBuiltin(env *environment, inner, outer *symbol) {
	switch b := in.core.lookup(inner).(type) {
	case *global:
		env.takeValue(outer, b)
	default:
		env.take(outer, b)
	}
}

func (x *expander) importNames(p part) []imported {
	parts, ok := x.list(p)
	if !ok || len(parts) == 0 {
		x.fail(p.at, "import: %s is no import set", brief(strip(p.v), 60))
		return nil
	}
	if len(parts) > 1 && isIdentifier(parts[0].v) {
		if _, ok := parts[1].v.(*pair); ok {
			switch name := symbolOf(parts[0].v).name; name {
			case "only", "except", "prefix", "rename":
				return x.modified(name, x.importNames(parts[1]), parts[2:], p.at)
			}
		}
	}
	l := x.in.library(libraryName(p.v))
	if l == nil {
		x.fail(p.at, "import: there is no library %s", libraryName(p.v))
		if c, ok := asCondition(x.err); ok {
			c.kind = kindLibrary
		}
		return nil
	}
	all := make([]imported, 0, len(l.exports))
	for _, e := range l.exports {
		all = append(all, imported{l, e.inner, e.outer})
	}
	return all
}

func (x *expander) modified(how string, from []imported, args []part, at pos) []imported {
	if how == "prefix" {
		if len(args) != 1 || !isIdentifier(args[0].v) {
			x.fail(at, "import: the form is (prefix SET PREFIX)")
			return nil
		}
		for i := range from {
			from[i].outer = x.in.intern(symbolOf(args[0].v).name + from[i].outer.name)
		}
		return from
	}
	renamed := map[*symbol]*symbol{}
	for _, a := range args {
		to := a
		if how == "rename" {
			pairs, ok := x.list(a)
			if !ok || len(pairs) != 2 {
				x.fail(a.at, "import: the form is (rename SET (NAME NAME) …)")
				return nil
			}
			a, to = pairs[0], pairs[1]
		}
		if !isIdentifier(a.v) || !isIdentifier(to.v) {
			x.fail(a.at, "import: %s is no name", brief(strip(a.v), 60))
			return nil
		}
		renamed[symbolOf(a.v)] = symbolOf(to.v)
	}
	var kept []imported
	for _, n := range from {
		to, named := renamed[n.outer]
		delete(renamed, n.outer)
		if how == "rename" && named {
			n.outer = to
		}
		if how == "rename" || named == (how == "only") {
			kept = append(kept, n)
		}
	}
	for missing := range renamed {
		x.fail(at, "import: the library does not export %s", missing.name)
	}
	return kept
}

// defineLibrary makes a library, and returns the code of its body.
func (x *expander) defineLibrary(form []part, at pos) node {
	if len(form) < 2 {
		return x.fail(at, "define-library: the form is (define-library NAME DECLARATION …)")
	}
	d := &libraryForm{x: x, lib: &library{env: newEnvironment()}}
	d.declarations(form[2:])
	seq := &sequence{}
	for _, f := range d.body {
		seq.parts = append(seq.parts, x.top(f, d.lib.env))
	}
	if x.err != nil {
		return &constant{}
	}
	x.in.libraries[libraryName(form[1].v)] = d.lib
	seq.parts = append(seq.parts, &constant{unspecified{}})
	return seq
}

type libraryForm struct {
	x    *expander
	lib  *library
	body []part
}

func (d *libraryForm) declarations(forms []part) {
	x := d.x
	for _, f := range forms {
		parts, ok := x.list(f)
		if !ok || len(parts) == 0 || !isIdentifier(parts[0].v) {
			x.fail(f.at, "define-library: %s is no declaration", brief(strip(f.v), 60))
			return
		}
		switch name := symbolOf(parts[0].v).name; name {
		case "export":
			for _, e := range parts[1:] {
				d.export(e)
			}
		case "import":
			for _, set := range parts[1:] {
				x.importSet(set, d.lib.env)
			}
		case "begin":
			d.body = append(d.body, parts[1:]...)
		case "cond-expand":
			d.declarations(x.condExpand(parts, f.at))
		case "include", "include-ci", "include-library-declarations":
			expandInclude(x, parts, f.at, nil)
		default:
			x.fail(f.at, "define-library: %s is no declaration", name)
		}
	}
}

func (d *libraryForm) export(p part) {
	if isIdentifier(p.v) {
		s := symbolOf(p.v)
		d.lib.exports = append(d.lib.exports, export{s, s})
		return
	}
	parts, ok := d.x.list(p)
	if !ok || len(parts) != 3 || !isIdentifier(parts[0].v) || symbolOf(parts[0].v).name != "rename" || !isIdentifier(parts[1].v) || !isIdentifier(parts[2].v) {
		d.x.fail(p.at, "define-library: an export is NAME or (rename NAME NAME)")
		return
	}
	d.lib.exports = append(d.lib.exports, export{symbolOf(parts[1].v), symbolOf(parts[2].v)})
}

// keywords are the forms that the expander knows. Those without a function have a meaning within other forms only, or
// where definitions may stand.
func keywords() []*special {
	return []*special{
		{"quote", expandQuote},
		{"quasiquote", expandQuasiquote},
		{"unquote", nil},
		{"unquote-splicing", nil},
		{"lambda", expandLambda},
		{"case-lambda", expandCaseLambda},
		{"if", expandIf},
		{"set!", expandSet},
		{"begin", expandBegin},
		{"let", expandLet},
		{"let*", expandLetStar},
		{"letrec", expandLetrec},
		{"letrec*", expandLetrec},
		{"let-values", expandLetValues},
		{"let*-values", expandLetStarValues},
		{"do", expandDo},
		{"parameterize", expandParameterize},
		{"and", expandAnd},
		{"or", expandOr},
		{"when", expandWhen},
		{"unless", expandUnless},
		{"cond", expandCond},
		{"case", expandCase},
		{"guard", expandGuard},
		{"else", nil},
		{"=>", nil},
		{"delay", expandDelay},
		{"delay-force", expandDelayForce},
		{"cons-stream", expandConsStream},
		{"define", expandMisplaced},
		{"define-values", expandMisplaced},
		{"define-record-type", expandMisplaced},
		{"define-syntax", expandMisplaced},
		{"let-syntax", expandLetSyntax},
		{"letrec-syntax", expandLetrecSyntax},
		{"syntax-rules", nil},
		{"...", nil},
		{"_", nil},
		{"syntax-error", expandSyntaxError},
		{"cond-expand", expandCondExpand},
		{"include", expandInclude},
		{"include-ci", expandInclude},
		{"import", expandMisplaced},
		{"define-library", expandMisplaced},
		{"assert", expandAssert},
	}
}

// libraryNames returns what a built-in library exports, and nil if there is no such library.
func (in *Interp) libraryNames(library string) []*symbol {
	for _, l := range libraryTable {
		if l.name != library {
			continue
		}
		var all []*symbol
		for _, name := range strings.Fields(l.names) {
			all = append(all, in.intern(name))
		}
		return all
	}
	return nil
}

const cxr = `caaar caadr cadar caddr cdaar cdadr cddar cdddr caaaar caaadr caadar caaddr cadaar cadadr caddar cadddr
	cdaaar cdaadr cdadar cdaddr cddaar cddadr cdddar cddddr `

const inexactNames = `acos asin atan cos exp finite? infinite? log nan? sin sqrt tan `

const charNames2 = `char-alphabetic? char-ci<=? char-ci<? char-ci=? char-ci>=? char-ci>? char-downcase char-foldcase char-lower-case?
	char-numeric? char-upcase char-upper-case? char-whitespace? digit-value string-ci<=? string-ci<? string-ci=? string-ci>=?
	string-ci>? string-downcase string-foldcase string-upcase `

const listNames = `cons* iota filter remove partition delete delete-duplicates fold fold-right reduce find find-tail any every count
	list-index list-tabulate append-map take drop last first second third `

// libraryTable has the libraries of R7RS-small, with the names of its appendix A, and our own.
var libraryTable = [...]struct{ name, names string }{
	{"(scheme base)", `
	* + - ... / < <= = => > >= _ abs and append apply assoc assq assv begin binary-port? boolean=? boolean? bytevector
	bytevector-append bytevector-copy bytevector-copy! bytevector-length bytevector-u8-ref bytevector-u8-set! bytevector?
	caar cadr call-with-current-continuation call-with-port call-with-values call/cc car case cdar cddr cdr ceiling
	char->integer char-ready? char<=? char<? char=? char>=? char>? char? close-input-port close-output-port close-port
	complex? cond cond-expand cons current-error-port current-input-port current-output-port define define-record-type
	define-syntax define-values denominator do dynamic-wind else eof-object eof-object? eq? equal? eqv? error
	error-object-irritants error-object-message error-object? even? exact exact-integer-sqrt exact-integer? exact? expt
	features file-error? floor floor-quotient floor-remainder floor/ flush-output-port for-each gcd get-output-bytevector
	get-output-string guard if include include-ci inexact inexact? input-port-open? input-port? integer->char integer?
	lambda lcm length let let* let*-values let-syntax let-values letrec letrec* letrec-syntax list list->string
	list->vector list-copy list-ref list-set! list-tail list? make-bytevector make-list make-parameter make-string
	make-vector map max member memq memv min modulo negative? newline not null? number->string number? numerator odd?
	open-input-bytevector open-input-string open-output-bytevector open-output-string or output-port-open? output-port?
	pair? parameterize peek-char peek-u8 port? positive? procedure? quasiquote quote quotient raise raise-continuable rational?
	rationalize read-bytevector read-bytevector! read-char read-error? read-line read-string read-u8 real? remainder
	reverse round set! set-car! set-cdr! square string string->list string->number string->symbol string->utf8
	string->vector string-append string-copy string-copy! string-fill! string-for-each string-length string-map string-ref
	string-set! string<=? string<? string=? string>=? string>? string? substring symbol->string symbol=? symbol?
	syntax-error syntax-rules textual-port? truncate truncate-quotient truncate-remainder truncate/ u8-ready? unless
	unquote unquote-splicing utf8->string values vector vector->list vector->string vector-append vector-copy
	vector-copy! vector-fill! vector-for-each vector-length vector-map vector-ref vector-set! vector? when
	with-exception-handler write-bytevector write-char write-string write-u8 zero?`},
	{"(scheme case-lambda)", `case-lambda`},
	{"(scheme char)", charNames2},
	{"(scheme complex)", `angle imag-part magnitude make-polar make-rectangular real-part`},
	{"(scheme cxr)", cxr},
	{"(scheme eval)", `environment eval`},
	{"(scheme file)", `call-with-input-file call-with-output-file delete-file file-exists? open-binary-input-file
	open-binary-output-file open-input-file open-output-file with-input-from-file with-output-to-file`},
	{"(scheme inexact)", inexactNames},
	{"(scheme lazy)", `delay delay-force force make-promise promise?`},
	{"(scheme load)", `load`},
	{"(scheme process-context)", `command-line emergency-exit exit get-environment-variable get-environment-variables`},
	{"(scheme read)", `read`},
	{"(scheme repl)", `interaction-environment`},
	{"(scheme time)", `current-jiffy current-second jiffies-per-second`},
	{"(scheme write)", `display write write-shared write-simple`},
	{"(scheme r5rs)", cxr + inexactNames + charNames2 + `
	* + - / < <= = > >= abs and angle append apply assoc assq assv begin boolean? caar cadr call-with-current-continuation
	call-with-input-file call-with-output-file call-with-values car case cdar cddr cdr ceiling char->integer char-ready?
	char<=? char<? char=? char>=? char>? char? close-input-port close-output-port complex? cond cons current-input-port
	current-output-port define define-syntax delay denominator display do dynamic-wind eof-object? eq? equal? eqv? eval
	even? exact->inexact exact? expt floor for-each force gcd if imag-part inexact->exact inexact? input-port?
	integer->char integer? interaction-environment lambda lcm length let let* let-syntax letrec letrec-syntax list
	list->string list->vector list-ref list-tail list? load magnitude make-polar make-rectangular make-string make-vector
	map max member memq memv min modulo negative? newline not null-environment null? number->string number? numerator odd?
	open-input-file open-output-file or output-port? pair? peek-char positive? procedure? quasiquote quote quotient
	rational? rationalize read read-char real-part real? remainder reverse round scheme-report-environment set! set-car!
	set-cdr! string string->list string->number string->symbol string-append string-copy string-fill! string-length
	string-ref string-set! string<=? string<? string=? string>=? string>? string? substring symbol->string symbol?
	truncate values vector vector->list vector-fill! vector-length vector-ref vector-set! vector? with-input-from-file
	with-output-to-file write write-char zero? else => ... _ unquote unquote-splicing syntax-rules`},
	{"(quire list)", listNames},
	{"(quire notebook)", `ask ask-secret clear-output show show-html show-markdown update-shown!`},
	{"(quire extra)", listNames + `
	1+ -1+ assert bytevector-fill! call-with-output-string condition-kind cons-stream environment? exact-rational?
	fold-left fresh-line gensym list-sort sort string-contains string-count string-join string-trim void
	with-output-to-string`},
}
