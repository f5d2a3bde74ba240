//go:build unix

package python

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// standIn returns an environment variable with which programs can import a stand-in for comm.
func standIn(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("testdata/standin")
	if err != nil {
		t.Fatal(err)
	}
	return "PYTHONPATH=" + dir
}

// heardQueue is a sink for messages between runs.
type heardQueue chan lang.CommMessage

// Comm implements lang.CommSink.
func (q heardQueue) Comm(m lang.CommMessage) { q <- m }

// next returns the data of the next message.
func (q heardQueue) next(t *testing.T) string {
	t.Helper()
	select {
	case m := <-q:
		return string(m.Data)
	case <-deadline(t).Done():
		t.Fatal("no message has come")
		return ""
	}
}

// talking returns an engine whose programs can import comm, and its messages between runs.
func talking(t *testing.T) (*Engine, heardQueue) {
	t.Helper()
	engine := start(t, interpreter(t), standIn(t))
	said := make(heardQueue, 100)
	engine.Comms(said)
	return engine, said
}

// tell sends a message to a comm of the program.
func tell(t *testing.T, engine *Engine, comm, data string) {
	t.Helper()
	m := lang.CommMessage{Kind: lang.CommData, Comm: comm, Data: json.RawMessage(data)}
	if err := engine.Send(deadline(t), m); err != nil {
		t.Fatal(err)
	}
}

const opening = "import comm\nc = comm.create_comm(target_name='test', comm_id='c')\nsaid = c.send\n"

func TestAProgramThatUsesNoCommsLoadsNone(t *testing.T) {
	t.Parallel()
	engine := start(t, interpreter(t), standIn(t))
	expect(t, engine, "import sys\n[name for name in ('comm', 'uuid', 'traitlets') if name in sys.modules]", "result: []")
	expect(t, engine, "import comm\ncomm.create_comm(target_name='t').comm_id == '';", "comm: open")
}

func TestWhatIsSentIsHandledOnTheMainThread(t *testing.T) {
	t.Parallel()
	engine, said := talking(t)
	expect(t, engine, opening+"import threading\nc.on_msg(lambda m: said(threading.current_thread() is threading.main_thread()))", "comm: open")
	tell(t, engine, "c", "{}")
	if got := said.next(t); got != "true" {
		t.Errorf("got %s, want the main thread", got)
	}
}

func TestAHandlerCanMakeTasks(t *testing.T) {
	t.Parallel()
	engine, said := talking(t)
	expect(t, engine, opening+"import asyncio\nasync def work(): said('done')\nc.on_msg(lambda m: asyncio.ensure_future(work()))", "comm: open")
	tell(t, engine, "c", "{}")
	if got := said.next(t); got != `"done"` {
		t.Errorf("got %s, want what the task says between the runs", got)
	}
}

func TestAHandlerThatFailsSaysSoAndTheNextIsHandled(t *testing.T) {
	t.Parallel()
	engine, said := talking(t)
	sink := execute(t, engine, opening+"def on(m):\n  print('handled')\n  said(1 / m['content']['data'])\nc.on_msg(on)")
	tell(t, engine, "c", "0")
	tell(t, engine, "none", "0")
	tell(t, engine, "c", "2")
	if got := said.next(t); got != "0.5" {
		t.Errorf("got %s, want 0.5", got)
	}
	run(t, engine, "1")
	if out, err := sink.Text(lang.Stdout), sink.Text(lang.Stderr); out != "handled\nhandled\n" || !strings.Contains(err, "ZeroDivisionError") {
		t.Errorf("got %q and %q, want what the handlers printed", out, err)
	}
}

func TestARunWaitsForTheHandlerBeforeIt(t *testing.T) {
	t.Parallel()
	engine, said := talking(t)
	expect(t, engine, opening+"import time\nx = 0\ndef on(m):\n  global x\n  said('begun')\n  print('y' * 300000)\n  time.sleep(0.2)\n  x = 1\nc.on_msg(on)", "comm: open")
	tell(t, engine, "c", "{}")
	said.next(t)
	// The source fills the pipe to the driver, and the handler the one from it.
	sink, failed := run(t, engine, "#"+strings.Repeat("x", 1<<20)+"\nx")
	if failed != nil || sink.PlainResult() != "1" {
		t.Errorf("got %v, %v, want what the handler has set", sink.PlainResult(), failed)
	}
}

