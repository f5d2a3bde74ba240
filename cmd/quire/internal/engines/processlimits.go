package engines

import (
	"math"
	"runtime/debug"

	"github.com/quirehq/quire/internal/proc"
)

// The limits of a runtime's own process, besides those of its programs. Output is decoded and passed
// on, which takes several times its size for a moment.
const (
	ownMemory  = 256 << 20 // soft: the garbage collector runs earlier to stay below it
	ownTimes   = 4         // hard: this multiple of the soft limit, besides the memory at its start
	ownFiles   = 4096      // open at once
	ownThreads = 1000
)

// OwnMemory returns the soft and the hard limit of the memory of a runtime's own process. Hard
// is 0 if there is none. GOMEMLIMIT replaces ownMemory.
func OwnMemory() (soft, hard int64) {
	soft = debug.SetMemoryLimit(-1)
	if soft == math.MaxInt64 {
		soft = ownMemory
	}
	if soft > math.MaxInt64/ownTimes {
		return soft, 0
	}
	return soft, ownTimes * soft
}

// BoundOwn bounds this process, which is a runtime's own, until it ends.
func BoundOwn() (*proc.Own, error) {
	soft, hard := OwnMemory()
	debug.SetMemoryLimit(soft)
	debug.SetMaxThreads(ownThreads)
	return proc.BoundOwn(proc.Limits{Memory: hard, Files: ownFiles})
}
