//go:build unix

package python

import "testing"

// inTheLoop is one session of cells that use one event loop.
var inTheLoop = []shown{
	{name: "a task without await", source: "import asyncio\nasync def work():\n  await asyncio.sleep(.01)\n  return 7\nt = asyncio.create_task(work())", want: ""},
	{name: "is awaited later", source: "await t", want: "result: 7"},
	{name: "the loop runs", source: "loop = asyncio.get_running_loop()\nloop is asyncio.get_event_loop(), loop.is_running()", want: "result: (True, True)"},
	{name: "a future", source: "f = loop.create_future()\nloop.call_later(.01, f.set_result, 5);", want: ""},
	{name: "of an earlier cell", source: "await f", want: "result: 5"},
	{name: "asyncio.run", source: "asyncio.run(work())", part: "RuntimeError: asyncio.run() cannot be called from a running event loop"},
	{name: "run_until_complete", source: "loop.run_until_complete(f)", part: "RuntimeError: This event loop is already running"},
	{name: "a context variable", source: "import contextvars\nv = contextvars.ContextVar('v')\nv.set(1);", want: ""},
	{name: "is there in a cell that awaits", source: "await asyncio.sleep(0)\nprint(v.get())\nv.set(2);", want: "1\n"},
	{name: "and what that sets stays", source: "v.get()", want: "result: 2"},
	{name: "with a token as well", source: "await asyncio.sleep(0)\ntoken = v.set(3)", want: ""},
	{name: "that is used later", source: "v.reset(token)\nv.get()", want: "result: 2"},
	{name: "a magic that awaits", source: "%%capture kept\nv.set(4)\nprint(await asyncio.sleep(0, 9), v.get())\nv.set(5)", want: ""},
	{name: "has the context and leaves it", source: "kept.stdout, v.get()", want: "result: ('9 4\\n', 5)"},
	{name: "a program's own loop", source: "asyncio.new_event_loop().run_until_complete(work())", part: "RuntimeError: Cannot run the event loop while another loop is running"},
	{name: "a loop in a thread", source: "import threading\nout = []\nx = threading.Thread(target=lambda: out.append(asyncio.run(work()))); x.start(); x.join()\nout", want: "result: [7]"},
}

func TestCellsRunInOneEventLoop(t *testing.T) {
	both(t, func(t *testing.T, engine *Engine) {
		for _, c := range inTheLoop {
			t.Run(c.name, func(t *testing.T) { c.check(t, engine) })
		}
	})
}

func TestTasksGoOnBetweenCells(t *testing.T) {
	t.Parallel()
	engine := load(t)
	sink := execute(t, engine, "import asyncio\nasync def work():\n  print('working')\n  await asyncio.sleep(0)\n  await asyncio.sleep(0)\nt = asyncio.create_task(work())")
	eventually(t, sink, "stdout: working\n")
	expect(t, engine, "t.done()", "result: True")
}
