package quire_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The race detector makes a test several times as slow, and finds nothing where no two goroutines meet. Packages that
// start none, nor use one of ours that does, are tested without it: PURE of the Makefile lists them.
func TestPackagesWithoutTheRaceDetectorStartNoGoroutine(t *testing.T) {
	want := pure(parsedPackages(t))
	if got := pureOfMakefile(t); !slices.Equal(got, want) {
		t.Errorf("PURE of the Makefile is %v; it must be\n%s", got, strings.Join(want, " "))
	}
}

func TestPackagesThatStartGoroutinesAreFound(t *testing.T) {
	tests := []struct {
		name, source string
		starts       bool
	}{
		{"a function of its own", `import "strings"; var f = strings.ToUpper`, false},
		{"a go statement", `func f() { go f() }`, true},
		{"a group", `import "sync"; var g sync.WaitGroup`, true},
		{"a counter for many", `import "sync/atomic"; var n atomic.Int64`, true},
		{"a group of others", `import "golang.org/x/sync/errgroup"; var g errgroup.Group`, true},
		{"a server", `import "net/http/httptest"; var s httptest.Server`, true},
		{"an address", `import "net/url"; var u url.URL`, false},
		{"a process that is awaited", `import "os/exec"; func f(c *exec.Cmd) { c.Run() }`, false},
		{"a process beside the test", `import "os/exec"; func f(c *exec.Cmd) { c.Start() }`, true},
		{"a timer that calls", `import "time"; func f() { time.AfterFunc(0, f) }`, true},
		{"a time", `import "time"; var now = time.Now`, false},
		{"tests side by side", `func f(t interface{ Parallel() }) { t.Parallel() }`, true},
		{"an iterator that is pulled", `import "iter"; func f(s iter.Seq[int]) { iter.Pull(s) }`, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p; "+test.source, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if got := startsGoroutines(file); got != test.starts {
				t.Errorf("got %v, want %v", got, test.starts)
			}
		})
	}
}

func TestAPackageIsPureIfWhatItImportsIs(t *testing.T) {
	packages := map[string]*parsed{
		"pure":     {tested: true},
		"starts":   {tested: true, starts: true},
		"imports":  {tested: true, imports: []string{"between"}},
		"between":  {imports: []string{"starts"}},
		"its/test": {tested: true, testStarts: true},
		"uses":     {tested: true, imports: []string{"its/test"}},
		"inTests":  {tested: true, testImports: []string{"starts"}},
		"untested": {},
	}
	if got, want := pure(packages), []string{"pure", "uses"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// parsed is the use of goroutines in the files of a package: those of the program, and its tests.
type parsed struct {
	tested, starts, testStarts bool
	imports, testImports       []string // of our own packages
}

// parsedPackages parses every file of the module, by package.
func parsedPackages(t *testing.T) map[string]*parsed {
	t.Helper()
	packages := map[string]*parsed{}
	for _, name := range goFiles(t) {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		p := packages[path.Dir(name)]
		if p == nil {
			p = &parsed{}
			packages[path.Dir(name)] = p
		}
		starts, imports := startsGoroutines(file), ourImports(file)
		if strings.HasSuffix(name, "_test.go") {
			p.tested, p.testStarts, p.testImports = true, p.testStarts || starts, append(p.testImports, imports...)
		} else {
			p.starts, p.imports = p.starts || starts, append(p.imports, imports...)
		}
	}
	return packages
}

// pure returns the tested packages in whose tests no goroutine is started.
func pure(packages map[string]*parsed) []string {
	starting := map[string]bool{} // the packages whose programs start one, or what they import does
	for more := true; more; {
		more = false
		for name, p := range packages {
			if !starting[name] && (p.starts || slices.ContainsFunc(p.imports, func(of string) bool { return starting[of] })) {
				starting[name], more = true, true
			}
		}
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(packages)), func(name string) bool {
		p := packages[name]
		return !p.tested || p.testStarts || starting[name] || slices.ContainsFunc(p.testImports, func(of string) bool { return starting[of] })
	})
}

// pureOfMakefile returns the packages that the Makefile says are pure.
func pureOfMakefile(t *testing.T) []string {
	t.Helper()
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`(?m)^PURE\s*:=((?:.*\\\n)*.*)$`).FindSubmatch(makefile)
	if match == nil {
		t.Fatal("the Makefile has no PURE")
	}
	names := strings.Fields(strings.ReplaceAll(string(match[1]), "\\\n", " "))
	slices.Sort(names)
	return names
}

// starters are the packages of others with which goroutines are started, or guarded from one another.
var starters = []string{"golang.org/x/sync", "net", "os/signal", "sync", "testing/synctest"}

// startingCalls are functions and methods with which goroutines are started, or processes beside the one that starts them.
var startingCalls = []string{"AfterFunc", "Parallel", "Pull", "Pull2", "RunParallel", "Start"}

// startsGoroutines reports whether a file starts a goroutine, or uses a means of synchronising several.
func startsGoroutines(file *ast.File) bool {
	found := slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool {
		name := pathOf(spec)
		return name != "net/url" && slices.ContainsFunc(starters, func(of string) bool { return covers(of, name) })
	})
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			method, ok := node.Fun.(*ast.SelectorExpr)
			found = found || ok && slices.Contains(startingCalls, method.Sel.Name)
		}
		return !found
	})
	return found
}

// ourImports returns the packages of the module that a file imports.
func ourImports(file *ast.File) (ours []string) {
	for _, spec := range file.Imports {
		if name, ok := inModule(pathOf(spec)); ok {
			ours = append(ours, name)
		}
	}
	return ours
}

func pathOf(spec *ast.ImportSpec) string {
	name, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		panic(err) // the parser took it
	}
	return name
}
