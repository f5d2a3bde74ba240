//go:build !race

package javascript

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/engineproto/engineprototest"
)

func TestAProgramReachesNothingOutside(t *testing.T) {
	const secret = "outside-1f7c"
	t.Setenv("QUIRE_TEST_SECRET", secret)
	dir := t.TempDir()
	file := filepath.Join(dir, "secret.js")
	if err := os.WriteFile(file, []byte("export default '"+secret+"'; globalThis.leaked = '"+secret+"'"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.js")
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	t.Chdir(dir)
	h := engineprototest.Start(t, New(Config{}))
	for _, source := range []string{
		"await import('" + file + "')",
		"await import('./secret.js')",
		"await import('../" + filepath.Base(dir) + "/secret.js')",
		"await import('" + link + "')",
		"await import('file://" + file + "')",
		"await import('/proc/self/environ')",
		"await import('std')",
		"await import('os')",
		"await import('http://127.0.0.1:1/x.js')",
		"import * as std from 'std'",
		"await (0, eval)(\"import('./secret.js')\")",
		"await new Function(\"return import('./secret.js')\")()",
		"std.getenv('QUIRE_TEST_SECRET')",
		"os.open('/etc/passwd')",
		"loadScript('" + file + "')",
		"load('" + file + "')",
		"require('fs')",
		"process.env",
		"Deno.env",
		"scriptArgs",
		"new Worker('x')",
		"fetch('http://127.0.0.1:1')",
		"new WebSocket('ws://127.0.0.1:1')",
		"new XMLHttpRequest()",
		"this.constructor.constructor('return process')()",
		"(function () {}).constructor('return require')()('child_process')",
		"Reflect.construct(Function, ['return std'])()",
		"$host_text('stdout', 'x')",
		"globalThis.$prelude()",
		"bjson.read(new ArrayBuffer(8))",
		"__loadScript('" + file + "')",
		"Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0, 1e9)",
	} {
		lines, failed := h.Run(source)
		if failed == nil || strings.Contains(strings.Join(lines, "")+failed.Error(), secret) {
			t.Errorf("%s: got %q, %v, want it refused", source, lines, failed)
		}
	}
	for _, source := range []string{"typeof leaked", "Object.getOwnPropertyNames(globalThis).filter(name => /host|prelude|std|^os$/.test(name)).length"} {
		if lines, _ := h.Run(source); lines[0] != "result: text/plain 'undefined'" && lines[0] != "result: text/plain 0" {
			t.Errorf("%s: got %q, want nothing of ours", source, lines)
		}
	}
	lines, failed := h.Run("Object.getOwnPropertyNames(globalThis).join(' ')")
	if failed != nil {
		t.Fatal(failed)
	}
	for name := range strings.FieldsSeq(strings.Trim(strings.TrimPrefix(lines[0], "result: text/plain "), "'")) {
		if !slices.Contains(strings.Fields(globals), name) {
			t.Errorf("a program has the global %s: is it harmless?", name)
		}
	}
}

// globals are all the names that a fresh program has.
const globals = ` Object Function Error EvalError RangeError ReferenceError SyntaxError TypeError URIError InternalError AggregateError Iterator Array
 parseInt parseFloat isNaN isFinite queueMicrotask decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape Infinity NaN undefined
 Number Boolean String Math Reflect Symbol eval globalThis Date RegExp JSON Proxy Map Set WeakMap WeakSet ArrayBuffer SharedArrayBuffer Uint8ClampedArray
 Int8Array Uint8Array Int16Array Uint16Array Int32Array Uint32Array BigInt64Array BigUint64Array Float16Array Float32Array Float64Array DataView Atomics Promise
 BigInt WeakRef FinalizationRegistry performance DOMException navigator Buffer Intl
 console setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate TextEncoder TextDecoder btoa atob structuredClone display prompt
 alert inspect $declare `
