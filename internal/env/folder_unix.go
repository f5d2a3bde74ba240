//go:build unix

package env

import "syscall"

// openNow has opening a pipe not wait for its other end.
const openNow = syscall.O_NONBLOCK
