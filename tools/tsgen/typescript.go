package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// writer writes one TypeScript file.
type writer struct {
	out bytes.Buffer
	// homes maps each package whose types are in another file to that file.
	homes map[string]string
	// imports has the used names of other files, by file.
	imports map[string]map[string]bool
}

func (w *writer) print(parts ...string) {
	for _, p := range parts {
		w.out.WriteString(p)
	}
}

func (w *writer) bytes() []byte { return w.out.Bytes() }

// importLines returns the imports of the used names.
func (w *writer) importLines() string {
	var lines strings.Builder
	for _, from := range slices.Sorted(maps.Keys(w.imports)) {
		names := slices.Sorted(maps.Keys(w.imports[from]))
		lines.WriteString("import type { " + strings.Join(names, ", ") + " } from \"" + from + "\";\n")
	}
	return lines.String()
}

// use records the use of a package's name, and imports it if it is in another file.
func (w *writer) use(pkg, name string) {
	home, ok := w.homes[pkg]
	if !ok {
		return
	}
	if w.imports == nil {
		w.imports = map[string]map[string]bool{}
	}
	if w.imports[home] == nil {
		w.imports[home] = map[string]bool{}
	}
	w.imports[home][name] = true
}

// declare writes the constants and types of a package. A type in special is written as an alias of
// that text, or not at all.
func (w *writer) declare(s *source, special map[string]string) error {
	for _, group := range s.pkg.Consts {
		if err := w.constants(s, group); err != nil {
			return err
		}
	}
	for _, t := range s.pkg.Types {
		alias, ok := special[t.Name]
		switch {
		case ok && alias == "":
			continue
		case ok:
			w.alias(s, t, alias)
		default:
			if err := w.typ(s, t); err != nil {
				return fmt.Errorf("%s.%s: %w", s.pkg.Name, t.Name, err)
			}
		}
	}
	return nil
}

// declareOnly writes the named types of a package, in the order of the names.
func (w *writer) declareOnly(s *source, names ...string) error {
	for _, name := range names {
		t, ok := s.typ(name)
		if !ok {
			return fmt.Errorf("%s has no type %s", s.path, name)
		}
		if err := w.typ(s, t); err != nil {
			return fmt.Errorf("%s.%s: %w", s.pkg.Name, name, err)
		}
	}
	return nil
}

func (w *writer) constants(s *source, group *doc.Value) error {
	list, err := constants(group)
	if err != nil {
		return err
	}
	if len(list) == 1 {
		w.print("\n", s.tsdoc("", group.Doc), "export const ", lowerFirst(list[0].name), " = ", list[0].value, ";\n")
		return nil
	}
	w.print("\n")
	for line := range strings.Lines(group.Doc) {
		w.print("// ", line)
	}
	for _, c := range list {
		w.print(s.tsdoc("", c.comment), "export const ", lowerFirst(c.name), " = ", c.value, ";\n")
	}
	return nil
}

func (w *writer) alias(s *source, t *doc.Type, text string) {
	w.print("\n", s.tsdoc("", t.Doc), "export type ", t.Name, " = ", text, ";\n")
}

// typ writes one type: a struct as an interface, a string with constants as their union, and any
// other basic type as an alias.
func (w *writer) typ(s *source, t *doc.Type) error {
	for _, spec := range t.Decl.Specs {
		spec := spec.(*ast.TypeSpec)
		if st, ok := spec.Type.(*ast.StructType); ok {
			return w.structure(s, t, st)
		}
		if len(t.Consts) > 0 {
			return w.enum(s, t)
		}
		text, err := w.expr(spec.Type)
		if err != nil {
			return err
		}
		w.alias(s, t, text)
	}
	return nil
}

func (w *writer) enum(s *source, t *doc.Type) error {
	text := t.Doc
	var members []namedConst
	for _, group := range t.Consts {
		list, err := constants(group)
		if err != nil {
			return err
		}
		members = append(members, list...)
		if strings.Contains(group.Doc, ". ") { // a single sentence only names the group
			text += "\n" + group.Doc
		}
	}
	w.print("\n", s.tsdoc("", text), "export type ", t.Name, " =")
	for i, c := range members {
		w.print("\n  | ", c.value)
		if i == len(members)-1 {
			w.print(";")
		}
		if c.comment != "" {
			w.print(" // ", c.comment)
		}
	}
	w.print("\n")
	return nil
}

func (w *writer) structure(s *source, t *doc.Type, st *ast.StructType) error {
	if len(st.Fields.List) == 0 {
		w.alias(s, t, "Readonly<Record<string, never>>")
		return nil
	}
	w.print("\n", s.tsdoc("", t.Doc), "export interface ", t.Name, " {\n")
	if err := w.fields(s, st); err != nil {
		return err
	}
	w.print("}\n")
	return nil
}

