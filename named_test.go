package quire_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	testNamed = regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w+)`")
	fileNamed = regexp.MustCompile("`((?:web|e2e|core|host|internal|cmd|docs|spec|examples|tools|bench)/[\\w./-]+\\.(?:go|ts|tsx|txtar|md|sql|py|json))`")
	fileLinks = regexp.MustCompile(`\]\(([\w./-]+)(?:#[\w-]*)?\)`)
)

// A promise that names the test that holds it is only as good as that name.
func TestTestsAndFilesThatDocumentsNameExist(t *testing.T) {
	tests := testFunctions(t)
	for _, page := range documents(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, missing := range missingNames(string(text), filepath.Dir(page), tests) {
			t.Errorf("%s names %s, which does not exist; name what does", page, missing)
		}
	}
}

func TestMissingNamesAreFound(t *testing.T) {
	const text = "`TestOne`, `TestTwo`, `FuzzThree`, `TestLike this`, `docs/cli.md`, `docs/none.md`, [a](cli.md), [b](gone.md#part), [c](https://example.org/x)"
	got := missingNames(text, "docs", map[string]bool{"TestOne": true})
	if want := []string{"TestTwo", "FuzzThree", "docs/none.md", "gone.md"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// missingNames returns the tests and files that a text names and that do not exist. Links are relative to dir, paths in backquotes to the root.
func missingNames(text, dir string, tests map[string]bool) []string {
	var missing []string
	for _, match := range testNamed.FindAllStringSubmatch(text, -1) {
		if !tests[match[1]] {
			missing = append(missing, match[1])
		}
	}
	lacks := func(name, at string) {
		if _, err := os.Stat(at); err != nil {
			missing = append(missing, name)
		}
	}
	for _, match := range fileNamed.FindAllStringSubmatch(text, -1) {
		lacks(match[1], match[1])
	}
	for _, match := range fileLinks.FindAllStringSubmatch(text, -1) {
		lacks(match[1], filepath.Join(dir, match[1]))
	}
	return missing
}

// documents returns the pages that people read: those of the root, docs/ and spec/.
func documents(t *testing.T) []string {
	t.Helper()
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "spec/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("got %d pages for %s, %v, want some", len(found), pattern, err)
		}
		pages = append(pages, found...)
	}
	return pages
}

// testFunctions returns the names of all tests and fuzz targets of the module.
func testFunctions(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, name := range goFiles(t) {
		if !strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}
