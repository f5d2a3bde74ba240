package javascript

import (
	"strings"
	"testing"

	"github.com/quirehq/quire/core/engineproto/engineprototest"
)

// located is a source that fails, and its error.
type located struct {
	source, name, message string
	line, column          int
}

func checkErrors(t *testing.T, config Config, errors []located) {
	t.Helper()
	h := engineprototest.Start(t, New(config))
	for _, c := range errors {
		_, e := h.Run(c.source)
		if e == nil {
			t.Errorf("%q: got no error", c.source)
			continue
		}
		if e.Name != c.name || e.Message != c.message || e.Line != c.line || e.Column != c.column {
			t.Errorf("%q:\ngot  %s: %s at %d:%d\nwant %s: %s at %d:%d", c.source, e.Name, e.Message, e.Line, e.Column, c.name, c.message, c.line, c.column)
		}
		if trace := strings.Join(e.Trace, "\n"); !strings.HasPrefix(trace, e.Name+": ") || strings.Contains(trace, "quire:") || strings.Contains(trace, "$declare") {
			t.Errorf("%q: got the trace\n%s\nwant the error first, and nothing of ours", c.source, trace)
		}
	}
}

func TestErrorsOfJavaScript(t *testing.T) {
	checkErrors(t, Config{}, []located{
		{"null.foo", "TypeError", "cannot read property 'foo' of null", 1, 5},
		{"let a = 1\n\nundefined.b = 2", "TypeError", "cannot set property 'b' of undefined", 3, 10},
		{"function g() {\n  return nope\n}\ng()", "ReferenceError", "'nope' is not defined", 2, 10},
		{"let x = ;", "SyntaxError", "unexpected token in expression: ';'", 1, 9},
		{"if (true) {\n  1", "SyntaxError", "unexpected end of the source", 2, 4},
		{"let s = 'abc\n'", "SyntaxError", "unexpected end of string", 1, 9},
		{"5()", "TypeError", "not a function", 1, 2},
		{"\nthrow new RangeError('far')", "RangeError", "far", 2, 21},
		{"throw 'text'", "Uncaught", "'text'", 0, 0},
		{"throw {code: 5}", "Uncaught", "{ code: 5 }", 0, 0},
		{"class MyError extends Error { name = 'MyError' }\nthrow new MyError('mine')", "MyError", "mine", 2, 18},
		{"JSON.parse('{x')", "SyntaxError", "expecting property name", 1, 11},
		{"async function h() {\n  await 1\n  null.x\n}\nawait h()", "TypeError", "cannot read property 'x' of null", 3, 7},
		{"let z = z + 1", "ReferenceError", "z is not initialized", 1, 9},
		{"let q = 1; let q = 2", "SyntaxError", "invalid redefinition of lexical identifier", 1, 18},
		{"new Array(-1)", "RangeError", "invalid array length", 1, 10},
		{"(function deep() { return deep() + 1 })()", "RangeError", "Maximum call stack size exceeded", 1, 31},
		{"let é = '🐎'; null.x", "TypeError", "cannot read property 'x' of null", 1, 19},
		{"'🐎'; nope", "ReferenceError", "'nope' is not defined", 1, 7},
		{"require('fs')", "ReferenceError", "'require' is not defined" + noModules, 1, 1},
		{"import fs from 'fs'", "SyntaxError", "import finds no modules" + noModules, 0, 0},
		{"export const a = 1", "SyntaxError", "a cell exports nothing: what it declares is there for all cells, without export", 0, 0},
	})
}

func TestErrorsOfTypeScriptNameTheLinesOfTheUser(t *testing.T) {
	checkErrors(t, Config{TypeScript: true}, []located{
		{"type A = {\n  a: number\n}\nconst a: A | null = null\na!.a", "TypeError", "cannot read property 'a' of null", 5, 1},
		{"interface I { a: number }\nfunction f(i: I): never {\n  throw new Error('no')\n}\nf({ a: 1 })", "Error", "no", 3, 13},
		{"const b: number = ;", "SyntaxError", `Unexpected ";"`, 1, 19},
		{"let s: string = 'a", "SyntaxError", "Unterminated string literal", 1, 19},
		{"enum E { A, B }\nE.A.nope.x", "TypeError", "cannot read property 'x' of undefined", 2, 5},
		{"const n = (x: number) => x as any\n\nn(1).y.z", "TypeError", "cannot read property 'z' of undefined", 3, 6},
		{"class C { constructor(public x: number) { throw new RangeError('ctor') } }\nnew C(1)", "RangeError", "ctor", 1, 53},
		{"abstract class D { abstract m(): void }\nnew (D as any)().m()", "TypeError", "not a function", 2, 18},
		{"type X = ;", "SyntaxError", `Unexpected ";"`, 1, 10},
		{"let é: string = '🐎'; (null as any).x", "TypeError", "cannot read property 'x' of null", 1, 24},
		{"await Promise.reject(new Error('async') as unknown)", "Error", "async", 1, 26},
		{"import x from 'y'\nx()", "SyntaxError", "import finds no modules" + noModules, 0, 0},
	})
}

func TestATraceNamesTheCellsOfItsFunctions(t *testing.T) {
	h := engineprototest.Start(t, New(Config{}))
	h.Run("\nfunction outer(f) {\n  return f()\n}")
	_, e := h.Run("function inner() {\n  throw new Error('x')\n}\nouter(inner)")
	want := "Error: x\n    at inner (cell 2:2:18)\n    at outer (cell 1:3:3)\n    at cell 2:4:6"
	if got := strings.Join(e.Trace, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	_, e = h.Run("outer(null)") // fails in the first cell
	if e.Line != 1 || e.Column != 6 {
		t.Errorf("got %d:%d, want the place in the cell that ran: %q", e.Line, e.Column, e.Trace)
	}
	_, e = h.Run("throw new Error('a', {cause: new TypeError('b')})")
	if got := strings.Join(e.Trace, "\n"); !strings.Contains(got, "caused by TypeError: b") {
		t.Errorf("got\n%s\nwant the cause", got)
	}
}
