//go:build !race

package lua

import (
	"strings"
	"testing"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/engineproto/engineprototest"
	"github.com/quirehq/quire/core/lang"
)

func TestAProgramIsBounded(t *testing.T) {
	h := engineprototest.Start(t, New(Config{Memory: 24 << 20}))
	h.Run("kept = 42")
	for _, c := range []struct {
		source, name, message string
		lack                  lang.Lack
	}{
		{"local t = {}; while true do t[#t + 1] = ('x'):rep(100) .. #t end", "OutOfMemory", "the values of all cells may take 24 MiB", lang.LackMemory},
		{"local s = 'x'; while true do s = s .. s end", "OutOfMemory", "the values of all cells may take 24 MiB", lang.LackMemory},
		{"local s = ('x'):rep(1e9)", "Error", "resulting string too large: a string may have 128 MiB in one step", ""},
		{"local function f() return 1 + f() end; f()", "Error", "stack overflow", ""},
		{"local function f() return pcall(f) end; local function g() return 1 + select('#', pcall(g)) end; g(); error('end', 0)", "Error", "end", ""},
		{"local co; co = function() return coroutine.wrap(co)() end; co()", "OutOfMemory", "the values of all cells may take 24 MiB", lang.LackMemory},
		{"string.gsub(('a'):rep(100), '.', function() error('stop', 0) end)", "Error", "stop", ""},
	} {
		_, failed := h.Run(c.source)
		if failed == nil || failed.Name != c.name || c.message != "" && failed.Message != c.message || failed.Lack != c.lack {
			t.Errorf("%s: got %+v, want %s: %s", c.source, failed, c.name, c.message)
		}
		if lines, failed := h.Run("kept"); failed != nil || lines[0] != "result: text/plain 42" {
			t.Fatalf("%s: got %q, %v afterwards, want the state kept", c.source, lines, failed)
		}
	}
}

func TestAProgramStopsWhateverItDoes(t *testing.T) {
	h := engineprototest.Start(t, New(Config{}))
	h.Run("kept = 42")
	for name, source := range map[string]string{
		"a loop":             "while true do end",
		"a loop that caught": "while true do pcall(function() while true do end end) end",
		"a handler":          "xpcall(function() while true do end end, function() while true do end end)",
		"a coroutine":        "coroutine.wrap(function() while true do end end)()",
		"a metamethod":       "local t = setmetatable({}, {__index = function() while true do end end}); return t.x",
		"sorting":            "table.sort({3, 1, 2}, function() while true do end end)",
		"replacing":          "string.gsub('aaa', 'a', function() while true do end end)",
		"printing":           "while true do print('x') end",
		"a question":         "io.read()",
		"recursion":          "local function f() f() end; while true do pcall(f) end",
	} {
		t.Run(name, func(t *testing.T) {
			interrupted := strings.HasPrefix(source, "io.read")
			h.Answer = func(*engineproto.Ask) *engineproto.Answer {
				h.Interrupt()
				return nil
			}
			h.OnText = func(string) {
				if !interrupted {
					interrupted = true
					h.Interrupt()
				}
			}
			_, failed := h.Run("print('started')\n" + source)
			if failed == nil || failed.Cause != engineproto.Interrupted {
				t.Errorf("got %v, want it interrupted", failed)
			}
			h.OnText = nil
			if lines, failed := h.Run("kept"); failed != nil || lines[0] != "result: text/plain 42" {
				t.Errorf("got %q, %v afterwards, want the state kept", lines, failed)
			}
		})
	}
}
