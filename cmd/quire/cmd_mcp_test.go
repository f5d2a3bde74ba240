package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/host/terminal"
)

// mcpWorld is a server in a process of its own, with a data directory, to which agents connect.
type mcpWorld struct {
	t     *testing.T
	quire string
	dir   string
	env   []string
	cmd   *exec.Cmd // nil while no server runs
	out   *bufio.Reader
}

func newMCPWorld(t *testing.T) *mcpWorld {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	quire, err := exec.LookPath("quire") // this test binary, under the name with which it is the program
	if err != nil {
		t.Fatal(err)
	}
	w := &mcpWorld{t: t, quire: quire, dir: t.TempDir()}
	w.env = append(os.Environ(), "HOME="+w.dir, "QUIRE_DATA="+filepath.Join(w.dir, "data"), "GORACE=atexit_sleep_ms=0")
	if os.Geteuid() == 0 {
		w.env = append(w.env, "QUIRE_SANDBOX_AS_ROOT=1")
	}
	w.serve()
	t.Cleanup(func() {
		if w.cmd == nil {
			w.serve()
		}
		for line := range strings.Lines(w.run("ls")) {
			id, _, _ := strings.Cut(line, " ")
			stop := exec.Command(w.quire, "stop", id)
			stop.Env = w.env
			_ = stop.Run() // a notebook without a runtime is no fault
		}
		w.end()
	})
	return w
}

// serve starts the server, and returns when it serves.
func (w *mcpWorld) serve() {
	w.t.Helper()
	cmd := exec.Command(w.quire, "serve", "--addr", "127.0.0.1:0")
	cmd.Env = w.env
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.cmd, w.out = cmd, bufio.NewReader(out)
	if _, err := w.out.ReadString('\n'); err != nil {
		w.t.Fatalf("the server did not start: %v", err)
	}
}

// end ends the server. Runtimes stay.
func (w *mcpWorld) end() {
	_ = w.cmd.Process.Signal(syscall.SIGTERM)
	_, _ = w.out.WriteTo(&bytes.Buffer{})
	_ = w.cmd.Wait()
	w.cmd = nil
}

// run runs a command, as a person would, and returns what it wrote to stdout.
func (w *mcpWorld) run(args ...string) string {
	w.t.Helper()
	cmd := exec.Command(w.quire, args...)
	cmd.Env = w.env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("quire %q: %v\n%s", args, err, &stderr)
	}
	return strings.TrimSpace(string(out))
}

// mcpAgent is the official client, connected to quire mcp in a process of its own.
type mcpAgent struct {
	*sdk.ClientSession
	t       *testing.T
	updated chan string // addresses of resources that have changed
	log     *syncBuffer // stderr
	stdin   io.Closer
	ended   func() error // waits for the process
}

// syncBuffer is a buffer for a writer and readers at the same time.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// agent starts quire mcp and connects to it.
func (w *mcpWorld) agent(args ...string) *mcpAgent {
	w.t.Helper()
	g := &mcpAgent{t: w.t, updated: make(chan string, 1000), log: new(syncBuffer)}
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { g.updated <- r.Params.URI },
	})
	cmd := exec.Command(w.quire, append([]string{"mcp"}, args...)...)
	cmd.Env, cmd.Stderr = w.env, g.log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	g.stdin, g.ended = stdin, sync.OnceValue(cmd.Wait)
	w.t.Cleanup(g.quit)
	if g.ClientSession, err = c.Connect(w.t.Context(), &sdk.IOTransport{Reader: stdout, Writer: stdin}, nil); err != nil {
		w.t.Fatalf("connect: %v\n%s", err, g.log)
	}
	return g
}

// quit closes the stream of requests as the end of an agent does, whatever is in progress, and wants the process to end well.
func (g *mcpAgent) quit() {
	_ = g.stdin.Close()
	if err := g.ended(); err != nil {
		g.t.Errorf("quire mcp ended with %v\n%s", err, g.log)
	}
}

