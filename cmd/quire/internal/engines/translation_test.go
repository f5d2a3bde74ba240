//go:build unix

package engines

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// openTypeScript returns the engine of TypeScript in Node, not loaded. The test is skipped without Node.
func openTypeScript(t *testing.T) lang.Engine {
	t.Helper()
	f := &Factory{Config: &settings.Config{}, Environ: os.Environ()}
	offer, ok := f.Offers().Named("node-typescript")
	if !ok {
		t.Fatal("there is no engine node-typescript")
	}
	if offer.Fault != nil {
		t.Skip(offer.Fault)
	}
	engine, err := offer.open(f, t.TempDir(), limits{})
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

func TestTypeScriptInNodeKeepsTheContractOfEngines(t *testing.T) {
	t.Parallel()
	langtest.Suite(t, openTypeScript, langtest.Programs{
		Hello:    `console.log("hello" as string)`,
		Streams:  "console.log('a')\nconsole.error('b')\nconsole.log('c')",
		Set:      "const kept: number = 42",
		Get:      "kept",
		Displays: "console.log('a'); display.html('<b>b</b>'); console.log('c')",
		Updates:  "{ const d: any = display.html('1'); d.update('2') }",
		Clears:   "console.log('a'); display.clear({wait: true}); console.log('b')",
		Fail:     "interface A {}\nconsole.log('before')\n\nthrow new RangeError('bad value')",
		FailName: "RangeError", FailMessage: "bad value", FailLine: 4,
		Syntax: "type A = number\nlet x = = 1", SyntaxLine: 2,
		Loop:       "console.log('started')\nfor (;;) {}",
		Sleep:      "console.log('started')\nawait new Promise<void>((r) => setTimeout(r, 1e6))",
		Ask:        "console.log('before')\nconsole.log(prompt('name? '))",
		AskSecret:  "console.log(prompt.secret('word? ').length)",
		NoAnswer:   "EndOfInput",
		Late:       "setTimeout(() => console.log('late'), 100)\nconsole.log('in time')",
		LateBeside: "console.log('waits')\nawait new Promise((r) => setTimeout(r, 300))\nconsole.log('went on')",
		AtClose:    "process.on('exit', () => console.log('late'))\nconsole.log('in time')",
		Name:       "kept",
		Lead:       "'🐎'; ",
		Define:     "/** says what it does */\nfunction horse(legs: number = 4): void {}",
		Defined:    "horse",
		Calling:    "horse(3, ",
		Die:        "console.log('last')\nprocess.exit(3)",
	})
}

func TestErrorsInTypeScriptNameTheLinesOfTheUser(t *testing.T) {
	t.Parallel()
	engine := openTypeScript(t)
	if err := engine.Load(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	types := "interface Horse {\n  legs: number\n}\n\n"
	for _, c := range []struct {
		source string
		want   *lang.Error
	}{
		{
			types + "function f<T>(a: T): never {\n  throw new Error(`${a}`)\n}\n  f<number>(1)",
			&lang.Error{Name: "Error", Message: "1", Line: 6, Column: 9, Trace: []string{"Error: 1", "    at f (In[1]:6:9)", "    at In[1]:8:3"}},
		},
		{types + "let x = = 1", &lang.Error{
			Name: "SyntaxError", Message: `Unexpected "="`, Line: 5, Column: 9,
			Trace: []string{`SyntaxError: Unexpected "="`, "    at In[2]:5:9", "let x = = 1", "        ^"},
		}},
		{"/*" + strings.Repeat("(", maxTypeScript) + "*/", &lang.Error{
			Name: "SyntaxError", Message: "a source in TypeScript has 128 KiB at most, and this one has 128 KiB: move data into a file",
			Trace: []string{"SyntaxError: a source in TypeScript has 128 KiB at most, and this one has 128 KiB: move data into a file"},
		}},
	} {
		result, err := engine.Execute(t.Context(), lang.Request{Source: c.source}, &langtest.Recorder{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, result.Err); diff != "" {
			t.Errorf("%.200s (-want +got):\n%s", c.source, diff)
		}
	}
	for _, c := range []struct{ source, want string }{
		{types + "console.log(new Error('shown').stack)", "Error: shown\n    at In[4]:5:13\n"},
		{"import { join } from 'path'", ""},
		{"enum Colour { Red, Green }", ""},
		{"console.log(join('a', 'b'), Colour.Green)", "a/b 1\n"},
	} {
		sink := &langtest.Recorder{}
		if result, err := engine.Execute(t.Context(), lang.Request{Source: c.source}, sink); err != nil || result.Err != nil {
			t.Fatalf("%s: %v, %v", c.source, err, result.Err)
		}
		if got := sink.Text(lang.Stdout); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: got %q, want %q at its beginning", c.source, got, c.want)
		}
	}
}
