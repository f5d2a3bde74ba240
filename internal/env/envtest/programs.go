package envtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/quirehq/quire/internal/env"
)

// deadline bounds the wait for anything that must happen.
func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// Run runs a script of sh with some input, and returns its output and how it ended.
func Run(t *testing.T, environment env.Primitive, script, input string) (stdout, stderr string, exit env.Exit) {
	t.Helper()
	var out, err bytes.Buffer
	process := start(t, environment, env.Command{Argv: []string{"sh", "-c", script}, Stdout: &out, Stderr: &err})
	if _, err := io.WriteString(process.Stdin(), input); err != nil && !errors.Is(err, syscall.EPIPE) {
		t.Errorf("write: %v", err)
	}
	_ = process.Stdin().Close()
	exit = process.Wait()
	return out.String(), err.String(), exit
}

func start(t *testing.T, environment env.Primitive, c env.Command) env.Process {
	t.Helper()
	process, err := environment.Exec(deadline(t), c)
	if err != nil {
		t.Fatalf("exec %q: %v", c.Argv, err)
	}
	return process
}

func testStreams(t *testing.T, environment env.Primitive) {
	out, errs, exit := Run(t, environment, "cat; echo done >&2", "hello\n")
	if out != "hello\n" || errs != "done\n" || !exit.OK() {
		t.Errorf("got %q, %q, %+v, want the input, done and a good end", out, errs, exit)
	}
}

func testBytes(t *testing.T, environment env.Primitive) {
	all := make([]byte, 1<<18)
	for i := range all {
		all[i] = byte(i * 7)
	}
	var out bytes.Buffer
	process := start(t, environment, env.Command{Argv: []string{"cat"}, Stdout: &out})
	if _, err := process.Stdin().Write(all); err != nil {
		t.Fatal(err)
	}
	if err := process.Stdin().Close(); err != nil {
		t.Fatal(err)
	}
	if exit := process.Wait(); !exit.OK() || !bytes.Equal(out.Bytes(), all) {
		t.Errorf("got %d bytes and %+v, want the %d that went in", out.Len(), exit, len(all))
	}
}

func testExits(t *testing.T, environment env.Primitive) {
	for script, want := range map[string]env.Exit{
		"exit 0":        {},
		"exit 7":        {Code: 7},
		"kill -KILL $$": {Signal: syscall.SIGKILL},
		"kill -TERM $$": {Signal: syscall.SIGTERM},
	} {
		_, _, exit := Run(t, environment, script, "")
		if exit.CPU = 0; exit != want {
			t.Errorf("%s: got %+v, want %+v", script, exit, want)
		}
	}
}

func testInputOver(t *testing.T, environment env.Primitive) {
	process := start(t, environment, env.Command{Argv: []string{"true"}})
	if exit := process.Wait(); !exit.OK() {
		t.Fatalf("got %+v, want a good end", exit)
	}
	if _, err := io.WriteString(process.Stdin(), "too late"); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("write to a program that has ended: got %v, want EPIPE", err)
	}
	for range 2 {
		if err := process.Stdin().Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
}

func testCommand(t *testing.T, environment env.Primitive) {
	var out bytes.Buffer
	process := start(t, environment, env.Command{
		Argv: []string{"/bin/sh", "-c", `printf '%s|%s|%s' "$PWD" "$WORD" "$1"`, "sh", `a "b" $c`},
		Env:  []string{"WORD=of the test"}, Stdout: &out,
	})
	exit := process.Wait()
	if want := environment.Workspace() + `|of the test|a "b" $c`; out.String() != want || !exit.OK() {
		t.Errorf("got %q and %+v, want %q", out.String(), exit, want)
	}
	out.Reset()
	process = start(t, environment, env.Command{Argv: []string{"pwd"}, Dir: "/usr", Stdout: &out})
	if exit := process.Wait(); out.String() != "/usr\n" || !exit.OK() {
		t.Errorf("got %q and %+v, want /usr", out.String(), exit)
	}
}

func testMissing(t *testing.T, environment env.Primitive) {
	if _, err := environment.Exec(deadline(t), env.Command{}); err == nil {
		t.Error("got no error for a command without a program")
	}
	process, err := environment.Exec(deadline(t), env.Command{Argv: []string{"quire-no-such-program"}})
	if err == nil && process.Wait().OK() { // some environments know only after an attempt
		t.Error("got a good end of a program that is not there")
	}
}

func testSignal(t *testing.T, environment env.Primitive) {
	out := newLines()
	process := start(t, environment, env.Command{
		Argv: []string{"sh", "-c", "trap 'echo heard; exit 3' INT; echo ready; while :; do read x || :; done"}, Stdout: out,
	})
	out.await(t, "ready")
	if err := process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = process.Stdin().Close() // the program waits for it
	if exit := process.Wait(); exit.Code != 3 || !strings.Contains(out.String(), "heard") {
		t.Errorf("got %+v and %q, want code 3 and that it heard", exit, out.String())
	}
	if err := process.Signal(syscall.SIGINT); err == nil {
		t.Error("got no error for a signal to a program that is gone")
	}
}

// family is a script that starts a process, prints a line, and continues with another process.
const family = "(sleep 1000; echo late) & echo ready; "

func testKill(t *testing.T, environment env.Primitive) {
	out := newLines()
	process := start(t, environment, env.Command{Argv: []string{"sh", "-c", family + "cat; sleep 1000"}, Stdout: out})
	out.await(t, "ready")
	process.Kill()
	process.Kill()
	if exit := process.Wait(); exit.Signal != syscall.SIGKILL || exit.Err != nil {
		t.Errorf("got %+v, want that it was killed, and all that held its output", exit)
	}
}

func testOrphans(t *testing.T, environment env.Primitive) {
	_, _, exit := Run(t, environment, family+"exit 0", "")
	if !exit.OK() {
		t.Errorf("got %+v, want a good end: a process that was left held the output", exit)
	}
}

func testContext(t *testing.T, environment env.Primitive) {
	ctx, cancel := context.WithCancel(t.Context())
	out := newLines()
	process, err := environment.Exec(ctx, env.Command{Argv: []string{"sh", "-c", family + "wait"}, Stdout: out})
	if err != nil {
		t.Fatal(err)
	}
	out.await(t, "ready")
	cancel()
	if exit := process.Wait(); exit.Signal != syscall.SIGKILL {
		t.Errorf("got %+v, want that it was killed", exit)
	}
}

// lines is the output of a program, which tests can wait for.
type lines struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	news chan struct{}
}

func newLines() *lines { return &lines{news: make(chan struct{}, 1)} }

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.news <- struct{}{}:
	default:
	}
	return l.buf.Write(p)
}

// String returns the output so far.
func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// await waits until the output has a text.
func (l *lines) await(t *testing.T, text string) {
	t.Helper()
	ctx := deadline(t)
	for !strings.Contains(l.String(), text) {
		select {
		case <-l.news:
		case <-ctx.Done():
			t.Fatalf("got %q, want %q", l.String(), text)
		}
	}
}
