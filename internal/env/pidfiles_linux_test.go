package env

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/quirehq/quire/internal/proc"
)

// sleepers finds the programs of these tests by their command line.
func sleepers(mark string) []int {
	var found []int
	for _, pid := range proc.Find(isAlive, 0) {
		if data, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && strings.Contains(string(data), "sleep\x00"+mark) {
			found = append(found, pid)
		}
	}
	return found
}

// TestWhatAKilledProcessLeavesIsSwept has another process start programs and kills it. Its
// bubblewrap does not end with the parent, as if it were killed before it has asked the kernel for
// that.
func TestWhatAKilledProcessLeavesIsSwept(t *testing.T) {
	for name, source := range map[string]string{
		"local":   "trap '' TERM HUP INT; sleep MARK & sleep MARK",
		"sandbox": "trap '' TERM HUP INT; setsid nohup sleep MARK & sleep MARK",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "sandbox" {
				if err := CheckSandbox(t.Context()); err != nil {
					t.Skipf("this test needs a sandbox: %v", err)
				}
			}
			dir := filepath.Join(t.TempDir(), "pids")
			mark := fmt.Sprintf("98765.%d%d", os.Getpid(), time.Now().UnixNano())
			keeper := exec.Command(os.Args[0], "-test.run=^TestThisProcessStartsProgramsUntilItIsKilled$")
			keeper.Env = append(os.Environ(), "QUIRE_TEST_PLACE="+name, "QUIRE_TEST_DIR="+dir, "QUIRE_TEST_MARK="+mark,
				"QUIRE_TEST_SOURCE="+strings.ReplaceAll(source, "MARK", mark), "PATH="+undyingBubblewrap(t)+":"+os.Getenv("PATH"))
			if err := keeper.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				for _, pid := range sleepers(mark) {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			})
			await(t, "the program sleeps, and its files are made", func() bool {
				files, err := os.ReadDir(dir) // on this machine the program runs before its file is made
				return len(sleepers(mark)) == 2 && err == nil && len(files) == map[string]int{"local": 1, "sandbox": 2}[name]
			})
			if err := keeper.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = keeper.Wait()
			if len(sleepers(mark)) == 0 {
				t.Fatal("nothing is left to sweep")
			}
			killed, err := Sweep(dir, mark)
			if killed == 0 || err != nil {
				t.Errorf("got %d killed, %v", killed, err)
			}
			if left := sleepers(mark); len(left) > 0 {
				t.Errorf("processes %v are left", left)
			}
			if exists(dir) {
				t.Error("the folder is still there")
			}
		})
	}
}

// TestThisProcessStartsProgramsUntilItIsKilled is the process of the test above.
func TestThisProcessStartsProgramsUntilItIsKilled(t *testing.T) {
	files, err := NewPIDFiles(os.Getenv("QUIRE_TEST_DIR"), os.Getenv("QUIRE_TEST_MARK"))
	if os.Getenv("QUIRE_TEST_DIR") == "" {
		t.Skip("it is not started by another test")
	}
	var environment Primitive
	if err == nil && os.Getenv("QUIRE_TEST_PLACE") == "sandbox" {
		environment, err = NewSandbox(t.Context(), SandboxConfig{ID: "sandbox", Dir: t.TempDir(), PIDFiles: files})
	} else if err == nil {
		environment, err = NewLocal(LocalConfig{ID: "local", Dir: t.TempDir(), PIDFiles: files})
	}
	if err != nil {
		t.Fatal(err)
	}
	process, err := environment.Exec(t.Context(), Command{Argv: []string{"sh", "-c", os.Getenv("QUIRE_TEST_SOURCE")}})
	if err != nil {
		t.Fatal(err)
	}
	process.Wait()
}

// undyingBubblewrap returns a folder with a bubblewrap that does not end with its parent.
func undyingBubblewrap(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return dir
	}
	script := "#!/bin/sh\nfor a; do shift; [ \"$a\" = --die-with-parent ] || set -- \"$@\" \"$a\"; done\nexec " + path + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "bwrap"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSweepLeavesAProcessAloneThatHasTheNumberOfAnother(t *testing.T) {
	t.Parallel()
	boot, err := bootID()
	if err != nil {
		t.Fatal(err)
	}
	other := exec.Command("sleep", "1000") // leads a session with one more process
	other.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = other.Process.Kill()
		_ = other.Wait()
	}()
	pid := other.Process.Pid
	born := string(proc.Stat(pid)[19])
	for _, name := range []string{
		fmt.Sprintf("process.%d.%s0.%s", pid, born, boot),
		fmt.Sprintf("session.%d.%s0.%s", pid, born, boot),
		fmt.Sprintf("process.%d.%s.another-boot", pid, born),
		fmt.Sprintf("session.%d.%s.another-boot", pid, born),
		"process.1.0." + boot, "process.-1.0." + boot, "process.x.0." + boot, "process",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if killed, err := Sweep(dir, "mark"); killed != 0 || err != nil {
			t.Errorf("%s: got %d killed, %v", name, killed, err)
		}
	}
	if !isAlive(proc.Stat(pid)) {
		t.Error("the process was killed")
	}
	// The file matches by the start time.
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("process.%d.%s.%s", pid, born, boot)), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if killed, err := Sweep(dir, "mark"); killed != 1 || err != nil {
		t.Errorf("got %d killed, %v, want the process", killed, err)
	}
}

