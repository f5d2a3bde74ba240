//go:build linux

package native_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quirehq/quire/host/native"
)

// fullDisk mounts a small disk and fills it, but for a part of a page that files of it
// have begun. It returns what frees it.
func fullDisk(t *testing.T) (dir string, fill, free func()) {
	t.Helper()
	dir = t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("a small disk cannot be mounted here, which needs root: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	ballast := filepath.Join(dir, "ballast")
	fill = func() {
		if err := os.WriteFile(ballast, make([]byte, 64<<10), 0o600); err == nil {
			t.Error("the disk is not full")
		}
	}
	free = func() {
		if err := os.Remove(ballast); err != nil {
			t.Error(err)
		}
	}
	return dir, fill, free
}

func TestASpoolHasNoHoleAfterTheDiskWasFull(t *testing.T) {
	disk, fill, free := fullDisk(t)
	dir := filepath.Join(disk, "a.spool")
	s, err := native.OpenSpool(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	keep(t, s, printed(1, "one"))
	fill()
	if err := s.Keep(printed(2, strings.Repeat("two", 3_000))); err == nil {
		t.Fatal("an event was kept for which there was no space")
	}
	wantSpooled(t, dir, 1)
	free()
	if err := s.Keep(printed(3, "three")); err == nil || !strings.Contains(err.Error(), "an earlier event could not be written") {
		t.Errorf("got %v, want an event refused that comes after one that is missing", err)
	}
	wantSpooled(t, dir, 1)
	for _, through := range []uint64{1, 2} { // the third is missing as well
		if err := s.Drop(through); err != nil {
			t.Fatal(err)
		}
		if err := s.Keep(printed(4, "four")); err == nil {
			t.Errorf("an event was kept though of those before it only %d are acknowledged", through)
		}
	}
	if err := s.Drop(4); err != nil {
		t.Fatal(err)
	}
	keep(t, s, printed(5, "five"), printed(6, "six"))
	wantSpooled(t, dir, 5, 6)
}
