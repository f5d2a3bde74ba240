package env

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// newGroup returns a group, or skips the test where there can be none.
func newGroup(t *testing.T, b Bounds) *Group {
	t.Helper()
	g, err := NewGroup(b)
	if errors.Is(err, ErrNoGroups) {
		t.Skipf("this test needs control groups: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		for _, c := range []control{g.memory, g.pids} {
			if exists(c.dir) {
				t.Errorf("%s is still there", c.dir)
			}
		}
	})
	return g
}

// inBoth runs a test in a local environment and in a sandbox.
func inBoth(t *testing.T, b Bounds, test func(t *testing.T, environment Primitive, g *Group)) {
	t.Run("local", func(t *testing.T) {
		t.Parallel()
		g := newGroup(t, b)
		environment, err := NewLocal(LocalConfig{ID: "local", Dir: t.TempDir(), Group: g})
		if err != nil {
			t.Fatal(err)
		}
		test(t, environment, g)
		terminate(t, environment)
	})
	t.Run("sandbox", func(t *testing.T) {
		t.Parallel()
		if err := CheckSandbox(t.Context()); err != nil {
			t.Skipf("this test needs a sandbox: %v", err)
		}
		g := newGroup(t, b)
		environment, err := NewSandbox(t.Context(), SandboxConfig{ID: "sandbox", Dir: t.TempDir(), Group: g})
		if err != nil {
			t.Fatal(err)
		}
		test(t, environment, g)
		terminate(t, environment)
	})
}

func terminate(t *testing.T, environment Primitive) {
	t.Helper()
	if err := environment.Terminate(t.Context()); err != nil {
		t.Error(err)
	}
}

// perform runs a script of sh, and returns its output and how it ended.
func perform(t *testing.T, environment Primitive, script string) (string, Exit) {
	t.Helper()
	var out strings.Builder
	p, err := environment.Exec(t.Context(), Command{Argv: []string{"sh", "-c", script}, Stdout: &out})
	if err != nil {
		t.Fatal(err)
	}
	_ = p.Stdin().Close()
	exit := p.Wait()
	return out.String(), exit
}

// hog allocates memory without end.
const hog = "x=$(head -c 1m /dev/zero | tr '\\0' x); while :; do x=$x$x; done"

func TestAGroupBoundsMemoryAndSaysSo(t *testing.T) {
	t.Parallel()
	inBoth(t, Bounds{Memory: 64 << 20}, func(t *testing.T, environment Primitive, g *Group) {
		if _, exit := perform(t, environment, hog); exit.Signal != syscall.SIGKILL {
			t.Errorf("got %+v, want that it was killed", exit)
		}
		if hits, err := g.Hits(); err != nil || hits.Memory == 0 {
			t.Errorf("got %+v, %v, want a hit of memory", hits, err)
		}
		if out, exit := perform(t, environment, "echo well"); out != "well\n" || !exit.OK() {
			t.Errorf("the next program: got %q, %+v", out, exit)
		}
	})
}

func TestAGroupCountsTheMemoryOfAllItsProcesses(t *testing.T) {
	t.Parallel()
	inBoth(t, Bounds{Memory: 64 << 20}, func(t *testing.T, environment Primitive, g *Group) {
		perform(t, environment, "for i in 1 2 3 4 5 6; do (x=$(head -c 16m /dev/zero | tr '\\0' x); sleep 10) & done; wait")
		if hits, err := g.Hits(); err != nil || hits.Memory == 0 {
			t.Errorf("got %+v, %v, want a hit though each of them needs little", hits, err)
		}
	})
}

func TestAGroupBoundsProcessesAndSaysSo(t *testing.T) {
	t.Parallel()
	inBoth(t, Bounds{Processes: 20}, func(t *testing.T, environment Primitive, g *Group) {
		out, _ := perform(t, environment, "bomb() { bomb | bomb & }; bomb 2>/dev/null; for i in $(seq 100); do sleep 5 & done 2>/dev/null; echo not reached")
		if strings.Contains(out, "not reached") {
			t.Error("a hundred processes were started")
		}
		if hits, err := g.Hits(); err != nil || hits.Processes == 0 {
			t.Errorf("got %+v, %v, want a hit of processes", hits, err)
		}
	})
}

func TestAGroupThatIsClosedTakesAllWithIt(t *testing.T) {
	t.Parallel()
	g := newGroup(t, Bounds{})
	dir := t.TempDir()
	environment, err := NewLocal(LocalConfig{ID: "local", Dir: dir, Group: g})
	if err != nil {
		t.Fatal(err)
	}
	out, _ := perform(t, environment, "setsid sh -c 'echo $$ >pid; exec sleep 1000 >/dev/null' & until [ -s pid ]; do :; done; cat pid") // it leaves the session
	pid := strings.TrimSpace(out)
	terminate(t, environment)
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if stat, err := os.ReadFile("/proc/" + pid + "/stat"); pid == "" || err == nil && !strings.Contains(string(stat), ") Z ") {
		t.Errorf("process %q lives: %s", pid, stat)
	}
}

