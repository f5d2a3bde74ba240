package main

import (
	"syscall"
	"testing"
)

// The bounds hold until the process ends, and programs that it starts elsewhere would inherit them.
func TestARuntimeInAProcessThatDoesOtherWorkDoesNotBoundIt(t *testing.T) {
	limit := func() (l syscall.Rlimit) {
		if err := syscall.Getrlimit(syscall.RLIMIT_DATA, &l); err != nil {
			t.Fatal(err)
		}
		return l
	}
	before := limit()
	a, _, _ := offline()
	if got := a.execute(t.Context(), []string{"runtime", "--server", "nonsense"}); got != exitUsage {
		t.Errorf("got %d, want %d", got, exitUsage)
	}
	if got := limit(); got != before {
		t.Errorf("got a limit of %+v, want %+v", got, before)
	}
}
