package quire_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// families are the letters that rule numbers begin with, one pair for each page of rules in spec/.
const families = `(?:EV|TX|OR|NB|RN|OU|CM|RT|SY|ST|AR|AC|IP|PL|AG|EP|AS|MO)`

var (
	ruleStated = regexp.MustCompile(`(?m)^- \*\*(` + families + `\d+)\*\*`)
	ruleInName = regexp.MustCompile(`(` + families + `\d+)`)
	ruleInText = regexp.MustCompile(`\b(` + families + `\d+)\b`)
)

func TestEveryPackageHasOneDocComment(t *testing.T) {
	for dir, files := range packages(t) {
		if fault := packageFault(dir, files); fault != "" {
			t.Errorf("%s: %s", dir, fault)
		}
	}
}

// TestTheArchitectureNamesEveryPackage wants the last part of each package's path in the list of
// packages. The bench has one directory for each of its programs, which the list leaves out.
func TestTheArchitectureNamesEveryPackage(t *testing.T) {
	data, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(data), "## Packages")
	list, _, _ = strings.Cut(list, "\n## ")
	for dir := range packages(t) {
		name := path.Base(filepath.ToSlash(dir))
		if name == "." || strings.HasPrefix(filepath.ToSlash(dir), "bench/") {
			continue
		}
		if !regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).MatchString(list) {
			t.Errorf("the list of packages in docs/architecture.md lacks %s", dir)
		}
	}
}

// packageFault returns the fault of the doc comment of a package, empty if there is none.
func packageFault(dir string, files []*ast.File) string {
	var docs []string
	for _, file := range files {
		if file.Doc != nil {
			docs = append(docs, file.Doc.Text())
		}
	}
	if len(docs) != 1 {
		return fmt.Sprintf("got %d package comments, want 1, in doc.go or the file named after the package", len(docs))
	}
	want := "Package " + files[0].Name.Name + " "
	if files[0].Name.Name == "main" {
		want = "Command " + path.Base(dir) + " "
	}
	if !strings.HasPrefix(docs[0], want) || !strings.Contains(docs[0], ".") {
		return fmt.Sprintf("the package comment must be a sentence that starts with %q", want)
	}
	return ""
}

func TestEveryExportedNameHasADocComment(t *testing.T) {
	for dir, files := range packages(t) {
		for _, file := range files {
			if ast.IsGenerated(file) {
				continue
			}
			for _, name := range undocumented(file) {
				t.Errorf("%s: %s needs a comment that starts with its name", dir, name)
			}
		}
	}
}

func TestMissingDocCommentsAreFound(t *testing.T) {
	const source = `package p
func F() {}
// It does G.
func G() {}
// H does it.
func H() {}
func hidden() {}
type T struct{}
// A U is documented.
type U struct{}
func (U) M() {}
func (hidden2) M() {}
type hidden2 struct{}
// V are values.
const ( A = 1; B = 2 )
const ( C = 1 )
const (
	// D is documented.
	D = 1
	E = 2 // E is not the first.
)
var W = 1
`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := undocumented(file), []string{"F", "G", "T", "M", "C", "W"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := packageFault("core/p", []*ast.File{file}); got == "" {
		t.Error("got no fault for a package without a comment")
	}
}

// undocumented lists the exported names of a file that have no comment starting with their name.
func undocumented(file *ast.File) []string {
	var names []string
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Name.IsExported() && exportedReceiver(decl) && !startsWith(decl.Doc, decl.Name.Name) {
				names = append(names, decl.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				names = append(names, undocumentedIn(decl, spec)...)
			}
		}
	}
	return names
}

// undocumentedIn judges one type, or one line of constants or variables. In a group the comment of the group will do for
// values, and a comment at the end of the line.
func undocumentedIn(decl *ast.GenDecl, spec ast.Spec) []string {
	grouped := decl.Lparen.IsValid()
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		doc := spec.Doc
		if !grouped {
			doc = decl.Doc
		}
		if spec.Name.IsExported() && !startsWith(doc, spec.Name.Name) {
			return []string{spec.Name.Name}
		}
	case *ast.ValueSpec:
		i := slices.IndexFunc(spec.Names, (*ast.Ident).IsExported)
		if i < 0 || grouped && (decl.Doc != nil || spec.Doc != nil || spec.Comment != nil) {
			return nil
		}
		if name := spec.Names[i].Name; !startsWith(decl.Doc, name) {
			return []string{name}
		}
	}
	return nil
}

