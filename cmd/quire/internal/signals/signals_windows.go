package signals

import (
	"os"
	"syscall"
)

// ErrGone is the error of a write to a pipe that nothing reads.
const ErrGone = syscall.ERROR_BROKEN_PIPE

// NotePipes does nothing: no signal tells of pipes.
func NotePipes() {}

// Ending are those that ask a command to end.
func Ending() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }
