package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// source is a Go package, or some files of it, parsed without its imports.
type source struct {
	path  string
	fset  *token.FileSet
	files []*ast.File
	funcs []*ast.FuncDecl // package doc removes unexported ones from files
	pkg   *doc.Package
}

// tag is a struct with the text that its method returns.
type tag struct{ goType, text string }

// parsePackage parses the package in a folder under root: the named files, or all but the tests.
func parsePackage(root, path string, names ...string) (*source, error) {
	dir := filepath.Join(root, filepath.FromSlash(path))
	if len(names) == 0 {
		all, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(all) == 0 {
			return nil, fmt.Errorf("no Go files in %s", path)
		}
		for _, name := range all {
			if !strings.HasSuffix(name, "_test.go") {
				names = append(names, filepath.Base(name))
			}
		}
	}
	s := newSource(path)
	for _, name := range names {
		if err := s.parse(filepath.Join(dir, name), nil); err != nil {
			return nil, err
		}
	}
	return s, s.finish()
}

func newSource(path string) *source { return &source{path: path, fset: token.NewFileSet()} }

// parse adds a file, from src if it is not nil.
func (s *source) parse(name string, src any) error {
	file, err := parser.ParseFile(s.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("parse %s: %w", s.path, err)
	}
	s.files = append(s.files, file)
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			s.funcs = append(s.funcs, f)
		}
	}
	return nil
}

func (s *source) finish() error {
	pkg, err := doc.NewFromFiles(s.fset, s.files, s.path, doc.PreserveAST)
	if err != nil {
		return fmt.Errorf("read documentation of %s: %w", s.path, err)
	}
	s.pkg = pkg
	slices.SortFunc(pkg.Types, func(a, b *doc.Type) int { return cmp.Compare(a.Decl.Pos(), b.Decl.Pos()) })
	return nil
}

// doc returns the documentation of a type.
func (s *source) doc(name string) string {
	if t, ok := s.typ(name); ok {
		return strings.TrimSpace(t.Doc)
	}
	return ""
}

// typ returns the type of a name.
func (s *source) typ(name string) (*doc.Type, bool) {
	for _, t := range s.pkg.Types {
		if t.Name == name {
			return t, true
		}
	}
	return nil, false
}

// tags returns the types with the method, in source order, with the text that it returns. Types
// whose method returns anything else are left out.
func (s *source) tags(method string) ([]tag, error) {
	var tags []tag
	for _, f := range s.funcs {
		if f.Recv == nil || f.Name.Name != method {
			continue
		}
		if text, ok := returned(f.Body); ok {
			tags = append(tags, tag{receiver(f.Recv), text})
		}
	}
	if len(tags) == 0 {
		return nil, fmt.Errorf("%s: no type has a method %s that returns a text", s.path, method)
	}
	return tags, nil
}

// receiver returns the name of a method's type.
func receiver(recv *ast.FieldList) string {
	expr := recv.List[0].Type
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	return types.ExprString(expr)
}

// returned returns the text of a function that only returns a text.
func returned(body *ast.BlockStmt) (string, bool) {
	if body == nil || len(body.List) != 1 {
		return "", false
	}
	ret, ok := body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return "", false
	}
	v, err := eval(ret.Results[0])
	if err != nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}

// eval returns the value of a constant expression of literals.
func eval(expr ast.Expr) (constant.Value, error) {
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, types.ExprString(expr))
	if err != nil {
		return nil, fmt.Errorf("evaluate constant: %w", err)
	}
	if v.Value == nil {
		return nil, fmt.Errorf("%s is not a constant", types.ExprString(expr))
	}
	return v.Value, nil
}

// namedConst is one exported constant, with its value in TypeScript.
type namedConst struct {
	name, value, comment string
}

// constants returns the exported constants of a group.
func constants(group *doc.Value) ([]namedConst, error) {
	var list []namedConst
	for _, spec := range group.Decl.Specs {
		v := spec.(*ast.ValueSpec)
		for i, name := range v.Names {
			if !name.IsExported() {
				continue
			}
			if i >= len(v.Values) {
				return nil, fmt.Errorf("constant %s has no value of its own", name)
			}
			value, err := eval(v.Values[i])
			if err != nil {
				return nil, fmt.Errorf("constant %s: %w", name, err)
			}
			list = append(list, namedConst{name.Name, value.ExactString(), oneLine(v.Doc.Text() + " " + v.Comment.Text())})
		}
	}
	return list, nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
