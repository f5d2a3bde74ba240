package launch

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/quirehq/quire/internal/proc"
)

func TestARecordOfAProcessThatIsNotOursToEndIsNotBelieved(t *testing.T) {
	start := func(attributes *syscall.SysProcAttr) int {
		cmd := exec.Command("sleep", "1000")
		cmd.SysProcAttr = attributes
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		return cmd.Process.Pid
	}
	named := map[string]int{
		"the first process":         1,
		"this process":              os.Getpid(),
		"the parent":                os.Getppid(),
		"one of our group":          start(nil),
		"one that leads no group":   start(&syscall.SysProcAttr{Setpgid: true, Pgid: start(&syscall.SysProcAttr{Setpgid: true})}),
		"one that may be a runtime": start(&syscall.SysProcAttr{Setsid: true}),
	}
	if os.Getuid() == 0 {
		named["one of another user"] = start(&syscall.SysProcAttr{Setsid: true, Credential: &syscall.Credential{Uid: 65534, Gid: 65534}})
	}
	for name, pid := range named {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			believed := name == "one that may be a runtime"
			r := record{Notebook: "nb", Runtime: "rt", Program: nameOf(pid), Over: true}
			if proc.Born(pid) == "" {
				t.Fatal("it has no birth")
			}
			if err := quick(t, dir).note(r); err != nil {
				t.Fatal(err)
			}
			next := quick(t, dir)
			if _, err := os.Stat(r.file(next.place())); len(next.records) != 0 != believed || (err == nil) != believed {
				t.Errorf("the next server has %d records and the file %v, want that it believes it: %t", len(next.records), err, believed)
			}
			if err := proc.CheckFamily(pid); (err == nil) != believed {
				t.Errorf("whether it may be killed: got %v", err)
			}
		})
	}
}
