package blob

import (
	"os"

	"golang.org/x/sys/unix"
)

// beginSync has the disk begin with a part of a file. It waits for nothing and
// promises nothing.
func beginSync(f *os.File, from, n int64) {
	_ = unix.SyncFileRange(int(f.Fd()), from, n, unix.SYNC_FILE_RANGE_WRITE)
}
