package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/internal/ws"
)

// maxShown is more than a run may show of what it prints, with all that says so.
const maxShown = 2 << 20

// misbehaviours are programs that break what they run in, each with how its run must
// end. Until says what its output must have before somebody interrupts it.
var misbehaviours = []struct {
	name, source, until string
	status              event.RunStatus
	output, reason      string // what must be said
	gone                bool   // the variables are
}{
	{
		name: "a loop without end", source: "print('looping')\nwhile True: pass", until: "looping",
		status: event.StatusCancelled, output: "KeyboardInterrupt",
	},
	{
		name: "print without end", source: "while True: print('x' * 1000)", until: "the run has printed",
		status: event.StatusCancelled, output: "the artifact of this output has the whole text",
	},
	{
		name: "print without a line end", source: "while True: print(1, end='')", until: "1111",
		status: event.StatusCancelled, output: "KeyboardInterrupt",
	},
	{
		name:  "ignoring the interrupt",
		until: "ignoring", status: event.StatusCancelled, reason: "did not stop when it was asked to", gone: true,
		source: "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nprint('ignoring')\nwhile True: time.sleep(1)",
	},
	{
		name:  "catching the interrupt",
		until: "catching", status: event.StatusCancelled, reason: "did not stop when it was asked to", gone: true,
		source: "import time\nprint('catching')\nwhile True:\n  try: time.sleep(1)\n  except KeyboardInterrupt: pass",
	},
	{
		name: "an exit", source: "import os\nprint('before')\nos._exit(3)",
		status: event.StatusLost, output: "before", reason: "exit status 3", gone: true,
	},
	{
		name: "a crash", source: "import ctypes\nprint('before', flush=True)\nctypes.string_at(0)",
		status: event.StatusLost, output: "before", reason: "segmentation fault", gone: true,
	},
	{
		name:   "too much memory",
		source: "import resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\nx = bytearray(2 << 30)",
		status: event.StatusError, output: "MemoryError",
	},
	{
		name: "closing the streams", source: "import os, sys\nsys.stdout.close()\nsys.stderr.close()\nos.close(1)\nos.close(2)",
		status: event.StatusOK,
	},
	{
		name: "binary", source: "import os, sys\nfor i in range(100): os.write(1, bytes(range(256)) * 16)\nsys.stdout.buffer.write(b'\\xff\\x00')\nprint('after')",
		status: event.StatusOK, output: "after",
	},
	{
		name: "killing its runtime", source: "import os, time\nprint('before', flush=True)\ntime.sleep(.2)\nos.kill(os.getppid(), 9)\ntime.sleep(60)",
		status: event.StatusLost, output: "before", reason: "its process, which is limited to", gone: true,
	},
}

// TestWhateverAProgramDoesTheNotebookStaysUsable runs programs that break what they
// run in, each in a notebook of its own. The run must end as it should and say why;
// the next one must work, with the variables unless they are gone, and another
// person must see it.
func TestWhateverAProgramDoesTheNotebookStaysUsable(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 20 s")
	}
	t.Parallel()
	s := newServer(t)
	t.Cleanup(s.kill)
	s.start(t)
	for _, c := range misbehaviours {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := s.pair(t)
			defer b.stop(t, s)
			b.run(t, "kept", "kept = 'the variables are here'", "")
			got := b.run(t, "bad", c.source, c.until)
			if got.run.Status != c.status || !strings.Contains(got.run.Reason, c.reason) {
				t.Errorf("ended as %s (%q), want %s (%q)", got.run.Status, got.run.Reason, c.status, c.reason)
			}
			if !strings.Contains(got.text, c.output) || len(got.text) > maxShown {
				t.Errorf("%d bytes of output, want at most %d with %q: %.200q", len(got.text), maxShown, c.output, got.text)
			}
			got = b.run(t, "next", "print('usable')\nprint(globals().get('kept', 'the variables are gone'))", "")
			want := "usable\nthe variables are here\n"
			if c.gone {
				want = "usable\nthe variables are gone\n"
			}
			if got.run.Status != event.StatusOK || got.text != want {
				t.Errorf("the next run ended as %s (%q) with %q, want %q", got.run.Status, got.run.Reason, got.text, want)
			}
		})
	}
	t.Cleanup(func() {
		for _, crash := range s.crashes() {
			t.Errorf("a process crashed: %s", crash)
		}
	})
}

// pair is a notebook in which one person runs programs and another sees them.
type pair struct {
	notebook        string
	author, watcher *replica.Session
	hangUp          func() error

	mu          sync.Mutex
	cell, until string // what the watcher looks for in what a cell shows
	found       bool
}

