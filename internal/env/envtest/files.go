package envtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/internal/env"
)

func write(t *testing.T, environment env.Primitive, name, data string, mode fs.FileMode) env.Info {
	t.Helper()
	info, err := environment.Write(deadline(t), name, mode, strings.NewReader(data))
	if err != nil {
		t.Fatalf("write %s: %v", name, err)
	}
	return info
}

func read(t *testing.T, environment env.Primitive, name string) string {
	t.Helper()
	r, err := environment.Open(deadline(t), name)
	if err != nil {
		t.Fatalf("open %s: %v", name, err)
	}
	data, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		t.Fatalf("read %s: %v", name, err)
	}
	return string(data)
}

func hashOf(data string) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}

func testFiles(t *testing.T, environment env.Primitive) {
	data := "\x00\xff\xfe bytes\r\n"
	for name, mode := range map[string]fs.FileMode{"plain": 0o640, "deep/er/program": 0o755, "name with spaces ü": 0o600} {
		wrote := write(t, environment, name, data, mode)
		stat, err := environment.Stat(deadline(t), name)
		if err != nil {
			t.Fatal(err)
		}
		want := env.Info{Name: name, Size: int64(len(data)), Mode: mode, Hash: hashOf(data), Changed: stat.Changed}
		if diff := cmp.Diff([]env.Info{want, want}, []env.Info{stat, wrote}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if got := read(t, environment, name); got != data {
			t.Errorf("%s: got %q, want %q", name, got, data)
		}
	}
	write(t, environment, "plain", "", 0o644)
	if stat, err := environment.Stat(deadline(t), "plain"); err != nil || stat.Size != 0 || stat.Hash != hashOf("") {
		t.Errorf("an empty file: got %+v, %v", stat, err)
	}
}

func testReplace(t *testing.T, environment env.Primitive) {
	write(t, environment, "f", "old", 0o644)
	broken := errors.New("the source broke")
	_, err := environment.Write(deadline(t), "f", 0o644, io.MultiReader(strings.NewReader("new"), failing{broken}))
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the source", err)
	}
	if got := read(t, environment, "f"); got != "old" {
		t.Errorf("got %q after a write that failed, want the old bytes", got)
	}
	list, err := environment.List(deadline(t), ".")
	if err != nil || len(list) != 1 {
		t.Errorf("got %v, %v, want one file and no draft", list, err)
	}
}

// failing is a reader that fails.
type failing struct{ err error }

// Read implements io.Reader.
func (f failing) Read([]byte) (int, error) { return 0, f.err }

func testList(t *testing.T, environment env.Primitive) {
	for _, name := range []string{"b", "a/z", "a/b/c", "c"} {
		write(t, environment, name, name, 0o644)
	}
	names := func(dir string) (names []string) {
		list, err := environment.List(deadline(t), dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, info := range list {
			names = append(names, fmt.Sprintf("%s %d", info.Name, info.Size))
		}
		return names
	}
	if diff := cmp.Diff([]string{"a 0", "a/b 0", "a/b/c 5", "a/z 3", "b 1", "c 1"}, names(".")); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
	if err := environment.Remove(deadline(t), "a/b"); err != nil {
		t.Fatal(err)
	}
	if err := environment.Remove(deadline(t), "a/b"); err != nil {
		t.Errorf("removing what is not there: %v", err)
	}
	if diff := cmp.Diff([]string{"a/z 3"}, names("a")); diff != "" {
		t.Errorf("a (-want +got):\n%s", diff)
	}
	if err := environment.Remove(deadline(t), "."); err == nil {
		t.Error("got no error for removing the workspace")
	}
}

func testMissingFile(t *testing.T, environment env.Primitive) {
	ctx := deadline(t)
	_, openErr := environment.Open(ctx, "none")
	_, statErr := environment.Stat(ctx, "none")
	_, listErr := environment.List(ctx, "none")
	for what, err := range map[string]error{"open": openErr, "stat": statErr, "list": listErr} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v, want that it does not exist", what, err)
		}
	}
}

// tryAll calls all methods with a name, and returns those that did not fail.
func tryAll(ctx context.Context, environment env.Primitive, name string) (worked []string) {
	r, err := environment.Open(ctx, name)
	if err == nil {
		worked = append(worked, "open")
		_ = r.Close()
	}
	if _, err := environment.Stat(ctx, name); err == nil {
		worked = append(worked, "stat")
	}
	if _, err := environment.List(ctx, name); err == nil {
		worked = append(worked, "list")
	}
	if _, err := environment.Write(ctx, name+"/x", 0o644, strings.NewReader("x")); err == nil {
		worked = append(worked, "write")
	}
	return worked
}

func testConfined(t *testing.T, environment env.Primitive) {
	write(t, environment, "in/f", "f", 0o644)
	for _, name := range []string{"..", "../..", "in/../..", "in/../../etc", "/", "/etc", "/etc/passwd", environment.Workspace() + "/../", "../" + lastName(environment)} {
		if worked := tryAll(deadline(t), environment, name); worked != nil {
			t.Errorf("%q: %v worked", name, worked)
		}
		if err := environment.Remove(deadline(t), name+"/quire-none"); err == nil {
			t.Errorf("%q: remove worked", name)
		}
	}
	if got := read(t, environment, "in/../in/./f"); got != "f" {
		t.Errorf("got %q for a name that goes up and stays within", got)
	}
}

