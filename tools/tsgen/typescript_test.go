package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// translate returns a package of one file in TypeScript.
func translate(t *testing.T, code string) (string, error) {
	t.Helper()
	s := parse(t, code)
	w := &writer{}
	err := w.declare(s, map[string]string{"ID": "string", "Hidden": ""})
	return string(w.bytes()), err
}

func parse(t *testing.T, code string) *source {
	t.Helper()
	s := newSource("p")
	if err := s.parse("p.go", "package p\n"+code); err != nil {
		t.Fatal(err)
	}
	if err := s.finish(); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestGoBecomesTypeScript(t *testing.T) {
	for _, c := range []struct{ name, code, want string }{
		{"a named string is an alias", "// CellID names a cell.\ntype CellID string", `
/** CellID names a cell. */
export type CellID = string;
`},
		{"a named number is an alias", "type Seq uint64", "\nexport type Seq = number;\n"},
		{"a string with constants is a union", `
// Kind is a kind.
type Kind string
// The kinds. There are two.
const (
	A Kind = "a" // first
	B Kind = "b"
)`, `
/**
 * Kind is a kind.
 *
 * The kinds. There are two.
 */
export type Kind =
  | "a" // first
  | "b";
`},
		{"the last member of a union keeps its comment", "type K string\nconst A K = \"a\" // only", `
export type K =
  | "a"; // only
`},
		{"a struct is an interface of its JSON names", `
type T struct {
	// Name is shown.
	Name  string ` + "`json:\"name\"`" + ` // to people
	Seqs  []uint64 ` + "`json:\"seqs\"`" + `
	Wait  bool ` + "`json:\"wait,omitempty\"`" + `
	Other *T ` + "`json:\"other\"`" + `
}`, `
export interface T {
  /**
   * Name is shown.
   *
   * to people
   */
  readonly name: string;
  readonly seqs: readonly number[];
  readonly wait?: boolean;
  readonly other?: T;
}
`},
		{"names of other packages are known", `
type T struct {
	A event.CellID ` + "`json:\"a\"`" + `
	B access.Role ` + "`json:\"b\"`" + `
	C json.RawMessage ` + "`json:\"c\"`" + `
	D []text.Edit ` + "`json:\"d\"`" + `
	E map[string]order.Key ` + "`json:\"e\"`" + `
}`, `
export interface T {
  readonly a: CellID;
  readonly b: Role;
  readonly c: Json;
  readonly d: readonly Edit[];
  readonly e: Readonly<Record<string, Key>>;
}
`},
		{"the fields of an embedded struct are those of the outer one", `
type U struct {
	A string ` + "`json:\"a\"`" + `
}
type T struct {
	U
	B string ` + "`json:\"b\"`" + `
}`, `
export interface U {
  readonly a: string;
}

export interface T {
  readonly a: string;
  readonly b: string;
}
`},
		{"the description of a field in its schema is a comment", "type T struct {\n\tA string `json:\"a\" jsonschema:\"for people\"`\n}", `
export interface T {
  /** for people */
  readonly a: string;
}
`},
		{"a moment is text", "type T struct {\n\tA time.Time `json:\"a\"`\n}", "\nexport interface T {\n  readonly a: string;\n}\n"},
		{"a struct of nothing holds nothing", "type T struct{}", "\nexport type T = Readonly<Record<string, never>>;\n"},
		{"special types are what they are said to be", "type ID struct{ n int }\ntype Hidden struct{ n int }", "\nexport type ID = string;\n"},
		{"a constant is computed", "// Max is the most.\nconst Max = 16 << 20", "\n/** Max is the most. */\nexport const max = 16777216;\n"},
		{"a group of constants keeps its comments", "// Limits.\nconst (\n\tMaxA = 1 // bytes\n\tMaxB = 2\n\thidden = 3\n)", `
// Limits.
/** bytes */
export const maxA = 1;
export const maxB = 2;
`},
		{"what is not exported stays in Go", "type hidden struct{}\nconst secret = 1", ""},
		{"a comment cannot end early", "// T is */ odd.\ntype T string", "\n/** T is *\\/ odd. */\nexport type T = string;\n"},
		{"links lead to what there is in TypeScript", `
// T is a *[U] with [Max], [A], [T.Check] and [Make].
type T string
type U string
const A U = "a"
// Max is 1.
const Max = 1
func Make() {}`, `
/** Max is 1. */
export const max = 1;

/** T is a {@link U} with {@link max}, "a", [T.Check] and Make. */
export type T = string;

export type U =
  | "a";
`},
	} {
		got, err := translate(t, c.code)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestOnlyNamedTypesAreDeclared(t *testing.T) {
	s, w := parse(t, "type A string\ntype B string\ntype C string"), &writer{}
	if err := w.declareOnly(s, "C", "A"); err != nil {
		t.Fatal(err)
	}
	const want = "\nexport type C = string;\n\nexport type A = string;\n"
	if diff := cmp.Diff(want, string(w.bytes())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := w.declareOnly(s, "D"); err == nil || err.Error() != "p has no type D" {
		t.Errorf("got %v, want an error that names D", err)
	}
}

func TestLongCommentsAreWrapped(t *testing.T) {
	got, err := translate(t, "// T "+strings.Repeat("is long ", 30)+".\ntype T string")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(got) {
		if len(line) > width+4 {
			t.Errorf("got a line of %d bytes: %s", len(line), line)
		}
	}
	if !strings.HasPrefix(got, "\n/**\n * T is") || !strings.Contains(got, "\n */\nexport") {
		t.Errorf("got no comment of lines:\n%s", got)
	}
}

func TestWhatHasNoFormInTypeScriptIsAnError(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"type T struct{ A string }", "p.T: field A: no json tag"},
		{"type T struct{ A string `json:\"-,\"` }", `p.T: field A: no name in json tag "-,"`},
		{"type T struct{ A string `xml:\"a\"` }", `p.T: field A: no name in json tag ""`},
		{"type T struct{ A int `json:\"a,string\"` }", `p.T: field A: json option "string" has no form in TypeScript here`},
		{"type T struct{ A, B int `json:\"a\"` }", "p.T: field int: want one name a field"},
		{"type T struct{ U }", "p.T: field U: want one name a field"},
		{"type T struct{ U `json:\"u\"` }\ntype U struct{}", "p.T: field U: want one name a field"},
		{"type T struct{ U }\ntype U string", "p.T: field U: want one name a field"},
		{"type T struct{ A chan int `json:\"a\"` }", "p.T: field A: type chan int has no form in TypeScript here"},
		{"type T struct{ A []func() `json:\"a\"` }", "p.T: field A: type func() has no form in TypeScript here"},
		{"type T struct{ A map[int]string `json:\"a\"` }", "p.T: field A: type map[int]string has no form in TypeScript here"},
		{"type T struct{ A url.URL `json:\"a\"` }", "p.T: field A: type url.URL has no form in TypeScript here"},
		{"type T struct{ A hidden `json:\"a\"` }", "p.T: field A: type hidden has no form in TypeScript here"},
		{"type T interface{ M() }", "p.T: type interface{M()} has no form in TypeScript here"},
		{"const A = iota", "constant A: evaluate constant: "},
		{"const (\n\tA = 1\n\tB\n)", "constant B has no value of its own"},
	} {
		_, err := translate(t, c.code)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s…", c.code, err, c.want)
		}
	}
}

func TestTagsAreWhatAMethodReturns(t *testing.T) {
	s := parse(t, `
type B struct{}
type A struct{}
type C struct{ name string }
func (*B) kind() string { return "b" }
func (A) kind() string { return "a" }
func (c *C) kind() string { return c.name }
func kind() string { return "none" }`)
	got, err := s.tags("kind")
	if err != nil {
		t.Fatal(err)
	}
	want := []tag{{"B", "b"}, {"A", "a"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(tag{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err := s.tags("colour"); err == nil {
		t.Errorf("tags of a method that nothing has: got %v, want an error", got)
	}
}

func TestAUnionIsOfTypesOrOfTagsWithThem(t *testing.T) {
	s, tags := parse(t, "type A struct{}"), []tag{{"A", "a"}, {"B", "b"}}
	w := &writer{}
	w.union(s, "Plain", "Plain is [A].", tags, "")
	w.union(s, "Tagged", "", tags, "Of")
	const want = `
/** Plain is {@link A}. */
export type Plain =
  | A
  | B;

export type Tagged =
  | Of<"a", A>
  | Of<"b", B>;
`
	if diff := cmp.Diff(want, string(w.bytes())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestImportsAreTheNamesThatWereUsed(t *testing.T) {
	w := &writer{homes: map[string]string{"event": "./event.js"}}
	s := parse(t, "type T struct {\n\tB event.Seq `json:\"b\"`\n\tA json.RawMessage `json:\"a\"`\n\tC access.Role `json:\"c\"`\n}")
	if err := w.declare(s, nil); err != nil {
		t.Fatal(err)
	}
	want := "import type { Json, Seq } from \"./event.js\";\n"
	if got := w.importLines(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
