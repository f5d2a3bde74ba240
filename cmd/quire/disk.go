package main

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"
)

// diskPause is how long a guard waits at least until it looks again. It waits twenty
// times as long as looking took, so that many files do not keep it busy.
const diskPause = 200 * time.Millisecond

// errDiskFull is the cause of a context that ends because the folder is full.
var errDiskFull = errors.New("the notebook's files take more than they may")

// guardDisk ends the context that it returns when the files of the notebook take more
// than they may. One that begins with more than that may go on as long as it adds
// nothing: else nobody could remove anything. Full ends the guard, and reports whether
// it was so. Without a limit it does nothing.
func (l limits) guardDisk(ctx context.Context, p *place) (guarded context.Context, full func() bool) {
	if l.disk == 0 || p == nil {
		return ctx, func() bool { return false }
	}
	ctx, cancel := context.WithCancelCause(ctx)
	limit := max(l.disk, usage(ctx, p.folder))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if fills(ctx, p.folder, limit) {
			cancel(errDiskFull)
		}
	}()
	return ctx, func() bool {
		isFull := errors.Is(context.Cause(ctx), errDiskFull)
		cancel(nil)
		<-done
		return isFull
	}
}

// fills returns true once the files in a folder take more than a limit, and false when
// ctx ends before.
func fills(ctx context.Context, folder string, limit int64) bool {
	for {
		began := time.Now()
		if usage(ctx, folder) > limit {
			return true
		}
		timer := time.NewTimer(max(diskPause, 20*time.Since(began)))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return false
		}
	}
}

// usage returns how many bytes the files in a folder have. What goes while it looks is
// not counted, and no symbolic link is followed.
func usage(ctx context.Context, folder string) int64 {
	var sum int64
	_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || entry.IsDir() {
			return nil // it is gone, or is not ours to look into
		}
		if info, err := entry.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum
}
