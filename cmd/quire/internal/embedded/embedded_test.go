//go:build unix

package embedded

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/internal/script"
)

// TestMain has this program be an engine where it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "engine-process" {
		if err := Serve(context.Background(), os.Args[2], os.Getenv(engineproto.PipesVariable), 0); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// open returns the engine of a language as a process of this program.
func open(language string, pipes script.Pipes) func(t *testing.T) lang.Engine {
	return func(t *testing.T) lang.Engine {
		t.Helper()
		own, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		engine, err := script.New(script.Config{
			Info: lang.Info{Language: language}, Command: []string{own, "engine-process", language}, Pipes: pipes,
			Dir: t.TempDir(), Grace: 2 * time.Second,
		})
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
}

func TestJavaScriptKeepsTheContractOfEngines(t *testing.T) {
	t.Parallel()
	langtest.Suite(t, open("javascript", script.Descriptors), langtest.Programs{
		Hello:    `console.log("hello")`,
		Streams:  "console.log('a')\nconsole.error('b')\nconsole.log('c')",
		Set:      "const kept = 42",
		Get:      "kept",
		Displays: "console.log('a'); display.html('<b>b</b>'); console.log('c')",
		Updates:  "{ const d = display.html('1'); d.update('2') }",
		Clears:   "console.log('a'); display.clear({wait: true}); console.log('b')",
		Fail:     "console.log('before')\nthrow new RangeError('bad value')",
		FailName: "RangeError", FailMessage: "bad value", FailLine: 2,
		Syntax: "console.log('not run')\nlet x = = 1", SyntaxLine: 2,
		Loop:       "console.log('started')\nfor (;;) {}",
		Sleep:      "console.log('started')\nawait new Promise((r) => setTimeout(r, 1e8))",
		Ask:        "console.log('before')\nconsole.log(prompt('name? '))",
		AskSecret:  "console.log(prompt.secret('word? ').length)",
		NoAnswer:   "EndOfInput",
		Late:       "const late = setInterval(() => { console.log('late'); clearInterval(late) }, 50)\nconsole.log('in time')",
		LateBeside: "console.log('waits')\nawait new Promise((r) => setTimeout(r, 200))\nconsole.log('went on')",
		Name:       "kept",
		Lead:       "'🐎'; ",
		Define:     "function horse(legs = 4) {\n  // says what it does\n}",
		Defined:    "horse",
	})
}

func TestTypeScriptKeepsTheContractOfEngines(t *testing.T) {
	t.Parallel()
	langtest.Suite(t, open("typescript", script.Stdio), langtest.Programs{
		Hello:    `console.log("hello" as string)`,
		Streams:  "console.log('a')\nconsole.error('b')\nconsole.log('c')",
		Set:      "const kept: number = 42",
		Get:      "kept as unknown",
		Displays: "console.log('a'); display.html('<b>b</b>'); console.log('c')",
		Fail:     "interface A { a: number }\nconsole.log('before')\nthrow new RangeError('bad value')",
		FailName: "RangeError", FailMessage: "bad value", FailLine: 3,
		Syntax: "console.log('not run')\nlet x: number = = 1", SyntaxLine: 2,
		Loop:     "console.log('started')\nfor (;;) {}",
		Ask:      "console.log('before')\nconsole.log(prompt('name? ')!)",
		NoAnswer: "EndOfInput",
	})
}

func TestLuaKeepsTheContractOfEngines(t *testing.T) {
	t.Parallel()
	langtest.Suite(t, open("lua", script.Descriptors), langtest.Programs{
		Hello:    `print("hello")`,
		Streams:  "print('a')\nio.stderr:write('b\\n')\nprint('c')",
		Set:      "kept = 42",
		Get:      "kept",
		Displays: "print('a'); display('<b>b</b>', 'text/html'); print('c')",
		Updates:  "display('1', 'text/html', 'd'); display('2', 'text/html', 'd', true)",
		Clears:   "print('a'); clear_output(true); print('b')",
		Fail:     "print('before')\nerror('bad value')",
		FailName: "Error", FailMessage: "bad value", FailLine: 2,
		Syntax: "print('not run')\nx = = 1", SyntaxLine: 2,
		Loop:      "print('started')\nwhile true do end",
		Stubborn:  "print('started')\nprint(string.find(('a'):rep(40), ('a*'):rep(20) .. 'b'))",
		Ask:       "print('before')\nprint(assert(prompt('name? ')))",
		AskSecret: "print(#assert(prompt('word? ', true)))",
		NoAnswer:  "Error",
		SplitUTF8: "for b in ('é🐎'):gmatch('.') do io.write(b) end",
		BadUTF8:   "io.write('a\\255b')",
		Name:      "kept",
		Lead:      "'🐎' .. ",
		Define:    "-- says what it does\nfunction horse(legs) end",
		Defined:   "horse",
	})
}

func TestALanguageThatIsNotThereIsRefusedWithThoseThatAre(t *testing.T) {
	for _, language := range Languages() {
		if err := Check(language); err != nil {
			t.Error(err)
		}
	}
	if err := Check("cobol"); err == nil || !strings.Contains(err.Error(), "javascript, lua, scheme, typescript") {
		t.Errorf("got %v, want the languages", err)
	}
	if err := Serve(t.Context(), "lua", "sockets", 0); err == nil || !strings.Contains(err.Error(), "fds") {
		t.Errorf("got %v, want the kinds of pipes", err)
	}
}
