//go:build unix

package script

import (
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

func TestEP13AndEP14AndEP16NodeKeepsTheContractOfEngines(t *testing.T) {
	t.Parallel()
	langtest.Suite(t, func(t *testing.T) lang.Engine {
		return open(t, "javascript", Config{Dir: t.TempDir(), Grace: 5 * time.Second})
	}, langtest.Programs{
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
		Sleep:      "console.log('started')\nawait new Promise((r) => setTimeout(r, 1e6))",
		Ask:        "console.log('before')\nconsole.log(prompt('name? '))",
		AskSecret:  "console.log(prompt.secret('word? ').length)",
		NoAnswer:   "EndOfInput",
		Late:       "setTimeout(() => console.log('late'), 100)\nconsole.log('in time')",
		LateBeside: "console.log('waits')\nawait new Promise((r) => setTimeout(r, 300))\nconsole.log('went on')",
		AtClose:    "process.on('exit', () => console.log('late'))\nconsole.log('in time')",
		Name:       "kept",
		Lead:       "'🐎'; ",
		Define:     "/** says what it does */\nfunction horse(legs = 4) {}",
		Defined:    "horse",
		Calling:    "horse(3, ",
		Die:        "console.log('last')\nprocess.exit(3)",
		SplitUTF8:  "{ for (const b of Buffer.from('é🐎')) require('fs').writeSync(1, Buffer.from([b])) }",
		BadUTF8:    "require('fs').writeSync(1, Buffer.from([0x61, 0xff, 0x62])), undefined",
	})
}

// TestNodeSetsNamesOfAnyDeclaration sets names that earlier cells and earlier calls have declared.
func TestNodeSetsNamesOfAnyDeclaration(t *testing.T) {
	t.Parallel()
	engine := load(t, "javascript")
	accessor := engine.Abilities().Accessor
	source := "const constant = 1; let variable = 1; var old = 1; function called() {}; class Made {}; implicit = 1"
	if result, err := engine.Execute(deadline(t), lang.Request{Source: source}, &langtest.Recorder{}); err != nil || result.Err != nil {
		t.Fatal(err, result.Err)
	}
	for _, name := range []string{"constant", "variable", "old", "called", "Made", "implicit", "unknown"} {
		for _, value := range []string{"2", `{"a":[3]}`, "false"} {
			if err := accessor.Set(deadline(t), name, []byte(value)); err != nil {
				t.Errorf("set %s: %v", name, err)
			}
			if got, err := accessor.Get(deadline(t), name); err != nil || string(got) != value {
				t.Errorf("%s: got %s, %v, want %s", name, got, err, value)
			}
			r := &langtest.Recorder{}
			if _, err := engine.Execute(deadline(t), lang.Request{Source: "console.log(JSON.stringify(" + name + "))"}, r); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(r.Lines(), ""); got != "stdout: "+value+"\n" {
				t.Errorf("%s: a program has %q, want %s", name, got, value)
			}
		}
	}
	if err := accessor.Set(deadline(t), "undefined", []byte("1")); err == nil {
		t.Error("undefined was set, want an error")
	}
}
