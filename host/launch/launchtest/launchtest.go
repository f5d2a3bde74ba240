// Package launchtest has the tests of every launcher of runtimes. A launcher starts a program that takes
// the flags of `quire runtime`; here that is the test's own binary, whose TestMain calls [Program] first.
// Programs report to the test over a connection, of which the token says the address, so that they need
// share nothing else with it.
package launchtest

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/runtime"
	"github.com/quirehq/quire/host/native"
)

// Launcher is the contract under test, that of host/server/rooms.
type Launcher interface {
	Launch(ctx context.Context, l runtime.Launch) error
	End(ctx context.Context, notebook string, over func(event.RuntimeID) bool) error
	Left(ctx context.Context, notebook string, id event.RuntimeID, to artifact.Store) ([]event.Draft, error)
	Gone(notebook string, id event.RuntimeID) string
}

// Config is the configuration of a launcher.
type Config struct {
	Dir     string        // the data directory
	Program string        // that runtimes are
	Environ []string      // of runtimes
	Flags   []string      // of runtimes
	Grace   time.Duration // after which a runtime that is to end is killed
	Most    int           // runtimes at once; 0 for any number
}

// Suite tests launchers. A launcher that is opened on the directory of another is that of the next
// server: the first one is not closed, since a server may be killed.
func Suite(t *testing.T, open func(t *testing.T, cfg Config) Launcher) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, *world)
	}{
		{"a runtime is told what it is, and its token in secret", toldInSecret},
		{"a runtime that is on its way is not started twice", startedOnce},
		{"a runtime that hears that it is over ends by itself", endsByItself},
		{"only the runtimes that are over end, with all that they started", endsThoseThatAreOver},
		{"the next server knows the runtimes of the one before", knownToTheNext},
		{"a limit that keeps a runtime from starting is named", limitNamed},
		{"a launch that fails says why", failureSaid},
		{"the death of a runtime is told", deathTold},
		{"the spool of a dead runtime is inherited", spoolInherited},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, newWorld(t, open)) })
	}
}

// patience bounds each wait of a test.
const patience = 10 * time.Second

// world is a data directory and the programs that were started on it.
type world struct {
	cfg     Config
	open    func(*testing.T, Config) Launcher
	token   string
	arrived chan arrival
}

// arrival is a program that has reported.
type arrival struct {
	report
	conn net.Conn
	gone <-chan struct{} // closed when the program is
}

func newWorld(t *testing.T, open func(*testing.T, Config) Launcher) *world {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{open: open, token: listener.Addr().String(), arrived: make(chan arrival, 16)}
	w.cfg = Config{
		Dir: t.TempDir(), Program: program, Grace: time.Millisecond, Flags: []string{"--memory", "1G"},
		Environ: append(os.Environ(), programVariable+"=1"),
	}
	ended := make(chan struct{})
	go func() { defer close(ended); w.accept(listener) }()
	t.Cleanup(func() { _ = listener.Close(); <-ended })
	return w
}

// accept takes in the reports of programs until the listener is closed.
func (w *world) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		lines := bufio.NewReader(conn)
		line, _ := lines.ReadBytes('\n')
		gone := make(chan struct{})
		a := arrival{conn: conn, gone: gone}
		if json.Unmarshal(line, &a.report) != nil {
			_ = conn.Close()
			continue
		}
		go func() { defer close(gone); _, _ = lines.ReadByte() }()
		w.arrived <- a
	}
}

// issue returns the token.
func (w *world) issue() (string, error) { return w.token, nil }

// launcher returns a launcher of the next server. Its runtimes end with the test.
func (w *world) launcher(t *testing.T) Launcher {
	t.Helper()
	l := w.open(t, w.cfg)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		for _, notebook := range []string{plain, deaf, dying, second} {
			if err := l.End(ctx, notebook, every); err != nil {
				t.Errorf("end the runtimes of %s: %v", notebook, err)
			}
		}
	})
	return l
}

// launch starts a runtime and returns it when it has reported.
func (w *world) launch(t *testing.T, l Launcher, notebook string, id event.RuntimeID) arrival {
	t.Helper()
	if err := l.Launch(t.Context(), runtime.Launch{Notebook: notebook, Runtime: id, Token: w.issue}); err != nil {
		t.Fatal(err)
	}
	return w.next(t)
}

// end ends the runtimes of a notebook that are over.
func end(t *testing.T, l Launcher, notebook string, over func(event.RuntimeID) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := l.End(ctx, notebook, over); err != nil {
		t.Fatalf("end the runtimes of %s: %v", notebook, err)
	}
}

// next returns the next program that reports.
func (w *world) next(t *testing.T) arrival {
	t.Helper()
	select {
	case a := <-w.arrived:
		return a
	case <-time.After(patience):
		t.Fatal("no program was started")
	}
	return arrival{}
}

// alive reports whether a program has not ended.
func (a arrival) alive() bool {
	select {
	case <-a.gone:
		return false
	default:
		return true
	}
}

// wait waits until a program has ended.
func (a arrival) wait(t *testing.T) {
	t.Helper()
	select {
	case <-a.gone:
	case <-time.After(patience):
		t.Fatalf("program %q has not ended", a.Args)
	}
}

func every(event.RuntimeID) bool { return true }