// try calls a tool and returns its text, and whether it failed.
func (g *mcpAgent) try(name string, arguments map[string]any) (string, bool) {
	g.t.Helper()
	r, err := g.CallTool(g.t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		g.t.Fatalf("%s %v: %v\n%s", name, arguments, err, g.log)
	}
	return r.Content[0].(*sdk.TextContent).Text, r.IsError
}

// call calls a tool, and wants it to work.
func (g *mcpAgent) call(name string, arguments map[string]any) string {
	g.t.Helper()
	text, failed := g.try(name, arguments)
	if failed {
		g.t.Fatalf("%s %v failed: %s\n%s", name, arguments, text, g.log)
	}
	return text
}

// fails calls a tool, and wants it to fail with words.
func (g *mcpAgent) fails(name string, arguments map[string]any, want ...string) {
	g.t.Helper()
	text, failed := g.try(name, arguments)
	for _, part := range want {
		if !failed || !strings.Contains(text, part) {
			g.t.Errorf("%s %v: got %v %q, want a failure with %q", name, arguments, failed, text, part)
		}
	}
}

// last returns the last word of a text, which is the id of what a tool created.
func last(text string) string { return text[strings.LastIndexByte(text, ' ')+1:] }

// until waits until a tool's text has a part.
func (g *mcpAgent) until(name string, arguments map[string]any, want string) string {
	g.t.Helper()
	for { // a test that does not end has failed
		if text, failed := g.try(name, arguments); !failed && strings.Contains(text, want) {
			return text
		}
		time.Sleep(20 * time.Millisecond)
	}
}

type args = map[string]any

func TestAS70ToolsAreThoseOfTheAllowedClassesEachWithANotebook(t *testing.T) {
	w := newMCPWorld(t)
	for _, c := range []struct {
		flags []string
		want  string
		none  string
	}{
		{nil, "create_cell create_notebook delete_cell edit_cell interrupt list_cells list_notebooks move_cell read_cell run_cell search variables write_cell", "install_package"},
		{[]string{"--allow", "reads"}, "list_cells list_notebooks read_cell search variables", "run_cell"},
		{[]string{"--allow", "reads,edits,runs,outside"}, "create_cell create_notebook delete_cell edit_cell install_package interrupt list_cells list_notebooks move_cell read_cell run_cell search variables write_cell", ""},
	} {
		g := w.agent(c.flags...)
		listed, err := g.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, one := range listed.Tools {
			names = append(names, one.Name)
			schema := one.InputSchema.(map[string]any)
			_, has := schema["properties"].(map[string]any)["notebook"]
			if of := !strings.HasSuffix(one.Name, "_notebook") && !strings.HasSuffix(one.Name, "_notebooks"); has != of || schema["additionalProperties"] != false || one.Description == "" {
				t.Errorf("%s: got the schema %v", one.Name, schema)
			}
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%q: got %s, want %s", c.flags, got, c.want)
		}
		if c.none != "" {
			g.fails(c.none, args{"notebook": "x"}, c.none+" is a tool of the class", "--allow")
		}
	}
}

