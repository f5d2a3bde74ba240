package quire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/quirehq/quire"

// arrows says which of our own packages each part of the repository may import, besides itself. The first pattern that
// covers a package decides; "*" stands for one path element, and a pattern covers the packages below it.
var arrows = []struct {
	from string
	to   []string
}{
	{"core/protocol", []string{"core/access", "core/event", "core/internal"}},
	{"core/room", []string{"core/access", "core/bytesize", "core/event", "core/notebook", "core/protocol", "core/text"}},
	{"core/replica", []string{"core/access", "core/event", "core/notebook", "core/protocol", "core/text"}},
	{"core", nil},
	{"internal/file", nil},
	{"internal/ipython", []string{"core"}},
	{"internal/proc", nil},
	{"internal/pipehost", []string{"core", "internal/proc"}},
	{"internal/*", []string{"core", "internal/file", "internal/ipython", "internal/pipehost", "internal/proc"}}, // what those who write files, start processes, talk over their pipes or adapt IPython know alike
	{"host/server/problem", []string{"core"}},
	{"host/server/origin", []string{"core", "host/server/problem"}},
	{"host/server/csp", []string{"host/server/origin"}},
	{"host/server/transfer", nil},
	{"host/server/artifacts", []string{"core", "host/server/csp", "host/server/problem", "host/server/transfer"}},
	{"host/server/htmlpage", []string{"host/server/csp", "host/server/problem"}},
	{"host/server/signin", []string{"core", "host/server/htmlpage", "host/server/origin"}},
	{"host/server/webapp", []string{"core", "host/server/csp", "host/server/problem"}},
	{"host/server/rooms", []string{"core", "host/server/artifacts"}},
	{"host/*", []string{"core"}},
	{"runner", []string{"core"}},
	{"web", nil},
	{"cmd/quire/internal/embedded", []string{"core", "internal"}},
	{"cmd/quire/internal/formats", []string{"core", "host", "internal"}},
	{"cmd/quire/internal/settings", []string{"core", "host", "internal"}},
	{"cmd/quire/internal/datadir", []string{"core", "host", "internal", "cmd/quire/internal/settings"}},
	{"cmd/quire/internal/browser", []string{"core", "host", "internal", "cmd/quire/internal/datadir", "cmd/quire/internal/settings"}},
	{"cmd/quire/internal/artifactstore", []string{"core", "host", "internal", "cmd/quire/internal/settings"}},
	{"cmd/quire/internal/cellname", []string{"core", "host"}},
	{"cmd/quire/internal/client", []string{"core", "host", "cmd/quire/internal/datadir", "cmd/quire/internal/namedfile", "cmd/quire/internal/settings"}},
	{"cmd/quire/internal/cmdline", []string{"core", "host", "internal", "cmd/quire/internal/namedfile", "cmd/quire/internal/settings"}},
	{"cmd/quire/internal/faulttiming", []string{"core", "host", "internal", "cmd/quire/internal/datadir"}},
	{"cmd/quire/internal/launcher", []string{"core", "host", "internal", "cmd/quire/internal/artifactstore", "cmd/quire/internal/datadir", "cmd/quire/internal/engines", "cmd/quire/internal/settings"}},
	{"cmd/quire/internal/namedfile", []string{"core", "host", "internal", "cmd/quire/internal/signals"}},
	{"cmd/quire/internal/providers", []string{"core", "host", "internal", "cmd/quire/internal/datadir"}},
	{"cmd/quire/internal/serverlink", []string{"core", "host"}},
	{"cmd/quire/internal/signals", nil},
	{"cmd/quire/internal/engines", []string{"core", "host", "internal", "cmd/quire/internal/embedded", "cmd/quire/internal/settings"}},
	{"cmd/quire/internal/doctor", []string{"core", "host", "internal", "cmd/quire/internal/datadir", "cmd/quire/internal/network", "cmd/quire/internal/settings"}},
	{"cmd/quire/internal/network", []string{"core", "host", "internal", "cmd/quire/internal/datadir", "cmd/quire/internal/settings"}},
	{"cmd/quire/internal/localrun", []string{"core", "host", "internal", "cmd/quire/internal/engines", "cmd/quire/internal/formats", "cmd/quire/internal/settings"}},
	{"cmd/*", []string{"core", "host", "internal", "runner", "web"}},
	{"tools/*", []string{"core", "host", "internal"}},
	{"bench/wasm/*", []string{"core"}}, // they weigh the core in a browser
	{"bench/trace", []string{"core"}},
	{"bench", []string{"core", "host", "internal"}},
	{"examples", []string{"core", "host", "internal"}},
	{"e2e", []string{"core", "host", "internal"}},
	{".", nil},
}