func TestARunComesAfterTheMessagesThatWereSentBefore(t *testing.T) {
	t.Parallel()
	engine, said := talking(t)
	expect(t, engine, opening+"import time\nseen = []\ndef on(m):\n  said(m['content']['data'])\n  time.sleep(0.01)\n  seen.append(m['content']['data'])\nc.on_msg(on)", "comm: open")
	for range 3 {
		for range 20 {
			tell(t, engine, "c", "1")
		}
		said.next(t)
		sink, _ := run(t, engine, "n, seen = len(seen), []\nn")
		if got := sink.PlainResult(); got != "20" {
			t.Errorf("got %s messages, want 20", got)
		}
		for len(said) > 0 {
			<-said
		}
	}
}

func TestAHandlerThatHangsIsStoppedWithTheRunBehindIt(t *testing.T) {
	t.Parallel()
	engine, said := talking(t)
	expect(t, engine, opening+"kept = 42\ndef on(m):\n  said('begun')\n  while True: pass\nc.on_msg(on)", "comm: open")
	for range 3 {
		tell(t, engine, "c", "{}")
	}
	said.next(t)
	sink := &langtest.Recorder{}
	result, err := engine.Execute(deadline(t), lang.Request{Source: "kept", Timeout: 200 * time.Millisecond}, sink)
	if err != nil || result.Err == nil || result.Err.Name != timeoutName {
		t.Errorf("got %+v, %v, want the run to be stopped", result, err)
	}
	expect(t, engine, "kept", "result: 42")
}

func TestAQueryDoesNotStopAHandler(t *testing.T) {
	t.Parallel()
	engine, said := talking(t)
	path, wrote := reader(t)
	expect(t, engine, opening+"import os\ndef on(m):\n  open('"+path+"', 'w').close()\n  while not os.path.exists('go'): pass\n  said('done')\nc.on_msg(on)", "comm: open")
	tell(t, engine, "c", "{}")
	wrote()
	if _, err := engine.Complete(deadline(t), at("kep|")); err == nil {
		t.Error("got a completion, want the engine to be busy")
	}
	expectFile(t, engine)
	if got := said.next(t); got != `"done"` {
		t.Errorf("got %s, want the handler to go on", got)
	}
	expect(t, engine, "1", "result: 1") // waits for the handler
	if _, err := engine.Complete(deadline(t), at("kep|")); err != nil {
		t.Errorf("got %v after the handler, want a completion", err)
	}
}