// look looks for the text in events, since to look through all that was printed,
// each time, would take long. A snapshot it has to look through.
func (p *pair) look(r *replica.Replica, up replica.Update) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(up.Committed) == 0 && len(up.Changes) > 0 && p.until != "" {
		p.found = p.found || strings.Contains(textOf(r, p.cell), p.until)
	}
	for i := range up.Committed {
		switch e := up.Committed[i].Payload.(type) {
		case *event.OutputAdded:
			p.found = p.found || p.until != "" && strings.Contains(e.Value.Text, p.until)
		case *event.OutputAppended:
			p.found = p.found || p.until != "" && strings.Contains(e.Text, p.until)
		}
	}
}

func (p *pair) hasFound(*replica.Replica) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.found
}

// pair opens a notebook.
func (s *server) pair(t *testing.T) *pair {
	t.Helper()
	p := &pair{notebook: s.Create(t)}
	ctx, cancel := context.WithCancel(context.Background())
	var running errgroup.Group
	open := func(client event.ClientID, updated func(*replica.Replica, replica.Update)) *replica.Session {
		session := replica.NewSession(replica.SessionConfig{
			Replica: replica.New(client),
			Updated: updated,
			Dial: func(ctx context.Context) (protocol.Conn, error) {
				return ws.Dial(ctx, "http://"+s.Addr+"/api/notebooks/"+p.notebook+"/sync", s.Token, ws.Options{})
			},
		})
		running.Go(func() error { return ignoreEnd(session.Run(ctx)) })
		return session
	}
	p.author, p.watcher = open("author", nil), open("watcher", p.look)
	p.hangUp = func() error {
		cancel()
		return running.Wait()
	}
	return p
}

// stop ends the notebook's runtime and the connections.
func (p *pair) stop(t *testing.T, s *server) {
	t.Helper()
	resp, err := s.Request(context.Background(), "DELETE", "/api/notebooks/"+p.notebook+"/runtime", nil)
	if err == nil {
		err = resp.Body.Close()
	}
	if err != nil {
		t.Errorf("stop the runtime: %v", err)
	}
	if err := p.hangUp(); err != nil {
		t.Error(err)
	}
}

// ended is how a run ended, and the text of its outputs.
type ended struct {
	run  notebook.Run
	text string
}

// run runs a program to its end as the other person sees it. If until is set it
// cancels the run when its output has that.
func (p *pair) run(t *testing.T, name, source, until string) (got ended) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	id := event.RunID(name)
	p.mu.Lock()
	p.cell, p.until, p.found = name, until, false
	p.mu.Unlock()
	if err := p.request(name, source); err != nil {
		t.Fatal(err)
	}
	if until != "" {
		if err := p.watcher.Wait(ctx, p.hasFound); err != nil {
			t.Fatalf("run %s does not print %q: %v", name, until, err)
		}
		if err := p.author.Do(ctx, &event.RunCancelled{Run: id}); err != nil {
			t.Fatal(err)
		}
	}
	err := p.watcher.Wait(ctx, func(r *replica.Replica) bool {
		run := r.Confirmed().Run(id)
		if run == nil || run.State != notebook.RunFinished {
			return false
		}
		got = ended{*run, textOf(r, name)}
		return true
	})
	if err != nil {
		t.Fatalf("run %s does not end: %v", name, err)
	}
	return got
}

// request requests a run of a new cell.
func (p *pair) request(name, source string) error {
	return p.author.With(func(r *replica.Replica) error {
		key, err := r.View().Between(len(r.View().Cells()))
		if err != nil {
			return err
		}
		cell := event.CellID(name)
		_, _, err = r.Do(&event.CellCreated{Cell: cell, Kind: event.KindCode, Order: key, Source: source})
		if err != nil {
			return err
		}
		_, _, err = r.Do(&event.RunRequested{Runs: []event.RunOf{{Run: event.RunID(name), Cell: cell}}})
		return err
	})
}

// textOf returns what a cell shows as text.
func textOf(r *replica.Replica, cell string) string {
	c := r.Confirmed().Cell(event.CellID(cell))
	if c == nil {
		return ""
	}
	var all strings.Builder
	for _, id := range c.Outputs {
		o := r.Confirmed().Output(id).Value()
		all.WriteString(o.Text)
		if e := o.Error; e != nil {
			fmt.Fprintf(&all, "%s: %s\n", e.Name, e.Message)
		}
	}
	return all.String()
}
