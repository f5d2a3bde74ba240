//go:build unix

package python

import (
	"strings"
	"testing"

	"github.com/quirehq/quire/core/lang/langtest"
)

// shown is a cell with its expected output, the result last.
type shown struct {
	name   string
	source string
	want   string // the whole output
	part   string // or a part of it
}

func (s shown) check(t *testing.T, engine *Engine) {
	t.Helper()
	sink, failed := run(t, engine, s.source)
	got := everything(sink)
	if failed != nil {
		got += failed.Error()
	}
	if s.part == "" && got != s.want || !strings.Contains(got, s.part) {
		t.Errorf("%s: got %q, want %q", s.source, got, s.want+s.part)
	}
}

func everything(sink *langtest.Recorder) string {
	var all strings.Builder
	for _, line := range sink.Lines() {
		for _, name := range []string{"stdout: ", "stderr: "} {
			line = strings.TrimPrefix(line, name)
		}
		all.WriteString(line)
	}
	return all.String()
}

// magics are cells that work with IPython and without.
var magics = []shown{
	{name: "a command", source: "x = 'hel'\n!echo {x}lo $x", want: "hello hel\n"},
	{name: "the lines of a command", source: "files = !printf 'a\\nb\\n'\nprint(files[1], len(files))", want: "b 2\n"},
	{name: "a command in a block", source: "for i in range(2):\n    !echo $i\nprint('end')", want: "0\n1\nend\n"},
	{name: "a command over lines", source: "!echo a \\\n  b", want: "a b\n"},
	{name: "an indented cell", source: "    a = 1\n    a + 1", want: "result: 2"},
	{name: "prompts", source: ">>> a = 3\n>>> for i in range(a):\n...     print(i)\n...", want: "0\n1\n2\n"},
	{name: "a percent in a string", source: "s = '''\n%time\n!x\n'''\nlen(s)", want: "result: 10"},
	{name: "a percent that is an operator", source: "(7\n% 4)", want: "result: 3"},
	{name: "%time", source: "%time 1 + 1", part: "Wall time: "},
	{name: "the value of %time", source: "%time 6 * 7", part: "result: 42"},
	{name: "%%time", source: "%%time\ny = 5", part: "CPU times: user"},
	{name: "what %%time binds", source: "y", want: "result: 5"},
	{name: "%timeit", source: "%timeit -n 10 -r 2 sum(range(10))", part: "per loop (mean ± std. dev. of 2 runs, 10 loops each)"},
	{name: "%%timeit", source: "%%timeit -n 3 -r 1 z = 1\nz + 1", part: "3 loops each)"},
	{name: "%%bash", source: "%%bash\nfor i in 1 2; do echo $i; done", part: "1\n2\n"},
	{name: "%%sh that fails", source: "%%sh\nexit 3", part: "3"},
	{name: "%%writefile", source: "%%writefile prog.py\nimport sys\nmade = 7\nprint(sys.argv[1:])\n", want: "Writing prog.py\n"},
	{name: "%%writefile again", source: "%%writefile -a prog.py\nprint('more')\n", want: "Appending to prog.py\n"},
	{name: "%run", source: "%run prog.py a 'b c'", want: "['a', 'b c']\nmore\n"},
	{name: "what %run binds", source: "made", want: "result: 7"},
	{name: "%%capture", source: "%%capture kept\nprint('hidden')\n!echo too\ndisplay(1)\n2 + 2", want: ""},
	{name: "what %%capture kept", source: "print(kept.stdout, end=''); len(kept.outputs)", want: "hidden\ntoo\nresult: 2"},
	{name: "%env", source: "%env GREETING=hello", want: "env: GREETING=hello\n"},
	{name: "one of %env", source: "%env GREETING", want: "result: 'hello'"},
	{name: "a command has the environment", source: "!echo $$GREETING", want: "hello\n"},
	{name: "%cd", source: "%cd /", part: "/"},
	{name: "%pwd", source: "%pwd", want: "result: '/'"},
	{name: "%who", source: "%who", part: "files"},
	{name: "help", source: "def f(x):\n    'what f does'\nf?", part: "what f does"},
	{name: "the source of help", source: "f??", part: "'what f does'"},
	{name: "%matplotlib", source: "%matplotlib inline", want: ""},
	{name: "await", source: "import asyncio\n%time 1\nawait asyncio.sleep(0, 8)", part: "result: 8"},
	{name: "await in a captured cell", source: "%%capture kept\nprint(await asyncio.sleep(0, 9))", want: ""},
	{name: "what that kept", source: "kept.stdout", want: `result: '9\n'`},
	{name: "a semicolon", source: "%time 6 * 7;", part: "Wall time"},
}

// TestTheLanguageOfNotebooks runs with IPython and without.
func TestTheLanguageOfNotebooks(t *testing.T) {
	both(t, func(t *testing.T, engine *Engine) {
		for _, c := range magics {
			t.Run(c.name, func(t *testing.T) { c.check(t, engine) })
		}
		t.Run("errors say where", func(t *testing.T) { checkErrorsOfMagics(t, engine) })
		t.Run("interrupts", func(t *testing.T) { checkInterruptsOfMagics(t, engine) })
		t.Run("the module of IPython", func(t *testing.T) { checkModule(t, engine) })
	})
}
