package proc_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/quirehq/quire/internal/proc"
)

// beOwn is set for the test process that bounds itself, which is permanent.
const beOwn = "QUIRE_TEST_OWN"

// limitsOf returns the soft and hard limits of data and of open files of a process.
func limitsOf(pid int) (string, error) {
	var data, files unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_DATA, nil, &data); err != nil {
		return "", err
	}
	err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &files)
	return fmt.Sprint(data, files), err
}

func TestAProcessThatIsBoundedStartsProgramsThatAreNot(t *testing.T) {
	if os.Getenv(beOwn) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), beOwn+"=1")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS: "+t.Name()) {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	start := func(start func(func() error) error) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "cat")
		in, err := cmd.StdinPipe()
		if err == nil {
			err = start(cmd.Start)
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := limitsOf(cmd.Process.Pid)
		if err != nil {
			t.Error(err)
		}
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		return got
	}
	want := start(func(f func() error) error { return f() })
	before, err := limitsOf(0)
	if err != nil {
		t.Fatal(err)
	}
	own, err := proc.BoundOwn(proc.Limits{Memory: 1 << 30, Files: 64})
	if err != nil {
		t.Fatal(err)
	}
	bounded, err := limitsOf(0)
	if err != nil || bounded == before || !strings.Contains(bounded, "{64 ") {
		t.Errorf("got %s, %v, want less than %s", bounded, err, before)
	}
	if got := start(own.Start); got != want {
		t.Errorf("a program is held to %s, want %s as before", got, want)
	}
	if after, err := limitsOf(0); err != nil || after != bounded {
		t.Errorf("got %s, %v once a program was started, want %s", after, err, bounded)
	}
	for range 2 {
		if err := own.AllowMore("a test", 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	var raised, data unix.Rlimit
	err = unix.Getrlimit(unix.RLIMIT_DATA, &raised)
	if _, scanned := fmt.Sscanf(bounded, "{%d %d}", &data.Cur, &data.Max); err != nil || scanned != nil || raised.Cur != data.Cur+1<<20 {
		t.Errorf("got a bound of memory of %d, %v, %v; want a MiB more than %d", raised.Cur, err, scanned, data.Cur)
	}
	if got := start(own.Start); got != want {
		t.Errorf("a program is held to %s after that, want %s", got, want)
	}
	if got := start((*proc.Own)(nil).Start); got == want {
		t.Errorf("got %s, want that a program which is started without it inherits the bounds", got)
	}
}
