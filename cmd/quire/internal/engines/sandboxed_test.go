//go:build unix

package engines

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/cmd/quire/internal/embedded"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/internal/script"
	"github.com/quirehq/quire/internal/wasi"
)

// TestMain has this program be the engine that a test starts, as the binary would.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "engine-process" {
		if err := serveEngine(os.Args[2], os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func serveEngine(language string, args []string) error {
	var store wasi.Store
	var c wasi.Config
	flags := flag.NewFlagSet(language, flag.ContinueOnError)
	flags.StringVar(&store.Dir, "engines", "", "")
	flags.StringVar(&c.Cache, "compiled", "", "")
	flags.Int64Var(&c.Memory, "memory-bytes", 0, "")
	flags.StringVar(&c.Folder, "folder", "", "")
	flags.BoolVar(&c.Writable, "writable", false, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return embedded.ServeSandboxed(context.Background(), language, os.Getenv(engineproto.PipesVariable), store, c)
}

// openSandboxed returns the engine of a language, not loaded, with a grace. The test is skipped if it is not installed.
func openSandboxed(t *testing.T, language string, grace time.Duration, l limits) lang.Engine {
	t.Helper()
	f := &Factory{Config: &settings.Config{}, Environ: os.Environ()}
	store, cache := Installed(f.Environ)
	e, err := store.Engine(language)
	if err != nil {
		t.Skip(err)
	}
	config, err := f.sandboxedConfig(e.Build, store, cache, t.TempDir(), l)
	if err != nil {
		t.Fatal(err)
	}
	if grace > 0 {
		config.Grace = grace
	}
	engine, err := script.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return engine
}

// sandboxedPrograms are the programs of the suite.
var sandboxedPrograms = map[string]langtest.Programs{
	"python": {
		Hello:    `print("hello")`,
		Streams:  "import sys\nprint('a')\nprint('b', file=sys.stderr)\nprint('c')",
		Set:      "kept = 42",
		Get:      "kept",
		Displays: "class B:\n  def _repr_html_(self): return '<b>b</b>'\nprint('a'); display(B()); print('c')",
		Updates:  "h = display({'text/html': '1'}, raw=True, display_id=True)\nh.update({'text/html': '2'}, raw=True)",
		Clears:   "print('a'); clear_output(wait=True); print('b')",
		Fail:     "print('before')\nraise ValueError('bad value')", FailName: "ValueError", FailMessage: "bad value", FailLine: 2,
		Syntax: "print('not run')\nx = = 1", SyntaxLine: 2,
		Sleep:     "import time\nprint('started')\ntime.sleep(1000)",
		Stubborn:  "print('started')\nwhile True: pass",
		Ask:       "print('before')\nprint(input('name? '))",
		AskSecret: "import getpass\nprint(len(getpass.getpass('word? ')))",
		NoAnswer:  "EOFError",
		Name:      "kept", Lead: "'🐎'; ",
		Define: "def horse(legs=4):\n  'says what it does'", Defined: "horse", Calling: "horse(legs=3, ",
		Die:       "import os\nprint('last')\nos._exit(3)",
		SplitUTF8: "import os\nfor b in 'é🐎'.encode(): os.write(1, bytes([b]))",
		BadUTF8:   `import os; os.write(1, b"a\xffb"); None`,
		Flood:     "line = 'x' * 1023\nfor i in range(40 * 1024): print(line)", FloodSize: 40 << 20,
	},
	"ruby": {
		Hello:    `puts "hello"`,
		Streams:  "puts 'a'; warn 'b'; puts 'c'",
		Set:      "kept = 42; nil",
		Get:      "kept",
		Displays: "puts 'a'; Quire.display({'text/html' => '<b>b</b>'}, raw: true); puts 'c'",
		Updates:  "id = Quire.display({'text/html' => '1'}, raw: true, id: true)\nQuire.display({'text/html' => '2'}, raw: true, id: id, update: true)",
		Clears:   "puts 'a'; Quire.clear(wait: true); puts 'b'",
		Fail:     "puts 'before'\nraise ArgumentError, 'bad value'", FailName: "ArgumentError", FailMessage: "bad value", FailLine: 2,
		Syntax: "puts 'not run'\nx = = 1", SyntaxLine: 2,
		Sleep:     "puts 'started'; sleep",
		Stubborn:  "puts 'started'\nloop {}",
		AskSecret: "puts Quire.ask('word? ', secret: true).size",
		Name:      "kept", Lead: "'🐎'; ",
		Define: "# says what it does\ndef horse(legs = 4) = 1\nnil", Defined: "horse", Calling: "horse(3, ",
		Die:       "puts 'last'\nexit!(3)",
		SplitUTF8: "'é🐎'.each_byte { |b| $stdout.write(b.chr) }; nil",
		BadUTF8:   `$stdout.write("a\xFFb"); nil`,
		Flood:     "line = 'x' * 1023\n(40 * 1024).times { puts line }; nil", FloodSize: 40 << 20,
	},
	"perl": {
		Hello:    `print "hello\n";`,
		Streams:  `print "a\n"; print STDERR "b\n"; print "c\n";`,
		Set:      "$kept = 42;",
		Get:      "$kept",
		Displays: `print "a\n"; display({'text/html' => '<b>b</b>'}); print "c\n";`,
		Updates:  `my $id = display({'text/html' => '1'}, new_id => 1); display({'text/html' => '2'}, id => $id, update => 1);`,
		Clears:   `print "a\n"; clear_output(wait => 1); print "b\n";`,
		Fail:     "print \"before\\n\";\ndie 'bad value';", FailName: "Error", FailMessage: "bad value", FailLine: 2,
		Syntax: "print 'not run';\nmy $x = = 1;", SyntaxLine: 2,
		Sleep:    `print "started\n"; sleep 1000;`,
		Stubborn: `print "started\n"; while (1) {}`,
		Name:     "$kept", Lead: "'🐎'; ",
		SplitUTF8: `$| = 1; print $_ for split //, "é🐎";`,
		BadUTF8:   `print "a\xffb";`,
		Flood:     `my $line = 'x' x 1023; print "$line\n" for 1 .. 40 * 1024;`, FloodSize: 40 << 20,
	},
	"php": {
		Hello:    `echo "hello\n";`,
		Streams:  `echo "a\n"; fwrite(STDERR, "b\n"); echo "c\n";`,
		Set:      "$kept = 42;",
		Get:      "$kept",
		Displays: `echo "a\n"; display(['text/html' => '<b>b</b>']); echo "c\n";`,
		Updates:  `$id = display(['text/html' => '1'], true); display(['text/html' => '2'], $id, true);`,
		Clears:   `echo "a\n"; clear_output(true); echo "b\n";`,
		Fail:     "echo \"before\\n\";\nthrow new RuntimeException('bad value');", FailName: "RuntimeException", FailMessage: "bad value", FailLine: 2,
		Syntax: "echo 'not run';\n$x = = 1;", SyntaxLine: 2,
		Sleep:    `echo "started\n"; sleep(1000);`,
		Stubborn: `echo "started\n"; while (true);`,
		Name:     "$kept", Lead: "'🐎'; ",
		Define: "/** says what it does */\nfunction horse($legs = 4) {}", Defined: "horse", Calling: "horse(3, ",
		SplitUTF8: `foreach (str_split("é🐎") as $b) echo $b;`,
		BadUTF8:   `echo "a\xffb";`,
		Flood:     `$line = str_repeat('x', 1023); for ($i = 0; $i < 40 * 1024; $i++) echo "$line\n";`, FloodSize: 40 << 20,
	},
}

// beyondSandboxed are rules of the suite that these engines cannot keep, and why.
var beyondSandboxed = map[string]string{
	"interrupts a loop and keeps the state": "a module that computes cannot be interrupted: its process is killed, as the rule of code that refuses to stop holds",
	"late output":                           "a module has no threads, timers or processes that could go on after a run",
	"comms":                                 "these drivers have no comms, since no widgets can be installed",
	"installs packages":                     "there are no package managers and no network",
}

func TestSandboxedEnginesKeepTheContractOfEngines(t *testing.T) {
	for rule, reason := range beyondSandboxed {
		t.Run(rule, func(t *testing.T) { t.Skip(reason) })
	}
	for language, programs := range sandboxedPrograms {
		t.Run(language, func(t *testing.T) {
			langtest.Suite(t, func(t *testing.T) lang.Engine { return openSandboxed(t, language, 2*time.Second, limits{}) }, programs)
		})
	}
}

func TestASandboxedEngineThatComputesIsKilledSoon(t *testing.T) {
	for language, programs := range sandboxedPrograms {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			engine := openSandboxed(t, language, 0, limits{})
			if err := engine.Load(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			sink := &langtest.Recorder{}
			began := time.Now()
			_, err := engine.Execute(t.Context(), lang.Request{Source: programs.Stubborn, Timeout: time.Second}, sink)
			if !errors.Is(err, lang.ErrDied) || !errors.Is(err, lang.ErrKilled) {
				t.Errorf("got %v, want that it was killed", err)
			}
			t.Logf("killed %v after the deadline", (time.Since(began) - time.Second).Round(time.Millisecond))
			if lines := sink.Lines(); len(lines) != 1 || lines[0] != "stdout: started\n" {
				t.Errorf("got %q, want what was printed before", lines)
			}
		})
	}
}

func TestTheFolderOfProgramsIsGrantedBySetting(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in.txt"), []byte("content"), 0o644); err != nil {
		t.Fatal(err)
	}
	for access, want := range map[string]string{"": "", settings.FolderRead: "--folder " + dir, settings.FolderWrite: "--folder " + dir + " --writable"} {
		f := &Factory{Config: &settings.Config{EngineFolder: access}, Environ: []string{"HOME=/nowhere"}}
		b, _ := wasi.Find("ruby")
		c, err := f.sandboxedConfig(b, wasi.Store{Dir: "s"}, "c", dir, limits{Memory: 7})
		if got := strings.Join(c.Command[1:], " "); err != nil || got != strings.TrimSpace("engine-process ruby --engines s --compiled c --memory-bytes 7 "+want) {
			t.Errorf("%q: got %q, %v", access, got, err)
		}
	}
	f := &Factory{Config: &settings.Config{EngineFolder: "all"}}
	if _, err := f.grantedFolder(dir); err == nil || !strings.Contains(err.Error(), `"all" is neither read nor write`) {
		t.Errorf("got %v, want what it may be", err)
	}
}

func TestExamplesPrintTheSameAsUnderAnInstalledInterpreter(t *testing.T) {
	for language, c := range map[string]struct{ program, file string }{
		"python": {"python3", "orders.py"}, "ruby": {"ruby", "inventory.rb"}, "perl": {"perl", "words.pl"}, "php": {"php", "routes.php"},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join("..", "..", "..", "..", "examples", "languages", c.file)
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			engine := openSandboxed(t, language, 0, limits{})
			want, err := exec.Command(c.program, file).Output()
			if err != nil {
				t.Skipf("%s: %v", c.program, err)
			}
			if err := engine.Load(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			sink := &langtest.Recorder{}
			result, err := engine.Execute(t.Context(), lang.Request{Source: string(source)}, sink)
			if err != nil || result.Err != nil {
				t.Fatalf("got %v, %v", result.Err, err)
			}
			if diff := cmp.Diff(string(want), sink.Text(lang.Stdout)); diff != "" {
				t.Errorf("(-installed +sandboxed):\n%s", diff)
			}
		})
	}
}
