//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// errGone is the error of a write to a pipe that nothing reads.
const errGone = syscall.EPIPE

// notePipes lets a write to a pipe that nothing reads fail, where it would else end the process,
// and have programs that are started find the signal as it was.
func notePipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// endSignals are those that ask a command to end. One that was ignored when the process began,
// as by nohup, stays so.
func endSignals() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}
