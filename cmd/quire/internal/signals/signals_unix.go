//go:build unix

// Package signals has the signals that the command line reacts to: those that ask it to end, and those of pipes that nothing reads.
package signals

import (
	"os"
	"os/signal"
	"syscall"
)

// ErrGone is the error of a write to a pipe that nothing reads.
const ErrGone = syscall.EPIPE

// NotePipes lets a write to a pipe that nothing reads fail, where it would else end the process,
// and have programs that are started find the signal as it was.
func NotePipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// Ending are those that ask a command to end. One that was ignored when the process began,
// as by nohup, stays so.
func Ending() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}