func toldInSecret(t *testing.T, w *world) {
	a := w.launch(t, w.launcher(t), plain, "r1")
	for flag, want := range map[string]string{"--notebook": plain, "--runtime": "r1", "--token-file": "-", "--memory": "1G"} {
		if i := slices.Index(a.Args, flag); i < 0 || i+1 == len(a.Args) || a.Args[i+1] != want {
			t.Errorf("got %q, want %s %s", a.Args, flag, want)
		}
	}
	if all := strings.Join(append(slices.Clone(a.Args), a.Environ...), "\n"); strings.Contains(all, w.token) {
		t.Errorf("the token can be read by others in %s", all)
	}
	if want := filepath.Join("files", plain); !strings.HasSuffix(a.Dir, want) {
		t.Errorf("it works in %s, want %s of the data directory", a.Dir, want)
	}
}

func startedOnce(t *testing.T, w *world) {
	w.cfg.Grace = time.Hour // a second program would not be killed, and End wait for it in vain
	l := w.launcher(t)
	first := w.launch(t, l, plain, "r1")
	if err := l.Launch(t.Context(), runtime.Launch{Notebook: plain, Runtime: "r2", Token: w.issue}); err != nil {
		t.Fatal(err)
	}
	_ = first.conn.Close()
	end(t, l, plain, every)
	again := w.launch(t, l, plain, "r3")
	if !slices.Contains(again.Args, "r3") {
		t.Errorf("got %q, want the program of the launch after the end of the first", again.Args)
	}
	_ = again.conn.Close()
}

func endsByItself(t *testing.T, w *world) {
	w.cfg.Grace = time.Hour
	l := w.launcher(t)
	a := w.launch(t, l, plain, "r1")
	_ = a.conn.Close() // this is how it hears of it here
	end(t, l, plain, every)
}

func endsThoseThatAreOver(t *testing.T, w *world) {
	l := w.launcher(t)
	one, two := w.launch(t, l, deaf, "r1"), w.next(t) // it starts a child
	other := w.launch(t, l, plain, "r2")
	end(t, l, deaf, func(id event.RuntimeID) bool { return id != "r1" })
	if !one.alive() || !two.alive() {
		t.Fatal("a runtime that was not over was ended")
	}
	end(t, l, deaf, every)
	one.wait(t)
	two.wait(t)
	if !other.alive() {
		t.Error("the runtime of another notebook was ended")
	}
}

func knownToTheNext(t *testing.T, w *world) {
	a := w.launch(t, w.launcher(t), deaf, "r1")
	child := w.next(t)
	next := w.launcher(t)
	if err := next.Launch(t.Context(), runtime.Launch{Notebook: deaf, Runtime: "r2", Token: w.issue}); err != nil {
		t.Fatal(err)
	}
	end(t, next, deaf, func(id event.RuntimeID) bool { return id == "r1" })
	a.wait(t)
	child.wait(t)
	if again := w.launch(t, next, plain, "r3"); !slices.Contains(again.Args, "r3") {
		t.Errorf("got %q, want no second runtime beside that of the server before", again.Args)
	}
}

func limitNamed(t *testing.T, w *world) {
	w.cfg.Most = 1
	l := w.launcher(t)
	w.launch(t, l, plain, "r1")
	err := l.Launch(t.Context(), runtime.Launch{Notebook: second, Runtime: "r2", Token: w.issue})
	if err == nil || !strings.Contains(err.Error(), "--max-runtimes") {
		t.Errorf("got %v, want the limit by its name", err)
	}
}

func failureSaid(t *testing.T, w *world) {
	w.cfg.Program = filepath.Join(t.TempDir(), "nothing")
	err := w.launcher(t).Launch(t.Context(), runtime.Launch{Notebook: plain, Runtime: "r1", Token: w.issue})
	if err == nil || !strings.Contains(err.Error(), "start the runtime") {
		t.Errorf("got %v, want why it did not start", err)
	}
}

func deathTold(t *testing.T, w *world) {
	l := w.launcher(t)
	w.launch(t, l, dying, "r1").wait(t)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); !strings.Contains(l.Gone(dying, "r1"), lastWords); {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("got %q, want %q in it", l.Gone(dying, "r1"), lastWords)
		}
	}
	if got := l.Gone(dying, "r2") + l.Gone(plain, "r1"); got != "" {
		t.Errorf("got %q of runtimes that were not started", got)
	}
}

func spoolInherited(t *testing.T, w *world) {
	l := w.launcher(t)
	w.launch(t, l, dying, "r1").wait(t)
	end(t, l, dying, every)
	inherited := func(l Launcher) {
		t.Helper()
		drafts, err := l.Left(t.Context(), dying, "r1", native.NewFolder(t.TempDir()))
		if err != nil || len(drafts) != 1 || drafts[0].ID != spooled.ID {
			t.Errorf("got %v, %v, want the event that it had spooled", drafts, err)
		}
	}
	inherited(l)
	next := w.launcher(t)
	inherited(next)
	w.launch(t, next, dying, "r2").wait(t) // the log may be about to take in the spool of the first
	inherited(next)
	if drafts, err := next.Left(t.Context(), plain, "r3", native.NewFolder(t.TempDir())); err != nil || len(drafts) > 0 {
		t.Errorf("got %v, %v of a runtime that was not started", drafts, err)
	}
}
