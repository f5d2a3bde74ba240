package main

import (
	"math"
	"runtime/debug"

	"github.com/quirehq/quire/internal/proc"
)

// What a runtime's own process may use, beside what its programs may. A program that says very
// much makes it use more: what is said is decoded and passed on, which takes several times as much
// for a moment.
const (
	ownMemory  = 256 << 20 // it keeps below that as far as it can, by collecting garbage earlier
	ownTimes   = 4         // it cannot have so many times as much beside what it has as it starts
	ownFiles   = 4096      // that are open at once
	ownThreads = 1000
)

// ownMemoryBounds returns below what a runtime's own process keeps as far as it can, and
// what it cannot have: 0 if nothing keeps it from more. GOMEMLIMIT says something else than
// ownMemory.
func ownMemoryBounds() (soft, hard int64) {
	soft = debug.SetMemoryLimit(-1)
	if soft == math.MaxInt64 {
		soft = ownMemory
	}
	if soft > math.MaxInt64/ownTimes {
		return soft, 0
	}
	return soft, ownTimes * soft
}

// boundOwn bounds this process, which is a runtime's own, until it ends.
func boundOwn() (*proc.Own, error) {
	soft, hard := ownMemoryBounds()
	debug.SetMemoryLimit(soft)
	debug.SetMaxThreads(ownThreads)
	return proc.BoundOwn(proc.Limits{Memory: hard, Files: ownFiles})
}
