package lua

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/engineproto/engineprototest"
)

func TestCellsPrintAndHaveValues(t *testing.T) {
	h := engineprototest.Start(t, New(Config{}))
	for _, c := range []struct {
		name, source string
		want         []string
	}{
		{"print", `print("a", 1, nil, true, 1.5)`, []string{"stdout: a\t1\tnil\ttrue\t1.5\n"}},
		{"print with __tostring", `print(setmetatable({}, {__tostring = function() return "me" end}))`, []string{"stdout: me\n"}},
		{"io.write", `io.write("a", 1); io.stderr:write("b\n"); io.stdout:write("c"):write("d")`, []string{"stdout: a1", "stderr: b\n", "stdout: cd"}},
		{"an expression", `1 + 1`, []string{"result: text/plain 2"}},
		{"after statements", "x = 20\nlocal y = 1\nx + y", []string{"result: text/plain 21"}},
		{"in one line", `a = 5; a * 2`, []string{"result: text/plain 10"}},
		{"over lines", "local t = 3\nt +\n  4", []string{"result: text/plain 7"}},
		{"a call", `math.max(1, 2)`, []string{"result: text/plain 2"}},
		{"several values", `1, "a", nil`, []string{"result: text/plain 1\t\"a\"\tnil"}},
		{"return", `return 7`, []string{"result: text/plain 7"}},
		{"nil", `nil`, []string{"result: text/plain nil"}},
		{"a statement", `x = 1`, nil},
		{"a comment", `-- nothing`, nil},
		{"nothing", ``, nil},
		{"a list", `{1, 2, {3}}`, []string{`result: application/json [1,2,[3]] text/plain {1, 2, {3}}`}},
		{"fields", `{b = 1, a = "x", ["a b"] = true}`, []string{`result: application/json {"a":"x","a b":true,"b":1} text/plain {a = "x", ["a b"] = true, b = 1}`}},
		{"both", `{1, x = 2}`, []string{`result: text/plain {1, x = 2}`}},
		{"itself", `local t = {}; t.t = t; return t`, []string{`result: text/plain {t = {...}}`}},
		{"a long table", `local t = {}; for i = 1, 30 do t[i] = "item " .. i end; return #t, t[30]`, []string{"result: text/plain 30\t\"item 30\""}},
		{"quotes", `"a\"b\n\1"`, []string{`result: text/plain "a\"b\n\001"`}},
		{"display", `print("a"); display("<b>b</b>", "text/html"); print("c")`, []string{"stdout: a\n", "display: text/html <b>b</b>", "stdout: c\n"}},
		{"update", `display("1", "text/plain", "p"); display("2", "text/plain", "p", true)`, []string{"display p: text/plain 1", "update p: text/plain 2"}},
		{"bytes", `display("\1\2\255", "image/png")`, []string{"display: image/png AQL/"}},
		{"clear", `print("a"); clear_output(true); print("b")`, []string{"stdout: a\n", "clear: true", "stdout: b\n"}},
		{"hash-bang", "#!/usr/bin/lua\nprint(1)", []string{"stdout: 1\n"}},
		{"a module", `package.preload.m = function() return {v = 4} end; return require("m").v`, []string{"result: text/plain 4"}},
		{"coroutines", `local f = coroutine.wrap(function() coroutine.yield(1); return 2 end); return f(), f()`, []string{"result: text/plain 1\t2"}},
		{"goto", "for i = 1, 3 do if i == 2 then goto next end io.write(i) ::next:: end", []string{"stdout: 13"}},
	} {
		lines, failed := h.Run(c.source)
		if failed != nil {
			lines = append(lines, "fails: "+failed.Error())
		}
		if diff := cmp.Diff(c.want, lines); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestGlobalsAndCoroutinesLiveOn(t *testing.T) {
	h := engineprototest.Start(t, New(Config{}))
	h.Run("n = 1; function up() n = n + 1; return n end; co = coroutine.create(function() for i = 1, 3 do coroutine.yield(i) end; while true do end end); coroutine.resume(co)")
	h.OnText = func(string) { h.Interrupt() }
	h.Run("print('started'); while true do end")
	h.OnText = nil
	if lines, failed := h.Run("up(), select(2, coroutine.resume(co))"); failed != nil || lines[0] != "result: text/plain 2\t2" {
		t.Errorf("got %q, %v", lines, failed)
	}
	h.Run("coroutine.resume(co)")
	h.OnText = func(string) { h.Interrupt() }
	if _, failed := h.Run("print('started'); coroutine.resume(co)"); failed == nil || failed.Cause != engineproto.Interrupted {
		t.Errorf("got %v of a loop in a coroutine of an earlier run, want it interrupted", failed)
	}
	h.OnText = nil
	if lines, _ := h.Run("type(local_one), n"); lines[0] != "result: text/plain \"nil\"\t2" {
		t.Errorf("got %q", lines)
	}
}

func TestProgramsAskForLines(t *testing.T) {
	h := engineprototest.Start(t, New(Config{}))
	h.Answer = func(ask *engineproto.Ask) *engineproto.Answer {
		return &engineproto.Answer{Text: "12" + ask.Prompt + map[bool]string{true: "secret"}[ask.Secret]}
	}
	for source, want := range map[string]string{
		`io.read()`: `"12"`, `io.read("*l")`: `"12"`, `io.read("*L")`: `"12\n"`, `io.read("*n") + 1`: `13`, `io.read("n")`: `12`,
		`prompt("name? ")`: `"12name? "`, `prompt("word? ", true)`: `"12word? secret"`,
	} {
		if lines, failed := h.Run(source); failed != nil || lines[0] != "result: text/plain "+want {
			t.Errorf("%s: got %q, %v, want %s", source, lines, failed, want)
		}
	}
	h.Answer = nil
	if lines, _ := h.Run("io.read()"); lines[0] != "result: text/plain nil\t\"nobody is here\"" {
		t.Errorf("got %q at the end of input", lines)
	}
	if _, failed := h.Run("assert(io.read())"); failed == nil || failed.Message != "nobody is here" {
		t.Errorf("got %v", failed)
	}
	if _, failed := h.Run("io.read('*a')"); failed == nil || !strings.Contains(failed.Message, "*l") {
		t.Errorf("got %v", failed)
	}
}

func TestErrorsOfLua(t *testing.T) {
	h := engineprototest.Start(t, New(Config{}))
	h.Run("function deep(n)\n  error('in deep')\nend")
	for _, c := range []struct {
		source, name, message string
		line, column          int
	}{
		{"local x = nil\nx.y = 1", "Error", "attempt to index a non-table object(nil) with key 'y'", 2, 0},
		{"\nnope()", "Error", "attempt to call a non-function object", 2, 0},
		{"return 1 + {}", "Error", "cannot perform add operation between number and table", 1, 0},
		{"return 'a' .. {}", "Error", "cannot perform concat operation between string and table", 1, 0},
		{"return #nil", "Error", "__len undefined", 1, 0},
		{"if 1 < 'a' then end", "Error", "attempt to compare number with string", 1, 0},
		{"error('mine')", "Error", "mine", 1, 0},
		{"\n\nerror('without a place', 0)", "Error", "without a place", 3, 0},
		{"error({code = 5})", "Error", "{code = 5}", 1, 0},
		{"error(setmetatable({}, {__tostring = function() return 'told' end}))", "Error", "told", 1, 0},
		{"error(nil)", "Error", "nil", 1, 0},
		{"assert(false, 'asserted')", "Error", "asserted", 1, 0},
		{"x = = 1", "SyntaxError", "syntax error near '='", 1, 5},
		{"for i = 1, 2 do\n  print(i)\n", "SyntaxError", "syntax error at the end", 3, 0},
		{"local s = 'abc\n", "SyntaxError", "unterminated string", 1, 0},
		{"é = 1", "SyntaxError", "unexpected character near 'é'", 1, 1},
		{"local t = {}\nt[nil] = 1", "Error", "table index is nil", 2, 0},
		{"string.rep()", "Error", "bad argument #1 to rep (string expected, got nil)", 1, 0},
		{"local function f()\n  local function g() error('inner') end\n  g()\nend\nf()", "Error", "inner", 2, 0},
		{"\ndeep(1)", "Error", "in deep", 2, 0},
		{"local function r() return 1 + r() end\nr()", "Error", "stack overflow", 1, 0},
		{"goto nowhere", "SyntaxError", "no visible label 'nowhere' for <goto>", 1, 0},
		{"break", "SyntaxError", "no loop to break", 1, 0},
		{"require('socket')", "Error", "module 'socket' not found: this engine is a sandbox without files; set package.preload", 1, 0},
	} {
		_, e := h.Run(c.source)
		if e == nil {
			t.Errorf("%q: got no error", c.source)
			continue
		}
		if e.Name != c.name || e.Message != c.message || e.Line != c.line || e.Column != c.column {
			t.Errorf("%q:\ngot  %s: %s at %d:%d\nwant %s: %s at %d:%d", c.source, e.Name, e.Message, e.Line, e.Column, c.name, c.message, c.line, c.column)
		}
		if trace := strings.Join(e.Trace, "\n"); !strings.HasPrefix(trace, e.Name+": ") || strings.Contains(trace, "quire:") || strings.Contains(trace, resultName) {
			t.Errorf("%q: got the trace\n%s\nwant the error first, and nothing of ours", c.source, trace)
		}
	}
}