// A session without its leader is recognised only by the mark of its processes.
func TestSweepNeverEndsWhatItComesFromNorAnotherUsers(t *testing.T) {
	boot, err := bootID()
	if err != nil {
		t.Fatal(err)
	}
	pids := map[string]int{"the first process": 1, "this process": os.Getpid(), "the parent": os.Getppid()}
	if os.Getuid() == 0 {
		other := exec.Command("sleep", "1000")
		other.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })
		pids["a process of another user"] = other.Process.Pid
	}
	for name, pid := range pids {
		for _, kind := range []string{aloneFile, leaderFile} {
			n := pidFile{kind, pid, string(proc.Stat(pid)[19]), boot}
			// A sweep would kill this test, if they were not left alone.
			if left := n.left("mark"); len(left) > 0 && kind == aloneFile || slices.Contains(left, pid) || slices.Contains(left, os.Getpid()) {
				t.Errorf("%s, as a %s: it would end %v", name, kind, left)
			}
		}
	}
}

func TestSweepKnowsTheProcessesOfASessionByTheirMark(t *testing.T) {
	t.Parallel()
	boot, err := bootID()
	if err != nil {
		t.Fatal(err)
	}
	mark := fmt.Sprintf("98764.%d%d", os.Getpid(), time.Now().UnixNano())
	leader := exec.Command("sh", "-c", "sleep "+mark+" & exit 0")
	leader.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	leader.Env = append(os.Environ(), markVariable+"=this")
	if err := leader.Run(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, pid := range sleepers(mark) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	await(t, "the program sleeps", func() bool { return len(sleepers(mark)) == 1 })
	for _, c := range []struct {
		mark string
		want int
	}{{"that", 0}, {"this", 1}} {
		dir := t.TempDir()
		name := fmt.Sprintf("session.%d.1.%s", leader.Process.Pid, boot)
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		killed, err := Sweep(dir, c.mark)
		if left := len(sleepers(mark)); killed != c.want || left != 1-c.want || err != nil {
			t.Errorf("with the mark %s: got %d killed, %d left, %v", c.mark, killed, left, err)
		}
	}
}

func TestPIDFilesGoWithTheirPrograms(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pids")
	files, err := NewPIDFiles(dir, "mark")
	if err != nil {
		t.Fatal(err)
	}
	count := func() int {
		names, _ := filepath.Glob(filepath.Join(dir, "*"))
		return len(names)
	}
	inEnvironments(t, files, func(t *testing.T, environment Primitive, want int) {
		var out strings.Builder
		process, err := environment.Exec(t.Context(), Command{Argv: []string{"sh", "-c", "read line; echo $" + markVariable}, Stdout: &out})
		if err != nil {
			t.Fatal(err)
		}
		if got := count(); got != want {
			t.Errorf("got %d files while it runs, want %d", got, want)
		}
		_ = process.Stdin().Close()
		process.Wait()
		if got := count(); got != 0 {
			t.Errorf("got %d files, want none", got)
		}
		if got, want := out.String(), map[int]string{1: "mark\n", 2: "\n"}[want]; got != want {
			t.Errorf("got the mark %q, want %q", got, want)
		}
		terminate(t, environment)
	})
}

// inEnvironments runs a test in a local environment and in a sandbox, with the number of files for a
// program.
func inEnvironments(t *testing.T, files *PIDFiles, test func(t *testing.T, environment Primitive, want int)) {
	t.Run("local", func(t *testing.T) {
		environment, err := NewLocal(LocalConfig{ID: "local", Dir: t.TempDir(), PIDFiles: files})
		if err != nil {
			t.Fatal(err)
		}
		test(t, environment, 1)
	})
	t.Run("sandbox", func(t *testing.T) {
		if err := CheckSandbox(t.Context()); err != nil {
			t.Skipf("this test needs a sandbox: %v", err)
		}
		environment, err := NewSandbox(t.Context(), SandboxConfig{ID: "sandbox", Dir: t.TempDir(), PIDFiles: files})
		if err != nil {
			t.Fatal(err)
		}
		test(t, environment, 2)
	})
}

func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited for too long until %s", what)
		}
	}
}
