package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// goPackage is a package with its types checked. Its files are named without their folder.
type goPackage struct {
	dir   string // relative to the root, with slashes
	files []string
	lines map[string]int
	trees map[string]*ast.File // those that are built on this machine
	info  *types.Info

	conditional map[string]bool // the files with a build constraint, in their name or in a comment
}

// listed is the description of a package by the go command.
type listed struct {
	Dir, ImportPath, Export string
	GoFiles, IgnoredGoFiles []string
	DepOnly                 bool
	Module                  *struct{ Main bool }
	Error                   *struct{ Err string }
}

// load lists the packages below the folders of a module and checks their types. Imports come from the compiler's cache, so
// each package is read alone.
func load(root string, folders []string) ([]*goPackage, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	list, err := goList(root, folders)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, p := range list {
		exports[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(name string) (io.ReadCloser, error) {
		if exports[name] == "" {
			return nil, fmt.Errorf("the go command has no compiled %s", name)
		}
		return os.Open(exports[name])
	})
	var packages []*goPackage
	for _, p := range list {
		dir, err := filepath.Rel(root, p.Dir)
		if err != nil {
			return nil, err
		}
		dir = filepath.ToSlash(dir)
		if p.DepOnly || p.Error != nil || isSuite(dir) {
			continue
		}
		checked, err := check(fset, imports, p, dir)
		if err != nil {
			return nil, fmt.Errorf("read package %s: %w", dir, err)
		}
		packages = append(packages, checked)
	}
	slices.SortFunc(packages, func(a, b *goPackage) int { return strings.Compare(a.dir, b.dir) })
	return packages, nil
}

func goList(root string, folders []string) (list []listed, err error) {
	args := []string{"list", "-e", "-deps", "-export", "-json=Dir,ImportPath,Export,GoFiles,IgnoredGoFiles,DepOnly,Module,Error"}
	for _, folder := range folders {
		args = append(args, "./"+folder+"/...")
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("read the output of go list: %w", err)
		}
		list = append(list, p)
	}
}

// isSuite tells whether a package is a suite for tests, such as room/roomtest.
func isSuite(dir string) bool {
	return path.Base(dir) == path.Base(path.Dir(dir))+"test"
}

// nowhere is a platform whose name no file bears.
var nowhere = build.Context{GOOS: "nowhere", GOARCH: "nothing", Compiler: "gc"}

// check parses the files of a package and checks their types.
func check(fset *token.FileSet, imports types.Importer, from listed, dir string) (*goPackage, error) {
	p := &goPackage{
		dir: dir, lines: map[string]int{}, trees: map[string]*ast.File{}, conditional: map[string]bool{},
		info: &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}},
	}
	p.files = slices.DeleteFunc(slices.Concat(from.GoFiles, from.IgnoredGoFiles), func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	slices.Sort(p.files)
	for _, name := range p.files {
		source, err := os.ReadFile(filepath.Join(from.Dir, name))
		if err != nil {
			return nil, err
		}
		p.lines[name] = bytes.Count(source, []byte("\n"))
		elsewhere, err := nowhere.MatchFile(from.Dir, name)
		if err != nil {
			return nil, err
		}
		p.conditional[name] = !elsewhere || bytes.Contains(source, []byte("\n//go:build ")) || bytes.HasPrefix(source, []byte("//go:build "))
		if !slices.Contains(from.GoFiles, name) {
			continue
		}
		if p.trees[name], err = parser.ParseFile(fset, name, source, parser.SkipObjectResolution); err != nil {
			return nil, err
		}
	}
	trees := make([]*ast.File, 0, len(p.trees))
	for _, name := range from.GoFiles {
		trees = append(trees, p.trees[name])
	}
	config := types.Config{Importer: imports}
	_, err := config.Check(from.ImportPath, fset, trees, p.info)
	return p, err
}

// pageFiles counts the TypeScript files of each folder below one, without tests.
func pageFiles(root, dir string) (map[string]int, error) {
	files := map[string]int{}
	err := fs.WalkDir(os.DirFS(root), dir, func(name string, entry fs.DirEntry, err error) error {
		ext := path.Ext(name)
		if err == nil && !entry.IsDir() && (ext == ".ts" || ext == ".tsx") && !strings.Contains(name, ".test.") {
			files[path.Dir(name)]++
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the files of the page: %w", err)
	}
	return files, nil
}
