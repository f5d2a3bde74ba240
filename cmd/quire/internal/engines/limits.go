package engines

import (
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/internal/proc"
)

// limits bound the programs of a runtime; 0 for no limit.
type limits settings.Bounds

// ofProcess returns the limits that the system enforces for one process.
func (l limits) ofProcess() proc.Limits {
	return proc.Limits{Memory: l.Memory, CPU: l.CPU, Files: l.Files, Processes: l.Processes, FileSize: l.FileSize}
}

// bytesPerFile and leastFiles bound the number of files by the limit of their size: an empty file
// takes an inode, of which a disk has only so many.
const (
	bytesPerFile = 16 << 10
	leastFiles   = 10_000
)

// mostFiles returns the limit of the number of files and folders of a notebook.
func (l limits) mostFiles() int64 { return max(leastFiles, l.Disk/bytesPerFile) }
