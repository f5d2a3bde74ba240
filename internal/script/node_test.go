//go:build unix

package script

import (
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
