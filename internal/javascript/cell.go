package javascript

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf16"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/internal/javascript/typescript"
)

// cellSource is the source of a run as it is executed.
type cellSource struct {
	name     string // in traces
	run      int
	code     []byte
	text     string               // what executes, with the prefix
	prefix   int                  // UTF-16 units of ours before the first line
	original *typescript.Mappings // from what executes to what the user wrote; nil if they are the same
	hasValue bool                 // its last statement is an expression
}

// prepare compiles the source of a run.
func (in *Interpreter) prepare(run *engineproto.Run) (*cellSource, *engineproto.Error) {
	s := &cellSource{name: run.Name, run: run.Run}
	if s.name == "" {
		s.name = fmt.Sprintf("run %d", run.Run)
	}
	source := run.Source
	if in.config.TypeScript {
		var failed *engineproto.Error
		if source, s.original, failed = typescript.Strip(s.name, source); failed != nil {
			return nil, failed
		}
	}
	if rest, ok := strings.CutPrefix(source, "#!"); ok {
		source = "//" + rest
	}
	d := declarationsOf(source)
	if d == nil && isObject(source) {
		if object := declarationsOf("(" + source + ")"); object != nil { // as the user means it
			source, d = "("+source+")", object
			s.prefix++
		}
	}
	if d == nil {
		d = guessDeclarations(source)
	}
	if d.module != "" {
		return nil, &engineproto.Error{Name: "SyntaxError", Message: d.module, Trace: []string{"SyntaxError: " + d.module}}
	}
	s.hasValue = d.endsInExpression
	prefix := d.prefix()
	s.prefix += len(utf16.Encode([]rune(prefix)))
	s.text = prefix + source
	defer in.reserve()()
	code, err := in.raw.Compile(s.name, s.text)
	if err != nil {
		return nil, in.shape(err, s)
	}
	s.code = code
	return s, nil
}

// isObject tells whether a source looks like an object, which a script takes for a block.
func isObject(source string) bool {
	trimmed := strings.TrimSpace(source)
	return strings.HasPrefix(trimmed, "{") && strings.HasSuffix(trimmed, "}")
}

// declarations are what a source declares for all cells.
type declarations struct {
	lexical          []string // by let, const and class, and all in strict mode
	vars             []string // by var and function
	strict           bool
	endsInExpression bool
	module           string // why a source that imports or exports cannot run
}

// declarationsOf parses a source, and returns nil for one that the parser does not understand: QuickJS decides whether it
// is wrong.
func declarationsOf(source string) *declarations {
	ast, err := js.Parse(parse.NewInputString(source), js.Options{})
	if err != nil {
		return nil
	}
	d := &declarations{}
	if len(ast.List) > 0 {
		if directive, ok := ast.List[0].(*js.DirectivePrologueStmt); ok {
			d.strict = strings.Trim(string(directive.Value), `"'`) == "use strict"
		}
		switch ast.List[len(ast.List)-1].(type) {
		case *js.ExprStmt, *js.DirectivePrologueStmt:
			d.endsInExpression = true
		}
	}
	for _, statement := range ast.List {
		switch statement.(type) {
		case *js.ImportStmt:
			d.module = "import finds no modules" + noModules
		case *js.ExportStmt:
			d.module = "a cell exports nothing: what it declares is there for all cells, without export"
		}
	}
	for _, v := range ast.Scope.Declared {
		name := string(v.Data)
		if v.Decl == js.LexicalDecl || d.strict {
			d.lexical = append(d.lexical, name)
		} else {
			d.vars = append(d.vars, name)
		}
	}
	return d
}

// simpleDeclaration matches a declaration of one name at the beginning of a line.
var simpleDeclaration = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:let|const|class)[ \t]+([A-Za-z_$][\w$]*)`)
})

// guessDeclarations finds declarations without a parser, for a syntax that is newer than it. The value of the last
// statement is shown.
func guessDeclarations(source string) *declarations {
	d := &declarations{endsInExpression: true}
	seen := map[string]bool{}
	for _, m := range simpleDeclaration().FindAllStringSubmatch(source, -1) {
		if !seen[m[1]] {
			seen[m[1]] = true
			d.lexical = append(d.lexical, m[1])
		}
	}
	return d
}

// prefix returns the code before a source, in its first line, that makes its variables global.
func (d *declarations) prefix() string {
	var b strings.Builder
	if d.strict {
		b.WriteString(`"use strict";`)
	}
	if len(d.lexical)+len(d.vars) == 0 {
		return b.String()
	}
	fmt.Fprintf(&b, "$declare([")
	for _, name := range d.vars {
		fmt.Fprintf(&b, "%q,", name)
	}
	b.WriteString("]")
	for _, name := range d.lexical {
		fmt.Fprintf(&b, ",%q,()=>%[1]s,(v)=>%[1]s=v", name)
	}
	b.WriteString(");")
	return b.String()
}

// place returns where the user wrote what executes at a place, whose column counts characters. Columns of users are
// UTF-16 units; both are from 1, and 0 is unknown.
func (s *cellSource) place(line, column int) (int, int) {
	if column > 0 {
		column = s.units(line, column)
	}
	if line == 1 && column > 0 {
		column = max(column-s.prefix, 1)
	}
	if s.original != nil {
		return s.original.Place(line, column)
	}
	return line, column
}

// units returns the column in UTF-16 units of one in characters.
func (s *cellSource) units(line, column int) int {
	rest := s.text
	for range line - 1 {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	units, characters := 1, 1
	for _, r := range rest {
		if characters >= column || r == '\n' {
			break
		}
		units, characters = units+utf16.RuneLen(r), characters+1
	}
	return units + column - characters
}