// lastName extends the last element of the workspace's path: sharing a prefix must not be enough.
func lastName(environment env.Primitive) string {
	return environment.Workspace()[strings.LastIndexByte(environment.Workspace(), '/')+1:] + "x"
}

func testLinks(t *testing.T, environment env.Primitive) {
	_, stderr, exit := Run(t, environment, "mkdir d; echo in > d/f; ln -s d/f near; ln -s /etc etc; ln -s .. up; ln -s /etc/passwd p; ln -s /proc/self/root/etc r; ln -s near nearer", "")
	if !exit.OK() {
		t.Fatalf("make links: %+v %s", exit, stderr)
	}
	for _, name := range []string{"etc", "etc/passwd", "up", "up/..", "p", "r", "r/passwd"} {
		if worked := tryAll(deadline(t), environment, name); worked != nil {
			t.Errorf("%q: %v worked", name, worked)
		}
	}
	if got := read(t, environment, "nearer"); got != "in\n" {
		t.Errorf("got %q through links within the workspace", got)
	}
	write(t, environment, "p", "replaced", 0o644)
	if got := read(t, environment, "p"); got != "replaced" {
		t.Errorf("got %q, want that a write replaces the link itself", got)
	}
	if err := environment.Remove(deadline(t), "up"); err != nil {
		t.Errorf("removing a link: %v", err)
	}
}

func testPipe(t *testing.T, environment env.Primitive) {
	if _, stderr, exit := Run(t, environment, "mkfifo pipe", ""); !exit.OK() {
		t.Skipf("the place has no mkfifo: %s", stderr)
	}
	if worked := tryAll(deadline(t), environment, "pipe"); worked != nil && !cmp.Equal(worked, []string{"list"}) {
		t.Errorf("%v worked with a pipe", worked)
	}
}

func testShared(t *testing.T, environment env.Primitive) {
	write(t, environment, "from us", "ours", 0o644)
	out, _, exit := Run(t, environment, `cat "from us"; printf theirs > "from them"`, "")
	if got := read(t, environment, "from them"); out != "ours" || got != "theirs" || !exit.OK() {
		t.Errorf("the program read %q, we read %q (%+v)", out, got, exit)
	}
}

// testWatch makes changes as soon as the watch is ready, and waits for each.
func testWatch(t *testing.T, environment env.Primitive) {
	write(t, environment, "old", "old", 0o644)
	ctx, cancel := context.WithCancel(deadline(t))
	defer cancel()
	ready, changes := make(chan struct{}), make(chan env.Change, 1000)
	var watching sync.WaitGroup
	watching.Go(func() {
		err := environment.Watch(ctx, func() { close(ready) }, func(c env.Change) { changes <- c })
		if err != nil {
			t.Errorf("watch: %v", err)
		}
	})
	await := func(want env.Change) {
		t.Helper()
		for {
			select {
			case got := <-changes:
				if got == want {
					return
				}
			case <-ctx.Done():
				t.Fatalf("%+v was not told", want)
			}
		}
	}
	<-ready
	write(t, environment, "new", "new", 0o644)
	await(env.Change{Name: "new"})
	write(t, environment, "old", "changed and longer", 0o644)
	await(env.Change{Name: "old"})
	write(t, environment, "d/e/f", "f", 0o644)
	await(env.Change{Name: "d/e/f"})
	write(t, environment, "d/e/f", "f2!", 0o644)
	await(env.Change{Name: "d/e/f"})
	if err := environment.Remove(ctx, "new"); err != nil {
		t.Fatal(err)
	}
	await(env.Change{Name: "new", Gone: true})
	cancel()
	watching.Wait()
}

func testTerminate(t *testing.T, environment env.Primitive) {
	out := newLines()
	process := start(t, environment, env.Command{Argv: []string{"sh", "-c", "echo ready; cat"}, Stdout: out})
	out.await(t, "ready")
	if err := environment.Poll(deadline(t)); err != nil {
		t.Errorf("poll: %v", err)
	}
	for range 2 {
		if err := environment.Terminate(deadline(t)); err != nil {
			t.Fatal(err)
		}
	}
	if exit := process.Wait(); exit.Signal == 0 {
		t.Errorf("got %+v, want that it was killed", exit)
	}
	if err := environment.Poll(deadline(t)); !errors.Is(err, env.ErrTerminated) {
		t.Errorf("poll: got %v, want ErrTerminated", err)
	}
	if _, err := environment.Exec(deadline(t), env.Command{Argv: []string{"true"}}); !errors.Is(err, env.ErrTerminated) {
		t.Errorf("exec: got %v, want ErrTerminated", err)
	}
	if _, err := environment.Stat(deadline(t), "."); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("stat: got %v, want that it is closed", err)
	}
}
