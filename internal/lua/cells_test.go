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
	if _, failed := h.Run("io.read('*x')"); failed == nil || !strings.Contains(failed.Message, "*l") {
		t.Errorf("got %v", failed)
	}
}

// The wanted values are those of PUC Lua with the same lines on its standard input.
func TestProgramsReadPartsOfLines(t *testing.T) {
	h := engineprototest.Start(t, New(Config{}))
	lines := []string{"12 rest", "b", "  ", " -3.5e1,0x10", "nan", "last", "more"}
	h.Answer = func(*engineproto.Ask) *engineproto.Answer {
		if len(lines) == 0 {
			return &engineproto.Answer{End: true}
		}
		line := lines[0]
		lines = lines[1:]
		return &engineproto.Answer{Text: line}
	}
	got, failed := h.Run(`
		local function show(...) print(string.format(("%q "):rep(select("#", ...)), ...)) end
		show(io.read("*n", "*l"))
		show(io.read("*L", "*n", 1, "*n", 1))
		print(io.read("*n", "*l"))
		show(io.read(2)); show(io.read(0)); show(io.read("*a")); show(io.read("*a"))
		print((io.read("*l")))`)
	want := `stdout: "12" " rest" 
"b\
" "-35" "," "16" "\
" 
nil
"na" 
"" 
"n\
last\
more\
" 
"" 
nil
`
	if diff := cmp.Diff(want, strings.Join(got, "")); failed != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", failed, diff)
	}
}

// The wanted values are those of PUC Lua 5.1.
func TestNumbersAndFormatsAreWrittenAsLuaDoes(t *testing.T) {
	h := engineprototest.Start(t, New(Config{}))
	for source, want := range map[string]string{
		`print(math.huge, -math.huge, math.huge == 1/0)`:                                  "inf\t-inf\ttrue",
		`print(1e15, 1e14, 10/3, 2^53, -0.1, 123456789012345)`:                            "1e+15\t1e+14\t3.3333333333333\t9.007199254741e+15\t-0.1\t1.2345678901234e+14",
		`io.write(1e100, " ", 0.1 + 0.2, "\n")`:                                           "1e+100 0.3",
		`print(tostring(1e15), tostring(2))`:                                              "1e+15\t2",
		`print(string.format("%u|%5.1f|%-5d|%05d|%+d", 9, 3.14159, 42, -42, 7))`:          "9|  3.1|42   |-0042|+7",
		`print(string.format("%x %X %#x %o %c", 255, 255, 255, 8, 65))`:                   "ff FF 0xff 10 A",
		`print(string.format("%x", -1))`:                                                  "ffffffffffffffff",
		`print(string.format("%e %.3E %g %g %.14g", 12345.678, 0.5, 1e20, 0.0001, 1e15))`: "1.234568e+04 5.000E-01 1e+20 0.0001 1e+15",
		`print(string.format("%g %G %5.1f|%-6g|", 1/0, -1/0, 1/0, 1/0))`:                  "inf -INF   inf|inf   |",
		`print(string.format("%q", 'a "b" \\ \n\r\0'))`:                                   `"a \"b\" \\ \` + "\n" + `\r\000"`,
		`print(string.format("%10s|%-10s|%.2s|%s", "é", "ab", "abc", 1e15))`:              "        é|ab        |ab|1e+15",
		`print(string.format("%d %d %i", "10", 3.99, -3.99))`:                             "10 3 -3",
		`print(string.format("100%% %s", true))`:                                          "100% true",
		`print(("%5.2f"):format(2.345))`:                                                  " 2.35",
	} {
		lines, failed := h.Run(source)
		if got := strings.Join(lines, ""); failed != nil || got != "stdout: "+want+"\n" {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", source, got, failed, want)
		}
	}
	for source, want := range map[string]string{
		`string.format("%y", 1)`:         "invalid option '%y' to 'format'",
		`string.format("%s")`:            "bad argument #2 to format (value expected)",
		`string.format("%d", "x")`:       "bad argument #2 to format (number expected, got string)",
		`string.format("%99999999d", 1)`: "invalid format (width or precision too long)",
		`string.format("%------d", 1)`:   "invalid format (repeated flags)",
		`string.format("%")`:             "invalid option '%' to 'format'",
	} {
		if _, failed := h.Run(source); failed == nil || failed.Message != want {
			t.Errorf("%s: got %v, want %s", source, failed, want)
		}
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
