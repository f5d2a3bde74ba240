package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
)

// figures are the measurements of a package.
type figures struct {
	dir     string
	files   int
	lines   map[string]int // of each file
	helpers int            // unexported functions and methods
	apart   []apart        // those of them whose only use is in another file
	arrows  int            // pairs of files of which the first uses the second
	back    []arrow        // those that point back up
}

// apart is a helper that stands in another file than its only caller.
type apart struct {
	name         string
	file, caller string
}

// arrow is a use of one file by another, with one of the names that are used.
type arrow struct {
	from, to, name string
}

func measure(p *goPackage) figures {
	f := figures{dir: p.dir, files: len(p.files), lines: p.lines}
	uses := usesOf(p)
	f.helpers, f.apart = helpersApart(p, uses)
	graph, names := arrowsOf(uses)
	for from, targets := range graph {
		f.arrows += len(targets)
		for to := range targets {
			f.back = append(f.back, arrow{from, to, names[[2]string{from, to}]})
		}
	}
	layers := layer(graph)
	f.back = slices.DeleteFunc(f.back, func(a arrow) bool { return layers[a.from] < layers[a.to] })
	slices.SortFunc(f.back, func(a, b arrow) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	return f
}

// declared is a function, method, type, variable or constant of a package level with its file, and the files of its uses,
// one for each use. The receiver of a method is no use of its type: it says where the method belongs.
type declared struct {
	object types.Object
	file   string
	usedIn []string
}

// usesOf returns the declarations of a package, in the order of its files.
func usesOf(p *goPackage) []*declared {
	var all []*declared
	byObject := map[types.Object]*declared{}
	for _, name := range slices.Sorted(maps.Keys(p.trees)) {
		for _, ident := range declaredIn(p.trees[name]) {
			if object := p.info.Defs[ident]; object != nil {
				byObject[object] = &declared{object: object, file: name}
				all = append(all, byObject[object])
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.trees)) {
		ast.Inspect(p.trees[name], func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.FuncDecl:
				ast.Inspect(node.Type, func(n ast.Node) bool { return use(p, byObject, name, n) })
				if node.Body != nil {
					ast.Inspect(node.Body, func(n ast.Node) bool { return use(p, byObject, name, n) })
				}
				return false
			default:
				return use(p, byObject, name, node)
			}
		})
	}
	return all
}

func use(p *goPackage, byObject map[types.Object]*declared, file string, node ast.Node) bool {
	ident, ok := node.(*ast.Ident)
	if !ok {
		return true
	}
	object := p.info.Uses[ident]
	if function, ok := object.(*types.Func); ok {
		object = function.Origin()
	}
	if d := byObject[object]; d != nil {
		d.usedIn = append(d.usedIn, file)
	}
	return true
}

// declaredIn returns the names that a file declares on the level of the package, with methods.
func declaredIn(file *ast.File) (names []*ast.Ident) {
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			names = append(names, decl.Name)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name)
				case *ast.ValueSpec:
					names = append(names, spec.Names...)
				}
			}
		}
	}
	return names
}

// helpersApart counts the unexported functions and methods, and returns those whose only use is in another file. Those of
// a file with a build constraint cannot stand elsewhere.
func helpersApart(p *goPackage, uses []*declared) (helpers int, found []apart) {
	for _, d := range uses {
		function, ok := d.object.(*types.Func)
		if !ok || token.IsExported(function.Name()) || function.Name() == "main" || function.Name() == "init" || function.Name() == "_" {
			continue
		}
		helpers++
		if len(d.usedIn) == 1 && d.usedIn[0] != d.file && !p.conditional[d.file] {
			found = append(found, apart{nameOf(function), d.file, d.usedIn[0]})
		}
	}
	return helpers, found
}

// nameOf returns the name of a function, behind the type that it is a method of.
func nameOf(function *types.Func) string {
	receiver := function.Signature().Recv()
	if receiver == nil {
		return function.Name()
	}
	of := receiver.Type()
	if pointer, ok := of.(*types.Pointer); ok {
		of = pointer.Elem()
	}
	if named, ok := of.(*types.Named); ok {
		return fmt.Sprintf("%s.%s", named.Obj().Name(), function.Name())
	}
	return function.Name()
}

// arrowsOf returns which files use which others, with the first name that each arrow is drawn for.
func arrowsOf(uses []*declared) (graph map[string]map[string]bool, names map[[2]string]string) {
	graph, names = map[string]map[string]bool{}, map[[2]string]string{}
	for _, d := range uses {
		for _, file := range d.usedIn {
			if file == d.file {
				continue
			}
			if graph[file] == nil {
				graph[file] = map[string]bool{}
			}
			graph[file][d.file] = true
			if pair := [2]string{file, d.file}; names[pair] == "" {
				names[pair] = d.object.Name()
			}
		}
	}
	return graph, names
}
