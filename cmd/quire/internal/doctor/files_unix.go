//go:build unix

package doctor

import "syscall"

// openFiles returns how many files a process may have open at once. Go's own start
// has raised it already as far as it may.
func openFiles() (uint64, bool) {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 0, false
	}
	return uint64(l.Max), true
}