func (w *writer) fields(s *source, st *ast.StructType) error {
	for _, f := range st.Fields.List {
		if err := w.field(s, f); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) field(s *source, f *ast.Field) error {
	if len(f.Names) != 1 {
		if st, ok := embedded(s, f); ok {
			return w.fields(s, st)
		}
		return fmt.Errorf("field %s: want one name a field", types.ExprString(f.Type))
	}
	if f.Tag != nil && structTag(f).Get("json") == "-" {
		return nil // encoding/json leaves it out
	}
	name := f.Names[0].Name
	json, optional, err := jsonName(f)
	if err != nil {
		return fmt.Errorf("field %s: %w", name, err)
	}
	expr := f.Type
	if star, ok := expr.(*ast.StarExpr); ok {
		expr, optional = star.X, true
	}
	typ, err := w.expr(expr)
	if err != nil {
		return fmt.Errorf("field %s: %w", name, err)
	}
	if optional {
		json += "?"
	}
	text := f.Doc.Text() + "\n" + f.Comment.Text() + "\n" + structTag(f).Get("jsonschema")
	w.print(s.tsdoc("  ", text), "  readonly ", json, ": ", typ, ";\n")
	return nil
}

// embedded returns the struct of an embedded field without a tag, whose fields encoding/json writes
// as fields of the outer struct. The embedded type is one of the same package.
func embedded(s *source, f *ast.Field) (*ast.StructType, bool) {
	t, ok := s.typ(types.ExprString(f.Type))
	if !ok || len(f.Names) != 0 || f.Tag != nil {
		return nil, false
	}
	st, ok := t.Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType)
	return st, ok
}

// jsonName returns the name of a field in JSON, and whether it is optional.
func jsonName(f *ast.Field) (string, bool, error) {
	if f.Tag == nil {
		return "", false, fmt.Errorf("no json tag")
	}
	tag := structTag(f).Get("json")
	name, options, _ := strings.Cut(tag, ",")
	if name == "" || name == "-" {
		return "", false, fmt.Errorf("no name in json tag %q", tag)
	}
	if options != "" && options != "omitempty" && options != "omitzero" {
		return "", false, fmt.Errorf("json option %q has no form in TypeScript here", options)
	}
	return name, options != "", nil
}

func structTag(f *ast.Field) reflect.StructTag {
	return reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
}

// basic has the TypeScript types of the basic types of Go.
var basic = map[string]string{
	"string": "string", "bool": "boolean", "int": "number", "int64": "number", "uint64": "number", "float64": "number",
}

// expr returns a Go type in TypeScript.
func (w *writer) expr(e ast.Expr) (string, error) {
	switch e := e.(type) {
	case *ast.Ident:
		if text, ok := basic[e.Name]; ok {
			return text, nil
		}
		if e.IsExported() {
			return e.Name, nil
		}
	case *ast.SelectorExpr:
		return w.selector(e)
	case *ast.ArrayType:
		elem, err := w.expr(e.Elt)
		return "readonly " + elem + "[]", err
	case *ast.MapType:
		if key, ok := e.Key.(*ast.Ident); !ok || key.Name != "string" {
			break
		}
		elem, err := w.expr(e.Value)
		return "Readonly<Record<string, " + elem + ">>", err
	}
	return "", fmt.Errorf("type %s has no form in TypeScript here", types.ExprString(e))
}

// selector returns the name of a type of another package.
func (w *writer) selector(e *ast.SelectorExpr) (string, error) {
	if name, ok := foreign[types.ExprString(e)]; ok {
		w.use("event", name) // declared in its file
		return name, nil
	}
	if types.ExprString(e) == "time.Time" {
		return "string", nil // RFC 3339
	}
	pkg := types.ExprString(e.X)
	if !slices.Contains(translated, pkg) {
		return "", fmt.Errorf("type %s has no form in TypeScript here", types.ExprString(e))
	}
	w.use(pkg, e.Sel.Name)
	return e.Sel.Name, nil
}

// union writes a union of tagged types: of the types themselves, or of the tags and types in a
// generic type.
func (w *writer) union(s *source, name, text string, tags []tag, of string) {
	w.print("\n", s.tsdoc("", text), "export type ", name, " =")
	for _, t := range tags {
		if of == "" {
			w.print("\n  | ", t.goType)
		} else {
			w.print("\n  | ", of, "<\"", t.text, "\", ", t.goType, ">")
		}
	}
	w.print(";\n")
}
