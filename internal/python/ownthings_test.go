//go:build unix

package python

import "testing"

// ownThings is one session: the parts of Python itself that a program sees are like in ipykernel.
var ownThings = []shown{
	{name: "the folder of the start is first in the path", source: "import os, sys\nstart = os.getcwd()\nsys.path[0] == start", want: "result: True"},
	{name: "a module of it", source: "open('ofstart.py', 'w').write('Z = 1\\n'); os.mkdir('d'); os.chdir('d')", want: ""},
	{name: "is found from elsewhere", source: "import ofstart\nofstart.Z", want: "result: 1"},
	{name: "and a module of where the program is", source: "open('ofhere.py', 'w').write('Z = 2\\n')\nimport ofhere\nofhere.Z", want: "result: 2"},
	{name: "a hook for values", source: "old = sys.displayhook\nsys.displayhook = lambda value: print('hook', value)\n5", want: "hook 5\n"},
	{name: "is for its cell", source: "6", want: "result: 6"},
	{name: "it has None too", source: "sys.displayhook = lambda value: print('hook', value)\nNone", want: "hook None\n"},
	{name: "until it is taken back", source: "sys.displayhook = old\n7", want: "result: 7"},
	{name: "the hook can be called", source: "sys.displayhook(8)", want: "result: 8"},
	{name: "an import from the future behind other code", source: "1\nfrom __future__ import annotations\ndef f(x: undefined): pass\n2", want: "result: 2"},
	{name: "and behind a magic", source: "!true\nfrom __future__ import annotations\n3", want: "result: 3"},
	{name: "an error", source: "1 / 0", part: "ZeroDivisionError"},
	{name: "is kept where Python keeps it", source: "sys.last_type.__name__, sys.last_value.args, sys.last_traceback is not None", want: "result: ('ZeroDivisionError', ('division by zero',), True)"},
	{name: "In has no line ends", source: "In[-1]", want: "result: 'In[-1]'"},
	{name: "not of a magic either", source: "!true\n", want: ""},
	{name: "nor of what follows", source: "In[-2][-1:] != '\\n'", want: "result: True"},
	{name: "no repr", source: "class C:\n  def __repr__(self): raise ValueError('no repr')\nC()", part: "ValueError: no repr"},
	{name: "pagers", source: "os.environ['PAGER'], os.environ['GIT_PAGER']", want: "result: ('cat', 'cat')"},
	{name: "no repr in a display, which goes on", source: "display(C()); print('on')", part: "on\n"},
	{name: "attributes that fail", source: "class F:\n  def __getattr__(self, name): raise RuntimeError(name)\n  def __repr__(self): return 'F!'\nF()", want: "result: F!"},
	{name: "a value that shows itself", source: "class D:\n  def _ipython_display_(self): print('itself')\nD()", want: "itself\n"},
	{name: "in a display too", source: "display(D())", want: "itself\n"},
	{name: "a prompt of IPython", source: "In [1]: 5", want: "result: 5"},
	{name: "the last module", source: "sys.modules['__main__']", want: "result: <module '__main__'>"},
}

func TestWhatIsThePythonsOwnIsAsInAKernel(t *testing.T) {
	both(t, func(t *testing.T, engine *Engine) {
		for _, c := range ownThings {
			t.Run(c.name, func(t *testing.T) { c.check(t, engine) })
		}
	})
}

// ofUsersShell is one session of commands that only some shells know.
var ofUsersShell = []shown{
	{name: "a test", source: "![[ 1 == 1 ]] && echo yes", want: "yes\n"},
	{name: "braces", source: "!echo {1..3}", want: "1 2 3\n"},
	{name: "source", source: "!source /dev/null && echo ok", want: "ok\n"},
	{name: "a process as a file", source: "!diff <(echo 1) <(echo 1) && echo same", want: "same\n"},
	{name: "lines", source: "x = !echo {1..2}\nprint(x[0])", want: "1 2\n"},
	{name: "quotes", source: "y = 5\n!echo \"$y\" '$y'", want: "5 $y\n"},
	{name: "a shell that is not there", source: "import os\nos.environ['SHELL'] = '/nothing'\n!echo in", want: "in\n"},
	{name: "one that lets nothing in", source: "os.environ['SHELL'] = '/usr/sbin/nologin'\n!echo in", want: "in\n"},
	{name: "none", source: "del os.environ['SHELL']\n!echo in", want: "in\n"},
}

func TestCommandsRunInTheShellOfTheUser(t *testing.T) {
	if executable("/bin/bash") != nil {
		t.Skip("this test needs /bin/bash")
	}
	for name, python := range map[string]string{"without IPython": interpreter(t), "with IPython": need(t, "IPython")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine := start(t, python, "SHELL=/bin/bash")
			for _, c := range ofUsersShell {
				t.Run(c.name, func(t *testing.T) { c.check(t, engine) })
			}
		})
	}
}

// giveToIPython is one session of programs that register functions with IPython's shell.
var giveToIPython = []shown{
	{name: "a value before the shell is there", source: "c = [1]\nc", want: "result: [1]"},
	{name: "is deleted", source: "%xdel c\n'c' in dir()", want: "result: False"},
	{name: "events", source: "ip = get_ipython()\nlog = []\nip.events.register('pre_run_cell', lambda i: log.append(i.raw_cell))\n" +
		"ip.events.register('post_run_cell', lambda r: log.append((r.success, r.result)))", want: ""},
	{name: "of a value", source: "5", want: "result: 5"},
	{name: "of an error", source: "1 / 0", part: "ZeroDivisionError"},
	{name: "of no syntax", source: "x = = 1", part: "SyntaxError"},
	{name: "are told", source: "log", part: "(True, 5),\n '1 / 0',\n (False, None),\n 'x = = 1',\n (False, None),\n 'log'"},
	{name: "a value", source: "6", want: "result: 6"},
	{name: "is the last result", source: "ip.last_execution_result.result", want: "result: 6"},
	{name: "the last one", source: "ip.last_execution_result.success, ip.last_execution_succeeded", want: "result: (True, True)"},
	{name: "%xdel", source: "c = 1\n%xdel c\n'c' in dir()", want: "result: False"},
	{name: "%store", source: "v = [1, 2]\n%store v", want: "Stored 'v' (list)\n"},
	{name: "and back", source: "del v\n%store -r v\nv", want: "result: [1, 2]"},
	{name: "a script in the background", source: "%%script bash --bg --out later\necho later", want: ""},
	{name: "magics of kernels", source: "[n for n in ('clear', 'cls', 'less', 'more', 'man', 'edit', 'ed', 'connect_info', 'qtconsole', 'autosave') if ip.find_line_magic(n) is None]", want: "result: []"},
	{name: "%less", source: "open('f.txt', 'w').write('in it\\n')\n%less f.txt", want: "in it\n"},
	{name: "%history with outputs", source: "%history -o 4", part: "5\n5\n"},
	{name: "a showtraceback of the program", source: "ip.showtraceback = lambda *a, **k: print('mine')\n1 / 0", part: "mine\nZeroDivisionError"},
}

func TestProgramsHangOnIPython(t *testing.T) {
	t.Parallel()
	engine := start(t, need(t, "IPython"), "HOME="+t.TempDir())
	for _, c := range giveToIPython {
		t.Run(c.name, func(t *testing.T) { c.check(t, engine) })
	}
}
