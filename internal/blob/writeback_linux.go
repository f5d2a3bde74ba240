package blob

import (
	"os"

	"golang.org/x/sys/unix"
)

// startWriteback starts writeback of a part of a file. It neither waits nor guarantees anything.
func startWriteback(f *os.File, from, n int64) {
	_ = unix.SyncFileRange(int(f.Fd()), from, n, unix.SYNC_FILE_RANGE_WRITE)
}
