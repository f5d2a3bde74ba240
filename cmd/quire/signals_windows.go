package main

import (
	"os"
	"syscall"
)

// errGone is the error of a write to a pipe that nothing reads.
const errGone = syscall.ERROR_BROKEN_PIPE

// notePipes does nothing: no signal tells of pipes.
func notePipes() {}

// endSignals are those that ask a command to end.
func endSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }
