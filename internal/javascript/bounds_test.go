//go:build !race

package javascript

import (
	"strings"
	"testing"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/engineproto/engineprototest"
	"github.com/quirehq/quire/core/lang"
)

// Files of tests that are not built with the race detector make the code of QuickJS work hard, in one goroutine: the
// detector would make that minutes, and find nothing. How a run is interrupted is tried with it by the suite of engines.

func TestAProgramIsBounded(t *testing.T) {
	h := engineprototest.Start(t, New(Config{Memory: 16 << 20}))
	h.Run("let kept = 42")
	for _, c := range []struct {
		source, message string
		lack            lang.Lack
	}{
		{"let a = []; while (true) a.push(new Array(1000).fill(1))", "out of memory: the values of all cells may take 16 MiB", lang.LackMemory},
		{"'x'.repeat(1 << 28)", "out of memory: the values of all cells may take 16 MiB", lang.LackMemory},
		{"new ArrayBuffer(1 << 30)", "out of memory: the values of all cells may take 16 MiB", lang.LackMemory},
		{"function deep() { return [deep()] }; deep()", "Maximum call stack size exceeded", ""},
		{"let nested = '['.repeat(100_000); JSON.parse(nested)", "Maximum call stack size exceeded", ""},
		{"let o = {}; for (let i = 0; i < 50_000; i++) o = {o}; JSON.stringify(o)", "Maximum call stack size exceeded", ""},
		{"(function f() { [1].map(f) })()", "Maximum call stack size exceeded", ""},
		{"(0, eval)('(' .repeat(50_000))", "Maximum call stack size exceeded", ""},
		{"for (let i = 0; ; i++) setTimeout(() => {}, 1e9)", "more than 10000 timers wait", ""},
	} {
		_, failed := h.Run(c.source)
		if failed == nil || failed.Name != "RangeError" || failed.Message != c.message || failed.Lack != c.lack {
			t.Errorf("%s: got %+v, want %s", c.source, failed, c.message)
		}
		h.Run("a = o = nested = undefined")
		if lines, failed := h.Run("kept"); failed != nil || lines[0] != "result: text/plain 42" {
			t.Fatalf("%s: got %q, %v afterwards, want the state kept", c.source, lines, failed)
		}
	}
}

func TestAProgramStopsWhateverItDoes(t *testing.T) {
	for _, c := range []struct{ name, source string }{
		{"a loop", "while (true);"},
		{"a loop that catches", "while (true) { try { for (;;); } catch {} finally { } }"},
		{"a regular expression", "/^(a+)+$/.test('a'.repeat(40) + 'b')"},
		{"replacing by one", "'a'.repeat(40).replace(/(a*)*b/g, '')"},
		{"sorting", "Array.from({length: 1e6}, (_, i) => -i).sort(() => { for (;;); })"},
		{"joining", "const big = Array(1e5).fill({toString() { let n = 0; while (n < 1e4) n++; return '' }}); big.join()"},
		{"a getter", "({get x() { for (;;); }}).x"},
		{"a proxy", "Object.keys(new Proxy({}, {ownKeys() { for (;;); }}))"},
		{"a generator", "[...(function* () { while (true) yield; })()]; "},
		{"promises", "async function f() { while (true) await null }; await f()"},
		{"a chain of promises", "const next = () => Promise.resolve().then(next); next(); await new Promise(r => setTimeout(r, 1e8))"},
		{"a sleep", "await new Promise(r => setTimeout(r, 1e8))"},
		{"a timer", "setTimeout(() => { for (;;); }, 0)"},
		{"a long timer", "setTimeout(() => {}, 2000)"},
		{"a question", "prompt('?')"},
		{"printing", "while (true) console.log('x')"},
		{"showing", "({[Symbol.for('Jupyter.display')]() { for (;;); }})"},
		{"toString of an error", "throw {get name() { for (;;); }, get message() { for (;;); }}; "},
		{"code in code", "eval('for (;;);')"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := engineprototest.Start(t, New(Config{}))
			h.Answer = func(*engineproto.Ask) *engineproto.Answer {
				h.Interrupt()
				return nil
			}
			h.Run("let kept = 42")
			interrupted := strings.HasPrefix(c.source, "prompt")
			h.OnText = func(string) {
				if !interrupted {
					interrupted = true
					h.Interrupt()
				}
			}
			_, failed := h.Run("console.log('started');\n" + c.source)
			if c.name == "toString of an error" {
				if failed == nil {
					t.Error("got no error")
				}
			} else if failed == nil || failed.Name != engineproto.Stopped().Name || failed.Cause != engineproto.Interrupted {
				t.Errorf("got %v, want it interrupted", failed)
			}
			h.OnText = nil
			if lines, failed := h.Run("kept"); failed != nil || lines[0] != "result: text/plain 42" {
				t.Errorf("got %q, %v afterwards, want the state kept", lines, failed)
			}
		})
	}
}
