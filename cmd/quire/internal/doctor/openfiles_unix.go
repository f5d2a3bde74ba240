//go:build unix

package doctor

import "syscall"

// openFiles returns the limit of open files of a process. Go has raised it at the start
// as far as it may.
func openFiles() (uint64, bool) {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 0, false
	}
	return uint64(l.Max), true
}