func TestAS71AnAgentWritesRunsAndRepairsACellInALiveNotebook(t *testing.T) {
	w := newMCPWorld(t)
	g := w.agent("--name", "claude-code")
	id := last(g.call("create_notebook", args{"title": "Tides of June"}))
	if text := g.call("list_notebooks", nil); !strings.Contains(text, id) || !strings.Contains(text, "Tides of June") {
		t.Errorf("got %q", text)
	}
	cell := last(g.call("create_cell", args{"notebook": "tides of june", "source": "depth = 1 / zero"})) // by its title
	at := func(more args) args {
		a := args{"notebook": id[:8], "cell": cell} // by the beginning of its id
		for name, v := range more {
			a[name] = v
		}
		return a
	}
	g.fails("run_cell", at(nil), "the run ended: error", "NameError", "zero")
	g.call("edit_cell", at(args{"old": "zero", "new": "4\nprint(depth)"}))
	if text := g.call("run_cell", at(nil)); !strings.Contains(text, "the run ended: ok") || !strings.Contains(text, "0.25") {
		t.Errorf("got %q", text)
	}
	if text := g.call("variables", args{"notebook": id}); !strings.Contains(text, "depth") {
		t.Errorf("got %q", text)
	}
	if got := w.run("show", id); !strings.Contains(got, "depth = 1 / 4") || !strings.Contains(got, "0.25") {
		t.Errorf("a person sees %q", got)
	}

	j := w.person(id)
	defer j.Leave()
	g.call("read_cell", at(nil))
	g.call("edit_cell", at(args{"old": "4", "new": "5"}))
	err := j.Wait(t.Context(), func(r *replica.Replica) bool {
		for _, p := range r.Peers() {
			if p.Presence.Name == "claude-code" && string(p.Presence.Cell) == cell {
				return true
			}
		}
		return false
	})
	if err != nil {
		t.Errorf("the agent's caret was never seen: %v", err)
	}
}

// person joins a notebook as a person at a terminal.
func (w *mcpWorld) person(id string) *terminal.Session {
	w.t.Helper()
	a := &app{config: settings.Read(env("QUIRE_DATA", filepath.Join(w.dir, "data")), home, settings.File{})}
	j, _, err := a.open(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return j
}

func TestAS72WrongCallsAreFailedResultsInWords(t *testing.T) {
	w := newMCPWorld(t)
	g := w.agent()
	g.fails("list_cells", nil, `list_cells needs the argument "notebook"`)
	g.fails("list_cells", args{"notebook": 7}, `the argument "notebook" must be a text`)
	g.fails("list_cells", args{"notebook": "nope"}, `there is no notebook "nope"; list_notebooks has the ids`)
	g.fails("create_notebook", args{}, `create_notebook needs the argument "title"`)
	g.fails("create_notebook", args{"title": " "}, "the title is empty")
	g.fails("create_notebook", args{"title": "x", "cells": 3}, `unknown field "cells"; it takes title (needed)`)
	g.fails("list_notebooks", args{"all": true}, `unknown field "all"; it takes none`)
	id := last(g.call("create_notebook", args{"title": "Twice"}))
	other := w.run("new", "twice")
	g.fails("list_cells", args{"notebook": "Twice"}, `could be any of 2`, id, other)
	g.fails("create_cell", args{"notebook": id, "text": "1"}, `create_cell has no argument "text"; it takes source (needed)`)
	g.fails("read_cell", args{"notebook": id, "cell": "nope"}, `there is no cell "nope"; list_cells has the ids`)
	if _, err := g.CallTool(t.Context(), &sdk.CallToolParams{Name: "format_disk"}); err == nil || !strings.Contains(err.Error(), "format_disk") {
		t.Errorf("got %v, want an error of the protocol for a tool that does not exist", err)
	}
	w.run("delete", id)
	g.fails("create_cell", args{"notebook": id, "source": "1"}, "notebook")
}

func TestAS73AResourceIsReadAndFollowed(t *testing.T) {
	w := newMCPWorld(t)
	g := w.agent()
	id := w.run("new", "Tides")
	first, second := w.run("add", id, "x = 1"), w.run("add", id, "y = 2")
	listed, err := g.ListResources(t.Context(), nil)
	if err != nil || len(listed.Resources) != 1 || listed.Resources[0].URI != "notebook://"+id || listed.Resources[0].Title != "Tides" {
		t.Fatalf("got %+v, %v", listed, err)
	}
	read := func(address string) string {
		t.Helper()
		r, err := g.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: address})
		if err != nil {
			t.Fatal(err)
		}
		return r.Contents[0].Text
	}
	whole, one := "notebook://"+id, "notebook://"+id+"/cell/"+first
	if text := read(whole); !strings.Contains(text, "x = 1") || !strings.Contains(text, "y = 2") {
		t.Errorf("got %q", text)
	}
	if text := read(one); !strings.Contains(text, "x = 1") || strings.Contains(text, "y = 2") {
		t.Errorf("got %q", text)
	}
	_, err = g.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "notebook://" + id + "/cell/nope"})
	if err == nil || !strings.Contains(err.Error(), `there is no cell "nope"`) {
		t.Errorf("got %v", err)
	}
	for _, address := range []string{whole, one} {
		if err := g.Subscribe(t.Context(), &sdk.SubscribeParams{URI: address}); err != nil {
			t.Fatal(err)
		}
	}
	w.run("edit", id, second, "--set", "y = 3")
	if got := <-g.updated; got != whole {
		t.Errorf("got a notification about %s, want one about %s: the other cell has not changed", got, whole)
	}
	w.run("exec", id, "--cell", first)
	for <-g.updated != one {
	}
	if text := read(whole); !strings.Contains(text, "y = 3") {
		t.Errorf("got %q", text)
	}
	if err := g.Unsubscribe(t.Context(), &sdk.UnsubscribeParams{URI: one}); err != nil {
		t.Fatal(err)
	}
}