// owners says which packages may import a module of others. What only tests import needs no owner.
var owners = map[string][]string{
	"github.com/alecthomas/chroma/v2":        {"internal/html"},
	"github.com/anthropics/anthropic-sdk-go": {"internal/llm/anthropic"},
	"github.com/clipperhouse/displaywidth":   {"host/terminal", "internal/sqlcell"},
	"github.com/coder/websocket":             {"internal/ws"},
	"github.com/duckdb/duckdb-go/v2":         {"internal/sqlcell"}, // with the tag duckdb alone
	"github.com/evanw/esbuild":               {"internal/javascript"},
	"github.com/google/jsonschema-go":        {"host/server", "tools"},
	"github.com/jackc/pgx/v5":                {"internal/sqlcell"},
	"github.com/klauspost/compress":          {"internal/sqlite"},
	"github.com/microcosm-cc/bluemonday":     {"internal/html"},
	"github.com/minio/minio-go/v7":           {"internal/blob"},
	"github.com/modelcontextprotocol/go-sdk": {"internal/mcp"},
	"github.com/ollama/ollama":               {"internal/llm/ollama"},
	"github.com/pires/go-proxyproto":         {"internal/listen"},
	"github.com/prometheus/client_golang":    {"host/server"},
	"github.com/sashabaranov/go-openai":      {"internal/llm/openai"},
	"github.com/spf13/cobra":                 {"cmd/quire"},
	"github.com/spf13/pflag":                 {"cmd/quire"},
	"github.com/tdewolff/parse/v2":           {"internal/javascript"},
	"github.com/tetratelabs/wazero":          {"internal/wasi"},
	"github.com/yuin/goldmark":               {"internal/html"},
	"github.com/yuin/gopher-lua":             {"internal/lua"},
	"golang.org/x/net":                       {"internal/env", "internal/html"}, // its assembler of filters, its parser
	"golang.org/x/sync":                      {"bench", "cmd/quire", "host", "internal"},
	"golang.org/x/sys":                       {"host/native", "internal"},
	"golang.org/x/term":                      {"cmd/quire", "host/terminal"},
	"golang.org/x/time":                      {"host/server"},
	"modernc.org/libc":                       {"internal/javascript", "internal/sqlcell"}, // memory of QuickJS, strings of SQLite's C interface
	"modernc.org/libquickjs":                 {"internal/javascript"},
	"modernc.org/quickjs":                    {"internal/javascript"},
	"modernc.org/sqlite":                     {"bench", "internal/sqlcell", "internal/sqlite"}, // the physical limit is measured without our own log
}

// checkers are the packages that hold what users bring to a suite.
var checkers = []string{"internal/script/conformance"}

// use is one import by one file that is no part of tests.
type use struct{ file, pkg, path string }

// fault returns the fault of an import with the alternative, empty if there is none.
func (u use) fault() string {
	if target, ours := inModule(u.path); ours {
		return u.faultOfOurs(target)
	}
	if standard(u.path) {
		return ""
	}
	dirs, ok := owner(u.path)
	if !ok {
		return "its module has no owner; use what we have, or add an owner in deps_test.go and the reason in docs/rationale.md"
	}
	if !slices.ContainsFunc(dirs, func(dir string) bool { return covers(dir, u.pkg) }) {
		return fmt.Sprintf("its module belongs to %v; ask for what you need through an interface", dirs)
	}
	return ""
}

func (u use) faultOfOurs(target string) string {
	part, allowed, ok := arrow(u.pkg)
	if !ok {
		return "no arrow covers " + u.pkg + "; give it one in deps_test.go"
	}
	if isSuite(target) && !slices.Contains(checkers, u.pkg) {
		return "only tests may import a suite"
	}
	if covers(part, target) || slices.ContainsFunc(allowed, func(to string) bool { return covers(to, target) }) {
		return ""
	}
	return fmt.Sprintf("%s may import only itself and %v; declare a small interface there and wire it in cmd", part, allowed)
}

func TestImportsPointInward(t *testing.T) {
	for _, u := range uses(t) {
		if fault := u.fault(); fault != "" {
			t.Errorf("%s imports %s: %s", u.file, u.path, fault)
		}
	}
}

func TestImportsThatPointElsewhereAreFound(t *testing.T) {
	tests := []struct {
		pkg, path string
		faulty    bool
	}{
		{"core/notebook", "strings", false},
		{"core/notebook", module + "/core/order", false},
		{"core/notebook", module + "/internal/sqlite", true},
		{"core/notebook", "golang.org/x/sync/errgroup", true},
		{"core/notebook", "C", true},
		{"internal/sqlite", module + "/core/event", false},
		{"internal/sqlite", module + "/internal/sqlite/schema", false},
		{"internal/sqlite", module + "/internal/blob", true},
		{"internal/sqlite", module + "/host/server", true},
		{"internal/sqlite", "modernc.org/sqlite/lib", false},
		{"internal/sqlite", "modernc.org/sqlitex", true},
		{"internal/blob", "modernc.org/sqlite", true},
		{"core/room", module + "/core/room/roomtest", true},
		{"core/room", module + "/core/protocol", false},
		{"core/room", module + "/core/replica", true},
		{"core/replica", module + "/core/room", true},
		{"core/runtime", module + "/core/replica", false},
		{"host/server", module + "/host/native", true},
		{"host/server", module + "/internal/ws", true},
		{"host/server", module + "/cmd/quire", true},
		{"host/server", module + "/host/server/csp", false},
		{"host/server/csp", module + "/host/server", true},
		{"host/server/problem", module + "/host/server/origin", true},
		{"host/server", "github.com/google/go-cmp/cmp", true},
		{"cmd/quire", module + "/host/server", false},
		{"cmd/quire", module + "/internal/ws", false},
		{"cmd/quire", module + "/cmd/quire/internal/engines", false},
		{"cmd/quire/internal/engines", module + "/cmd/quire/internal/settings", false},
		{"cmd/quire/internal/settings", module + "/cmd/quire/internal/engines", true},
		{"tools/compare", module + "/cmd/quire", true},
		{"bench", module + "/host/native", false},
		{"bench", module + "/bench/trace", false},
		{"bench", "modernc.org/sqlite", false},
		{"bench", module + "/cmd/quire", true},
		{"bench/trace", module + "/internal/sqlite", true},
		{"bench/wasm/session", module + "/core/replica", false},
		{"bench/wasm/session", module + "/host/native", true},
		{"elsewhere", module + "/core/order", true},
	}
	for _, test := range tests {
		u := use{pkg: test.pkg, path: test.path}
		if fault := u.fault(); (fault != "") != test.faulty {
			t.Errorf("%s imports %s: got fault %q, want one: %v", test.pkg, test.path, fault, test.faulty)
		}
	}
}

