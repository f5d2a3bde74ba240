package engines

import (
	"context"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
)

// diskPause is the least time between two looks at a folder. A guard waits twenty times as long
// as the last look took, so many files do not keep it busy.
const diskPause = 100 * time.Millisecond

// bytesPerFile and leastFiles bound the number of files by the limit of their size: an empty file
// takes an inode, of which a disk has only so many.
const (
	bytesPerFile = 16 << 10
	leastFiles   = 10_000
)

// limits bound the programs of a runtime; 0 for no limit.
type limits settings.Bounds

// mostFiles returns the limit of the number of files and folders of a notebook.
func (l limits) mostFiles() int64 { return max(leastFiles, l.Disk/bytesPerFile) }

// usage is the size of a folder.
type usage struct{ bytes, files int64 }

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
