package native

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestTheMemoryOfAProcessIsKeptToItself(t *testing.T) {
	t.Cleanup(func() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) })
	if err := KeepMemory(); err != nil {
		t.Fatal(err)
	}
	if got, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); err != nil || got != 0 {
		t.Errorf("got dumpable %d, %v, want 0", got, err)
	}
}
