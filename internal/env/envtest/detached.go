package envtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quirehq/quire/internal/env"
)

// detach starts a script of sh as a detached program, and returns its name.
func detach(t *testing.T, environment env.Primitive, d env.Detached, script string) string {
	t.Helper()
	d.Argv = []string{"/bin/sh", "-c", script}
	name, err := environment.Detach(deadline(t), d)
	if err != nil {
		t.Fatalf("detach %q: %v", script, err)
	}
	return name
}

func awaitEnd(t *testing.T, environment env.Primitive, name string) string {
	t.Helper()
	how, err := environment.AwaitEnd(deadline(t), name)
	if err != nil {
		t.Fatalf("await the end of %s: %v", name, err)
	}
	return how
}

func testDetached(t *testing.T, environment env.Primitive) {
	d := env.Detached{Dir: "in/side", Input: "secret\n", Log: "logs/one.log", Env: []string{"WORD=of the test", "PATH=/usr/bin:/bin"}}
	for _, more := range []string{"first", "second"} {
		name := detach(t, environment, d, `read line; echo "$PWD|$line|$WORD|`+more+`"; echo end >&2; exit 3`)
		if how := awaitEnd(t, environment, name); !strings.Contains(how, "3") {
			t.Errorf("got %q, want the exit code 3 in it", how)
		}
		if environment.IsRunning(name) {
			t.Error("it is said to run after its end")
		}
	}
	for log, more := range map[string]string{"logs/one.log": "second", "logs/one.log.1": "first"} {
		if got, want := read(t, environment, log), environment.Workspace()+"/in/side|secret|of the test|"+more+"\nend\n"; got != want {
			t.Errorf("%s: got %q, want %q", log, got, want)
		}
	}
}

func testDetachMissing(t *testing.T, environment env.Primitive) {
	for _, argv := range [][]string{nil, {"/quire/no/such/program"}} {
		if name, err := environment.Detach(deadline(t), env.Detached{Argv: argv, Log: "log"}); err == nil {
			t.Errorf("%q: got the program %s, want an error", argv, name)
		}
	}
}

// testDetachedKill reads a pipe that the program and its child hold open, which ends when both have.
func testDetachedKill(t *testing.T, environment env.Primitive) {
	if _, stderr, exit := Run(t, environment, "mkfifo pipe", ""); !exit.OK() {
		t.Skipf("the place has no mkfifo: %s", stderr)
	}
	out := newLines()
	reader := start(t, environment, env.Command{Argv: []string{"cat", "pipe"}, Stdout: out})
	name := detach(t, environment, env.Detached{Log: "log", Dir: "."}, "exec >pipe; (trap '' TERM INT HUP; sleep 1000; sleep 1000) & echo ready; sleep 1000; sleep 1000")
	out.await(t, "ready")
	if !environment.IsRunning(name) {
		t.Error("it is said not to run")
	}
	for range 2 {
		if err := environment.KillDetached(name); err != nil {
			t.Fatal(err)
		}
	}
	if exit := reader.Wait(); !exit.OK() {
		t.Errorf("got %+v, want that the pipe ended with all that held it", exit)
	}
	awaitEnd(t, environment, name)
}

func testDetachedContext(t *testing.T, environment env.Primitive) {
	ctx, cancel := context.WithCancel(t.Context())
	name, err := environment.Detach(ctx, env.Detached{Argv: []string{"/bin/sh", "-c", "sleep 1000"}, Log: "log"})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := environment.AwaitEnd(ctx, name); !errors.Is(err, context.Canceled) || !environment.IsRunning(name) {
		t.Errorf("got %v and running %t, want that it goes on", err, environment.IsRunning(name))
	}
	if err := environment.Terminate(deadline(t)); err != nil {
		t.Fatal(err)
	}
	if environment.IsRunning(name) {
		t.Error("it goes on in an environment that was terminated")
	}
	if _, err := environment.Detach(deadline(t), env.Detached{Argv: []string{"/bin/true"}, Log: "log"}); err == nil {
		t.Error("got no error for a program in an environment that was terminated")
	}
}

func testUnknownNames(t *testing.T, environment env.Primitive) {
	for _, name := range []string{"", "x", "1", "1 ", "-1 x", "1 x", "99999999999999999999 x"} {
		if environment.IsRunning(name) {
			t.Errorf("%q is said to run", name)
		}
		if how := awaitEnd(t, environment, name); how != "" {
			t.Errorf("%q: got %q, want that nothing is known", name, how)
		}
		if err := environment.KillDetached(name); err != nil {
			t.Errorf("kill %q: %v", name, err)
		}
	}
}

func testFetch(t *testing.T, environment env.Primitive) {
	write(t, environment, "d/e/f", "bytes", 0o600)
	dir, release, err := environment.Fetch(deadline(t), "d")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if got, err := os.ReadFile(filepath.Join(dir, "e", "f")); err != nil || string(got) != "bytes" {
		t.Errorf("got %q, %v, want the bytes", got, err)
	}
	for _, name := range []string{"..", "/etc", "d/../.."} {
		if dir, _, err := environment.Fetch(deadline(t), name); err == nil {
			t.Errorf("%s: got %s, want an error", name, dir)
		}
		if _, err := environment.Sweep(name, "mark"); err == nil {
			t.Errorf("sweep %s: got no error", name)
		}
	}
	if killed, err := environment.Sweep("none", "mark"); killed != 0 || err != nil {
		t.Errorf("got %d and %v for a folder that is not there", killed, err)
	}
}
