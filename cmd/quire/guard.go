package main

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// guard keeps the programs of a place, for as long as it is there, to what the system does not:
// to their memory together where there are no control groups, and to the files of the
// notebook between runs. It kills them when they pass a limit. A nil one does nothing.
type guard struct {
	place  *place
	limits limits
	logger *slog.Logger

	mu     sync.Mutex
	runs   int   // that go on
	before usage // what was in the folder when none went on first
	known  bool  // before is
	hit    limitHit
}

// limitHit is a limit for which programs were killed.
type limitHit int

const (
	hitNone limitHit = iota
	hitMemory
	hitDisk
)

// memoryPause is how long the guard waits at least until it looks at the memory again.
const memoryPause = 200 * time.Millisecond

// watch watches until ctx ends.
func (g *guard) watch(ctx context.Context) {
	var looking sync.WaitGroup
	if g.limits.memory > 0 && g.place.group == nil {
		looking.Go(func() { look(ctx, memoryPause, g.lookAtMemory) })
	}
	if g.limits.disk > 0 {
		looking.Go(func() { look(ctx, diskPause, func() bool { return g.lookAtDisk(ctx) }) })
	}
	looking.Wait()
}

// lookAtMemory kills the programs if they have more than they may. It always wants to look again.
func (g *guard) lookAtMemory() bool {
	if g.place.exceeds(g.limits.memory) {
		g.kill(hitMemory, g.limits.memoryNote())
	}
	return true
}

// lookAtDisk kills the programs if they add to a folder that is full while no run goes on, which
// would be interrupted, or if it has twice as much as it may. It wants to look again until ctx ends.
func (g *guard) lookAtDisk(ctx context.Context) bool {
	now := usageOf(ctx, g.place.folder)
	if ctx.Err() != nil {
		return false
	}
	if full, note := g.isFull(now); full {
		g.kill(hitDisk, note)
	}
	return true
}

// isFull takes in what is in the folder, and reports whether that is too much.
func (g *guard) isFull(now usage) (full bool, note string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.known {
		g.before, g.known = now, true
	}
	if g.runs > 0 {
		now = usage{now.bytes / 2, now.files / 2}
	}
	return g.limits.exceeds(now, g.before), g.limits.diskNote()
}

func (g *guard) kill(hit limitHit, note string) {
	g.mu.Lock()
	g.hit, g.known = hit, false // what is there now is no reason to kill the next ones
	g.mu.Unlock()
	g.logger.Warn("programs killed", "limit", note)
	g.place.killAll()
}

// begins notes that a run begins.
func (g *guard) begins() {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.runs++
}

// ended notes that a run has ended, and returns for which limit the engine was killed, if it was.
func (g *guard) ended(died bool) limitHit {
	if g == nil {
		return hitNone
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.runs--
	g.known = false // the run has looked
	hit := g.hit
	g.hit = hitNone
	if !died {
		return hitNone
	}
	return hit
}
