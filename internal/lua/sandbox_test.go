package lua

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
	file := filepath.Join(dir, "secret.lua")
	if err := os.WriteFile(file, []byte("leaked = '"+secret+"'; return leaked"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.lua")
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	t.Chdir(dir)
	h := engineprototest.Start(t, New(Config{}))
	for _, source := range []string{
		"dofile('" + file + "')",
		"dofile('" + link + "')",
		"loadfile('./secret.lua')()",
		"require('secret')",
		"require('../" + filepath.Base(dir) + "/secret')",
		"package.path = './?.lua'; require('secret')",
		"package.cpath = './?.so'; require('secret')",
		"package.loadlib('/lib/x86_64-linux-gnu/libc.so.6', 'system')",
		"package.loaders[2]('secret')",
		"package.searchers[2]('secret')",
		"package.searchpath('secret', './?.lua')",
		"module('x')",
		"io.open('" + file + "'):read('*a')",
		"io.open('/proc/self/environ')",
		"io.lines('" + file + "')",
		"io.popen('id')",
		"io.input('" + file + "')",
		"io.output('out')",
		"io.tmpfile()",
		"os.execute('id')",
		"os.getenv('QUIRE_TEST_SECRET'):len()",
		"os.remove('" + file + "')",
		"os.rename('" + file + "', 'x')",
		"os.tmpname()",
		"os.exit(3)",
		"os.setenv('A', 'b')",
		"debug.getregistry()",
		"debug.sethook(function() end)",
		"debug.setmetatable('', {})",
		"debug.getupvalue(print, 1)",
		"debug.setfenv(print, {})",
		"string.dump(print)",
		"loadstring(string.dump(function() end))()",
		"load('\\27Lua')()",
		"newproxy(true)",
		"_printregs()",
		"channel.make()",
		"getfenv(1).dofile('" + file + "')",
		"getfenv(print).io.open('" + file + "')",
		"getmetatable('').__index.dump(print)",
		"coroutine.wrap(function() return dofile('" + file + "') end)()",
	} {
		lines, failed := h.Run(source)
		if failed == nil || strings.Contains(strings.Join(lines, "")+failed.Error(), secret) {
			t.Errorf("%s: got %q, %v, want it refused", source, lines, failed)
		}
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	lines, failed := h.Run("package.path = nil; package.cpath = nil\nlocal names = {}\nfor name in pairs(_G) do names[#names + 1] = name end\nfor _, lib in ipairs{'os', 'io', 'debug', 'package'} do for name in pairs(_G[lib]) do names[#names + 1] = lib .. '.' .. name end end\nreturn table.concat(names, ' ')")
	if failed != nil {
		t.Fatal(failed)
	}
	for name := range strings.FieldsSeq(strings.Trim(strings.TrimPrefix(lines[0], "result: text/plain "), `"`)) {
		if !slices.Contains(strings.Fields(globals), name) {
			t.Errorf("a program has %s: is it harmless?", name)
		}
	}
}

// globals are all the names that a fresh program has, with those of the libraries that could reach something.
const globals = `_G _VERSION _GOPHER_LUA_VERSION assert collectgarbage error getfenv getmetatable ipairs load loadstring next pairs pcall print rawequal
 rawget rawset require select setfenv setmetatable tonumber tostring type unpack xpcall string table math os io debug coroutine package display prompt
 clear_output $result os.clock os.date os.difftime os.time io.write io.read io.stdout io.stderr debug.getinfo debug.traceback package.loaded package.preload`