func TestCoreNeedsNothingButTheStandardLibraryInTheBrowserToo(t *testing.T) {
	pkgs := slices.DeleteFunc(strings.Fields(goList(t, "./core/...")), isSuite)
	out := goList(t, append([]string{"-deps", "-json=ImportPath,Standard"}, pkgs...)...)
	seen := 0
	for dec := json.NewDecoder(strings.NewReader(out)); ; seen++ {
		var p struct {
			ImportPath string
			Standard   bool
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if target, ours := inModule(p.ImportPath); !p.Standard && (!ours || !covers("core", target)) {
			t.Errorf("core depends on %s; core may import the standard library and itself only", p.ImportPath)
		}
	}
	if seen == 0 {
		t.Error("go list found no package in core")
	}
}

// The page loads its core before a notebook is in step, so what it does not need costs every opening.
func TestTheCoreOfThePageHasNoCryptography(t *testing.T) {
	for name := range strings.Lines(goList(t, "-deps", "./host/browser/wasm")) {
		if name = strings.TrimSpace(name); name == "crypto" || strings.HasPrefix(name, "crypto/") || name == "net/http" || name == "math/big" {
			t.Errorf("the core of the page depends on %s", name)
		}
	}
}

// goList asks the go command as if we built for the browser.
func goList(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return string(out)
}

// uses parses the imports of every file, whatever its build constraints, so that no platform escapes.
func uses(t *testing.T) []use {
	t.Helper()
	var all []use
	for _, name := range goFiles(t) {
		if isTest(name) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, use{name, path.Dir(name), imported})
		}
	}
	if len(all) == 0 {
		t.Fatal("found no imports at all")
	}
	return all
}

// goFiles names every Go file of the module, with slashes, relative to its root.
func goFiles(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != "." && ignored(name) {
			return filepath.SkipDir
		}
		if !entry.IsDir() && strings.HasSuffix(name, ".go") {
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// ignored tells whether the go command, too, would pass over a folder, or Go files in it are not ours.
func ignored(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		return true
	}
	base := filepath.Base(dir)
	return base[0] == '.' || base[0] == '_' || base == "testdata" || base == "node_modules" || base == "bin"
}

// isTest tells whether a file is for tests only: one of its package's own, or one of a suite.
func isTest(name string) bool {
	return strings.HasSuffix(name, "_test.go") || isSuite(path.Dir(name))
}

// isSuite tells whether a package is a suite for all who implement something. Those are named after it: room/roomtest.
func isSuite(pkg string) bool {
	return path.Base(pkg) == path.Base(path.Dir(pkg))+"test"
}

// arrow finds the part of the repository that a package belongs to, and what that part may import.
func arrow(pkg string) (part string, to []string, ok bool) {
	for _, a := range arrows {
		n := strings.Count(a.from, "/") + 1
		elements := strings.SplitN(pkg, "/", n+1)
		if len(elements) < n {
			continue
		}
		part = strings.Join(elements[:n], "/")
		if match, _ := path.Match(a.from, part); match {
			return part, a.to, true
		}
	}
	return "", nil, false
}

// owner finds the packages that may import what belongs to a module of others.
func owner(imported string) (dirs []string, ok bool) {
	for name, dirs := range owners {
		if covers(name, imported) {
			return dirs, true
		}
	}
	return nil, false
}

// covers tells whether a package is dir or below it.
func covers(dir, pkg string) bool {
	return pkg == dir || strings.HasPrefix(pkg, dir+"/")
}

// inModule cuts the module's name off an import of our own.
func inModule(imported string) (pkg string, ours bool) {
	if imported == module {
		return ".", true
	}
	return strings.CutPrefix(imported, module+"/")
}

// standard tells whether an import is of the standard library: its first element has no dot.
func standard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".") && first != "C"
}
