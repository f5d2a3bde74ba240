//go:build unix

package launch

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/runtime"

	"github.com/google/go-cmp/cmp"
)

func TestARuntimeGetsItsTokenByAPipeAndNothingOfOurs(t *testing.T) {
	dir := t.TempDir()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	// In place of the program, a script that says what it was given.
	program, fifo := filepath.Join(dir, "program"), filepath.Join(dir, "fifo")
	script := "#!" + sh + "\nread token; { echo \"$@\"; pwd; echo \"$token $QUIRE_TOKEN $QUIRE_DATA $QUIRE_SERVER $MINE\"; } > " + fifo + "\n"
	if err := errors.Join(os.WriteFile(program, []byte(script), 0o700), exec.CommandContext(t.Context(), "mkfifo", fifo).Run()); err != nil {
		t.Fatal(err)
	}
	l := quick(t, dir)
	l.Program, l.Environ = program, []string{"MINE=1", "PATH=" + os.Getenv("PATH")}
	l.Flags = func(notebook string) ([]string, error) {
		return []string{"--idle", "24h", "--python", "/" + notebook}, nil
	}
	if err := l.Launch(t.Context(), runtime.Launch{Notebook: "nb", Runtime: "rt", Token: issued("secret")}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(fifo)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"runtime --data " + dir + " --token-file - --notebook nb --runtime rt --spool " + filepath.Join(dir, "runtimes", "nb.rt.spool") + " --pid-files " + filepath.Join(dir, "runtimes", "nb.rt.pids") + " --idle 24h --python /nb",
		filepath.Join(dir, "files", "nb"),
		"secret    1",
	}
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(string(got)), "\n")); diff != "" {
		t.Errorf("runtime (-want +got):\n%s", diff)
	}
}

func TestALaunchThatFailsSaysWhy(t *testing.T) {
	dir := t.TempDir()
	l := quick(t, dir)
	l.Program = filepath.Join(dir, "nothing")
	if err := l.Launch(t.Context(), runtime.Launch{Notebook: "nb", Token: issued("")}); err == nil || !strings.Contains(err.Error(), "start the runtime") {
		t.Errorf("got %v, want why it did not start", err)
	}
}

func TestWhatTheLatestRuntimeLeftOutlivesTheNextLaunch(t *testing.T) {
	l := quick(t, t.TempDir())
	at := func(id event.RuntimeID) string { return filepath.Join(l.Dir, l.spool("nb", id)) }
	for _, dir := range []string{at("old"), at("new"), filepath.Join(l.Dir, l.spool("other", "rt"))} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(at("old"), long, long); err != nil {
		t.Fatal(err)
	}
	if err := l.removeSpools(t.Context(), "nb"); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]bool{at("old"): false, at("new"): true, filepath.Join(l.Dir, l.spool("other", "rt")): true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: got %v, want it there: %t", dir, err, want)
		}
	}
}

// issued returns a function that returns a token.
func issued(token string) func() (string, error) {
	return func() (string, error) { return token, nil }
}
