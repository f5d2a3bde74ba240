package proc

import (
	"os"
	"testing"
)

func TestNoFamilyIsKilledOfANumberThatMeansMore(t *testing.T) {
	for _, pid := range []int{1, 0, -1, os.Getpid(), os.Getppid()} {
		if err := CheckFamily(pid); err == nil { // and not KillFamily, which would end this test with all else
			t.Errorf("%d may be killed with its family", pid)
		}
	}
}