func TestAS74ACancelledCallCancelsItsRun(t *testing.T) {
	w := newMCPWorld(t)
	g := w.agent()
	id := w.run("new", "Slow")
	cell := w.run("add", id, "import time\nprint('begun', flush=True)\ntime.sleep(3600)")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := g.CallTool(ctx, &sdk.CallToolParams{Name: "run_cell", Arguments: args{"notebook": id, "cell": cell}})
		ended <- err
	}()
	at := args{"notebook": id, "cell": cell}
	g.until("read_cell", at, "begun\n")
	cancel()
	if err := <-ended; err == nil {
		t.Error("the cancelled call has no error")
	}
	g.until("read_cell", at, `state="cancelled"`)

	// So does the end of the agent.
	other := w.agent()
	go func() { _, _ = other.CallTool(t.Context(), &sdk.CallToolParams{Name: "run_cell", Arguments: at}) }()
	g.until("read_cell", at, `state="running"`)
	other.quit()
	g.until("read_cell", at, `state="cancelled"`)
}

func TestAS75AServerThatWentAwayIsConnectedAgainAndThatIsSaid(t *testing.T) {
	w := newMCPWorld(t)
	g := w.agent()
	id := last(g.call("create_notebook", args{"title": "Tides"}))
	g.call("create_cell", args{"notebook": id, "source": "x = 1"})
	w.end()
	g.fails("create_cell", args{"notebook": id, "source": "y = 2"}, "nothing was done", "quire serve")
	g.fails("list_notebooks", nil, "quire serve")
	w.serve()
	g.until("list_cells", args{"notebook": id}, "x = 1")
	g.call("create_cell", args{"notebook": id, "source": "z = 3"})
	if got := w.run("show", id); !strings.Contains(got, "x = 1") || strings.Contains(got, "y = 2") || !strings.Contains(got, "z = 3") {
		t.Errorf("got %q, want the cells of the calls that worked", got)
	}
	for _, want := range []string{"the connection to the server is lost", "the server is back"} {
		if !strings.Contains(g.log.String(), want) {
			t.Errorf("got the log %q, want %q", g.log, want)
		}
	}
}

func TestAS70AClassThatDoesNotExistIsRefused(t *testing.T) {
	a, stdout, stderr := offline()
	if code := a.execute(t.Context(), []string{"mcp", "--allow", "reads,all"}); code != exitUsage || stdout.Len() > 0 || !strings.Contains(stderr.String(), "--allow") {
		t.Errorf("got %d, %q", code, stderr)
	}
}
