package file_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/quirehq/quire/internal/file"
)

func TestFoldersOfKilledProcessesAreRemoved(t *testing.T) {
	if os.Getenv("FILE_TEST_HOLD") != "" {
		dir, _, err := file.TempDir("quire-test-")
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
		fmt.Println(dir)
		select {}
	}
	t.Setenv("TMPDIR", t.TempDir())
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestFoldersOfKilledProcessesAreRemoved$")
	cmd.Env = append(os.Environ(), "FILE_TEST_HOLD=1")
	out, err := cmd.StdoutPipe()
	must(t, err)
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	line, _, err := bufio.NewReader(out).ReadLine()
	must(t, err)
	theirs := string(line)

	ours, release, err := file.TempDir("quire-test-")
	must(t, err)
	onlyIn(t, os.TempDir(), filepath.Base(theirs), filepath.Base(ours))
	if _, err := os.Stat(filepath.Join(theirs, "file")); err != nil {
		t.Errorf("a folder in use was removed: %v", err)
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	again, releaseAgain, err := file.TempDir("quire-test-")
	must(t, err)
	onlyIn(t, os.TempDir(), filepath.Base(ours), filepath.Base(again))
	must(t, release())
	must(t, releaseAgain())
	onlyIn(t, os.TempDir())
}