func TestOnlyTheGroupsOfTheDeadAreSwept(t *testing.T) {
	t.Parallel()
	h, err := findHierarchies()
	if err != nil {
		t.Skipf("this test needs control groups: %v", err)
	}
	mine := newGroup(t, Bounds{})
	dead, err := h.makeGroup(Bounds{}, groupPrefix+"999999999-1")
	if err != nil {
		t.Fatal(err)
	}
	foreign := control{filepath.Join(h.pids.dir, "quire-test-"+filepath.Base(t.TempDir())), h.pids.v2}
	if err := os.Mkdir(foreign.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(foreign.dir) })
	if err := SweepGroups(); err != nil {
		t.Fatal(err)
	}
	if exists(dead.pids.dir) || exists(dead.memory.dir) {
		t.Error("the group of a dead process is still there")
	}
	if !exists(mine.pids.dir) || !exists(foreign.dir) {
		t.Error("the group of a living process, or one that is not ours, is gone")
	}
}

// v1Mounts and v2Mounts are mounts of machines with each version, with @ for the root.
const (
	v1Mounts = "30 29 0:26 / @/memory rw shared:9 - cgroup cgroup rw,memory\n31 29 0:27 / @/pids rw shared:9 - cgroup cgroup rw,pids\n"
	v2Mounts = "30 29 0:26 / @/v2 rw shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
)

// tree creates the folders and files of control groups.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, data := range files {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(data), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestControllersAreFoundInEveryHierarchy(t *testing.T) {
	t.Parallel()
	own := map[string]string{
		"memory/a/cgroup.procs": "", "pids/b/cgroup.procs": "",
		"v2/s/own/cgroup.controllers": "cpu memory pids", "v2/s/own/cgroup.subtree_control": "memory pids\n",
		"v2/bare/cgroup.controllers": "", "v2/cgroup.controllers": "hugetlb", "v2/cgroup.subtree_control": "",
		"v2/s/cgroup.subtree_control": "pids memory",
		"v2/s/leaf/cgroup.procs":      "1",
	}
	for name, c := range map[string]struct {
		mounts, own  string
		memory, pids control
	}{
		"version 1":                     {v1Mounts, "9:pids:/b\n4:memory:/a\n", control{dir: "memory/a"}, control{dir: "pids/b"}},
		"version 2":                     {v2Mounts, "0::/s/own\n", control{"v2/s/own", true}, control{"v2/s/own", true}},
		"version 2, beside a leaf":      {v2Mounts, "0::/s/leaf\n", control{"v2/s", true}, control{"v2/s", true}},
		"both, with nothing in the 2nd": {v2Mounts + v1Mounts, "9:pids:/b\n4:memory:/a\n0::/\n", control{dir: "memory/a"}, control{dir: "pids/b"}},
		"both, each with one": {
			v2Mounts + strings.SplitAfter(v1Mounts, "\n")[0], "4:memory:/a\n0::/s/own\n", control{"v2/s/own", true}, control{"v2/s/own", true},
		},
		"in a container, which sees itself as the root": {
			"30 29 0:26 /docker/1 @/v2/s/own rw - cgroup2 cgroup rw\n", "0::/docker/1\n", control{"v2/s/own", true}, control{"v2/s/own", true},
		},
		"none at all":       {"22 1 0:2 / / rw - ext4 /dev/vda rw\n", "0::/\n", control{}, control{}},
		"none in version 2": {v2Mounts, "0::/bare\n", control{}, control{}},
		"a group that is not below the mount": {
			"30 29 0:26 /docker/1 @/v2/s/own rw - cgroup2 cgroup rw\n", "0::/../..\n", control{}, control{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, own)
			h, err := hierarchiesOf([]byte(strings.ReplaceAll(c.mounts, "@", root)), []byte(c.own))
			if none := c.memory.dir == ""; none != errors.Is(err, ErrNoGroups) {
				t.Fatalf("got %v, want ErrNoGroups: %t", err, none)
			}
			in := func(c control) control {
				c.dir = strings.TrimPrefix(strings.TrimPrefix(c.dir, root), "/")
				return c
			}
			want := hierarchies{c.memory, c.pids}
			if diff := cmp.Diff(want, hierarchies{in(h.memory), in(h.pids)}, cmp.AllowUnexported(hierarchies{}, control{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAProgramGetsNoDescriptorButItsOwn(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	leak, err := syscall.Dup(int(w.Fd())) // like an inherited one: it survives an exec
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(leak)
	inBoth(t, Bounds{}, func(t *testing.T, environment Primitive, _ *Group) {
		if out, exit := perform(t, environment, "ls /proc/$$/fd"); out != "0\n1\n2\n" || !exit.OK() {
			t.Errorf("got descriptors %q, %+v, want 0, 1 and 2", out, exit)
		}
	})
}
