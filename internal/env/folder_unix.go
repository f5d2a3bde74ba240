//go:build unix

package env

import "syscall"

// openNow opens a pipe without waiting for its other end.
const openNow = syscall.O_NONBLOCK