// expectFile releases a handler that waits for a file.
func expectFile(t *testing.T, engine *Engine) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(engine.config.Dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAHandlerCannotAskAndForksInPeace(t *testing.T) {
	t.Parallel()
	engine, said := talking(t)
	expect(t, engine, opening+"import os\ndef on(m):\n  child = os.fork()\n  if not child: return\n  os.waitpid(child, 0)\n"+
		"  try: input('?')\n  except EOFError as e: said(str(e))\nc.on_msg(on)", "comm: open")
	tell(t, engine, "c", "{}")
	if got := said.next(t); !strings.Contains(got, "between runs") {
		t.Errorf("got %s, want why no user can be asked", got)
	}
	expect(t, engine, "1", "result: 1")
}

func TestALoopThatOnlySendsCanBeInterrupted(t *testing.T) {
	t.Parallel()
	engine, _ := talking(t)
	expect(t, engine, opening, "comm: open")
	result, err := engine.Execute(deadline(t), lang.Request{Source: "while True: said({})", Timeout: 300 * time.Millisecond}, &langtest.Recorder{})
	if err != nil || result.Err == nil || result.Err.Name != timeoutName {
		t.Errorf("got %+v, %v, want it to be stopped", result, err)
	}
	expect(t, engine, "1", "result: 1")
}

// methods returns the methods and the values of a widget's messages.
func methods(messages []lang.CommMessage) (all []string) {
	for _, m := range messages {
		var data struct {
			Method string                     `json:"method"`
			State  map[string]json.RawMessage `json:"state"`
		}
		_ = json.Unmarshal(m.Data, &data)
		all = append(all, data.Method+" "+string(data.State["value"]))
	}
	return all
}

func TestAWidgetsEchoComesOnceAndBeforeWhatFollows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		handler string
		want    []string
	}{
		"one that says nothing": {"pass", []string{"echo_update 20"}},
		"one that corrects it":  {"said({'method': 'update', 'state': {'value': 9}})", []string{"echo_update 20", "update 9"}},
		"one that echoes": {
			"said({'method': 'echo_update', 'state': {'value': 20}}); said({'method': 'update', 'state': {'value': 9}})",
			[]string{"echo_update 20", "update 9"},
		},
		"one that fails": {"1/0", []string{"echo_update 20"}},
	} {
		t.Run(name, func(t *testing.T) {
			engine, said := talking(t)
			run(t, engine, "import comm\nc = comm.create_comm(target_name='jupyter.widget', comm_id='c')\nsaid = c.send\n"+
				"def on(m):\n  if m['content']['data'].get('method') == 'update': "+c.handler+"\n  else: said({'method': 'end'})\nc.on_msg(on)")
			tell(t, engine, "c", `{"method":"update","state":{"value":20}}`)
			tell(t, engine, "c", `{"method":"request_state"}`)
			var got []lang.CommMessage
			for len(got) == 0 || methods(got[len(got)-1:])[0] != "end " {
				got = append(got, <-said)
			}
			if diff := cmp.Diff(c.want, methods(got[:len(got)-1])); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestTheCommPackageOfDebianIsServed uses the package itself.
func TestTheCommPackageOfDebianIsServed(t *testing.T) {
	t.Parallel()
	engine := start(t, need(t, "comm"))
	said := make(heardQueue, 100)
	engine.Comms(said)
	expect(t, engine, "import comm\nc = comm.create_comm(target_name='t', data={'a': 1}, comm_id='c')\n"+
		"c.on_msg(lambda m: c.send(m['content']['data']))\ncomm.get_comm_manager().get_comm('c') is c", "comm: open", "result: True")
	tell(t, engine, "c", "[1]")
	if got := said.next(t); got != "[1]" {
		t.Errorf("got %s, want [1]", got)
	}
}

// TestWidgetsOfDebianWork moves a slider of ipywidgets from outside.
func TestWidgetsOfDebianWork(t *testing.T) {
	t.Parallel()
	engine := start(t, need(t, "ipywidgets"))
	said := make(heardQueue, 100)
	engine.Comms(said)
	sink, failed := run(t, engine, "import ipywidgets\nseen = []\nw = ipywidgets.IntSlider(value=3, max=10)\n"+
		"w.observe(lambda change: seen.append(change['new']), 'value')\nw")
	if failed != nil {
		t.Fatal(failed)
	}
	var shown string
	for _, e := range sink.Events {
		if view, ok := e.Bundle.Data["application/vnd.jupyter.widget-view+json"]; ok {
			shown = string(view)
		}
	}
	var id string
	for _, m := range sink.Comms {
		if strings.Contains(string(m.Data), `"IntSliderModel"`) {
			id = m.Comm
		}
	}
	if id == "" || !strings.Contains(shown, id) {
		t.Fatalf("got %d comms and the view %q, want that of the slider", len(sink.Comms), shown)
	}
	tell(t, engine, id, `{"method":"update","state":{"value":7}}`)
	if got := said.next(t); !strings.Contains(got, `"value":7`) {
		t.Errorf("got %s, want the new value", got)
	}
	tell(t, engine, id, `{"method":"backbone","sync_data":{"value":7}}`) // the form of versions before 7
	expect(t, engine, "seen, w.value", "result: ([7], 7)")
}