// exportedReceiver tells whether a method is of an exported type; a function passes.
func exportedReceiver(decl *ast.FuncDecl) bool {
	if decl.Recv == nil {
		return true
	}
	typ := decl.Recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return false
		}
	}
}

// startsWith tells whether a comment begins with a name, perhaps after an article.
func startsWith(doc *ast.CommentGroup, name string) bool {
	words := strings.Fields(doc.Text())
	if len(words) > 1 && (words[0] == "A" || words[0] == "An" || words[0] == "The") {
		words = words[1:]
	}
	return len(words) > 0 && strings.TrimRight(words[0], ".,:;") == name
}

// packages parses the files of every package that are not tests.
func packages(t *testing.T) map[string][]*ast.File {
	t.Helper()
	all := map[string][]*ast.File{}
	for _, name := range goFiles(t) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		all[path.Dir(name)] = append(all[path.Dir(name)], file)
	}
	return all
}

func TestEveryRuleHasATestAndEveryTestedRuleIsStated(t *testing.T) {
	stated, tested := statedRules(t), testedRules(t)
	for _, rule := range slices.Sorted(maps.Keys(stated)) {
		if tested[rule] == "" {
			t.Errorf("%s states %s, but no test has %s in its name or a case's name; write one", stated[rule], rule, rule)
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(tested)) {
		if stated[rule] == "" {
			t.Errorf("%s tests %s, which no page of spec/ states; add the line \"- **%s** ...\" there", tested[rule], rule, rule)
		}
	}
}

// statedRules maps the rules in spec/ to the pages that state them.
func statedRules(t *testing.T) map[string]string {
	t.Helper()
	pages, err := filepath.Glob("spec/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("got %d pages of rules, %v, want some", len(pages), err)
	}
	rules := map[string]string{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range ruleStated.FindAllStringSubmatch(string(text), -1) {
			if other := rules[match[1]]; other != "" {
				t.Errorf("%s states %s, which %s states already; give it the next free number", page, match[1], other)
			}
			rules[match[1]] = page
		}
	}
	return rules
}

// testedRules maps the rules that tests name to one of the files that do.
func testedRules(t *testing.T) map[string]string {
	t.Helper()
	rules := map[string]string{}
	for _, name := range goFiles(t) {
		if !isTest(name) || path.Dir(name) == "." {
			continue // the tests at the root are about rules, and name them as examples
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range rulesIn(file) {
			rules[rule] = name
		}
	}
	return rules
}

// rulesIn finds rule numbers in the names of a file's tests and, as whole words, in its strings.
func rulesIn(file *ast.File) []string {
	var rules []string
	add := func(pattern *regexp.Regexp, text string) {
		for _, match := range pattern.FindAllStringSubmatch(text, -1) {
			rules = append(rules, match[1])
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			for _, kind := range []string{"Test", "test", "Fuzz", "Benchmark"} {
				if rest, ok := strings.CutPrefix(n.Name.Name, kind); ok {
					add(ruleInName, rest)
				}
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				add(ruleInText, text)
			}
		}
		return true
	})
	return rules
}

func TestRuleNumbersAreFoundInNamesAndStrings(t *testing.T) {
	const source = `package p
func TestOR1IsFirst(t *testing.T) { t.Run("NB12 and NB3: both", nil) }
func TestOR2OR30_EV4(t *testing.T) { _ = "xRN2z" + "IPv4" + "RT" }
func helperTX9() {}
`
	file, err := parser.ParseFile(token.NewFileSet(), "p_test.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rulesIn(file), []string{"OR1", "NB12", "NB3", "OR2", "OR30", "EV4"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
