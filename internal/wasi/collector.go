package wasi

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// collector collects garbage while the module is in a function of the host, and at no other time.
//
// Go's collector stops all goroutines for a moment, and one that executes a module does not stop until it calls the host. A loop
// that calls nothing would keep all others waiting, those among them that deliver what was printed and that hear of an interrupt.
type collector struct {
	mu  sync.Mutex
	new int // bytes that were made since the last collection
}

// collectAfter is how much garbage may gather. Each byte that passes through is copied about four times.
const collectAfter = 8 << 20

// beginCollecting stops the collections that Go begins by itself, and has goroutines of the host run beside the module even on a
// machine with one processor.
func beginCollecting() *collector {
	debug.FreeOSMemory() // what compiling has left
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0)))
	return &collector{}
}

// made notes bytes that became garbage, and collects when there is much. It is called on the goroutine of the module.
func (c *collector) made(bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.new += bytes + 256; c.new > collectAfter {
		c.new = 0
		runtime.GC()
	}
}
