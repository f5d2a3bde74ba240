package engines

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/server"
)

// guard enforces the limits of an environment that the system does not: the memory of all
// programs together where there are no control groups, and the size of the notebook's files. It
// ends the run that fills the folder, and kills the programs when they exceed a limit even so, or
// between runs. A nil guard does nothing.
type guard struct {
	env    *environment
	limits limits
	logger *slog.Logger
	usage  func(context.Context) usage // the size of the folder
	report func(server.LimitHit)       // gets each limit that is hit; must not block

	mu     sync.Mutex
	runs   map[*guardedRun]bool // that go on
	before usage                // the size of the folder when first no run went on
	known  bool                 // before is
	hit    limitHit
}

// limitHit is a limit for which programs were killed.
type limitHit int

const (
	hitNone limitHit = iota
	hitMemory
	hitDisk
)

// memoryPause is the least time between two looks at the memory.
const memoryPause = 200 * time.Millisecond

// diskPause is the least time between two looks at a folder. A guard waits twenty times as long
// as the last look took, so many files do not keep it busy.
const diskPause = 100 * time.Millisecond

// killTime bounds the wait for the end of killed programs.
const killTime = 10 * time.Second

// newGuard returns the guard of an environment, which reports the limits that are hit.
func newGuard(p *environment, l limits, logger *slog.Logger, report func(server.LimitHit)) *guard {
	return &guard{
		env: p, limits: l, logger: logger, report: report, runs: map[*guardedRun]bool{},
		usage: func(ctx context.Context) usage { return usageOf(ctx, p.folder) },
	}
}

// watch watches until ctx ends.
func (g *guard) watch(ctx context.Context) {
	var looking sync.WaitGroup
	if g.limits.Memory > 0 && g.env.group == nil {
		looking.Go(func() { look(ctx, memoryPause, func() bool { return g.lookAtMemory(ctx) }) })
	}
	if g.limits.Disk > 0 {
		looking.Go(func() { look(ctx, diskPause, func() bool { return g.lookAtDisk(ctx) }) })
	}
	looking.Wait()
}

// look looks again and again until there is nothing more to look for, or ctx ends.
func look(ctx context.Context, pause time.Duration, more func() bool) {
	for {
		began := time.Now()
		if !more() {
			return
		}
		timer := time.NewTimer(max(pause, 20*time.Since(began)))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// lookAtMemory kills the programs if they are over their memory. It always wants another look.
func (g *guard) lookAtMemory(ctx context.Context) bool {
	if g.env.exceeds(g.limits.Memory) {
		g.kill(ctx, hitMemory, g.limits.memoryNote())
	}
	return true
}

// lookAtDisk ends the runs that fill the folder. It kills the programs if they add to a full
// folder while no run goes on, or if the folder has twice its limit. It wants another look until
// ctx ends.
func (g *guard) lookAtDisk(ctx context.Context) bool {
	now := g.usage(ctx)
	if ctx.Err() != nil {
		return false
	}
	g.endRuns(now)
	if g.isFull(now) {
		g.kill(ctx, hitDisk, g.limits.diskNote())
	}
	return true
}

// endRuns ends the runs during which the folder has exceeded its limit.
func (g *guard) endRuns(now usage) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for r := range g.runs {
		if g.limits.exceeds(now, r.before) {
			r.full = true
			r.cancel(errDiskFull)
		}
	}
}

// isFull notes the size of the folder, and reports whether it is over the limit.
func (g *guard) isFull(now usage) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.known {
		g.before, g.known = now, true
	}
	if len(g.runs) > 0 {
		now = usage{now.bytes / 2, now.files / 2}
	}
	return g.limits.exceeds(now, g.before)
}

// kill kills the programs for a limit.
func (g *guard) kill(ctx context.Context, hit limitHit, note limitNote) {
	g.logger.Warn("programs killed", "limit", note.text)
	if between := g.endPrograms(ctx, hit); between { // else the run tells
		g.tell("", note)
	}
}

// endPrograms ends the programs, and reports whether no run went on. No run begins meanwhile: it
// could end well before its program does, and the next run would not know the limit.
func (g *guard) endPrograms(ctx context.Context, hit limitHit) (between bool) {
	ctx, cancel := context.WithTimeout(ctx, killTime)
	defer cancel()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hit, g.known = hit, false // the files of now are no reason to kill the next programs
	if err := g.env.killAll(ctx); err != nil {
		g.logger.Warn("programs that were killed have not ended", "error", err)
	}
	return len(g.runs) == 0
}

// tell reports a limit that a run has hit, or that programs have hit between runs.
func (g *guard) tell(run string, note limitNote) {
	if g != nil && note.limit != "" {
		g.report(server.LimitHit{Run: event.RunID(run), Limit: note.limit, Value: note.value})
	}
}

// guardedRun is a run that goes on, as its guard knows it.
type guardedRun struct {
	guard  *guard
	before usage // the size of the folder when it began
	cancel context.CancelCauseFunc
	full   bool // it was ended since the folder is
}

// begin notes that a run begins. The context that it returns ends when the files of the
// notebook exceed their limit.
func (g *guard) begin(ctx context.Context) (context.Context, *guardedRun) {
	if g == nil {
		return ctx, nil
	}
	r := &guardedRun{guard: g}
	if g.limits.Disk > 0 {
		r.before = g.usage(ctx)
	}
	ctx, r.cancel = context.WithCancelCause(ctx)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.runs[r] = true
	return ctx, r
}

// end notes that the run has ended, and looks once more. It reports whether the folder is over its
// limit by this run, and the limit for which the engine was killed, if it died.
func (r *guardedRun) end(ctx context.Context, died bool) (full bool, hit limitHit) {
	if r == nil {
		return false, hitNone
	}
	g := r.guard
	g.mu.Lock()
	delete(g.runs, r)
	full = r.full
	g.known = false // the next run begins with the folder as it is now
	if died {
		hit = g.hit
	}
	g.hit = hitNone
	g.mu.Unlock()
	r.cancel(nil)
	if g.limits.Disk == 0 {
		return false, hit
	}
	return full || g.limits.blames(r.before, g.usage(context.WithoutCancel(ctx))), hit
}

// errDiskFull is the cause of a context that ends because the folder is full.
var errDiskFull = errors.New("the notebook's files take more than they may")

// usage is the size of a folder.
type usage struct{ bytes, files int64 }

// usageOf returns the size of a folder. Files that are removed meanwhile are not counted, and no
// symbolic link is followed.
func usageOf(ctx context.Context, folder string) usage {
	sum := usage{files: -1} // the folder itself
	_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return nil // it is gone, or is not ours to look into
		}
		sum.files++
		if info, err := entry.Info(); err == nil && !entry.IsDir() {
			sum.bytes += info.Size()
		}
		return nil
	})
	return sum
}

// exceeds reports whether a folder is over its limit, and larger than before. A folder that was
// over the limit before may still be used as long as nothing is added, else no file in it could
// be removed.
func (l limits) exceeds(now, before usage) bool {
	return now.bytes > max(l.Disk, before.bytes) || now.files > max(l.mostFiles(), before.files)
}

// blames reports whether a run leaves a folder over its limit, and has not made it smaller.
func (l limits) blames(before, after usage) bool {
	return after.bytes > l.Disk && after.bytes >= before.bytes || after.files > l.mostFiles() && after.files >= before.files
}
