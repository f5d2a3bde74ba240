//go:build !linux

package env

import (
	"os"
	"syscall"
)

// pidNamespace cannot exist here: its methods are those of nil.
type pidNamespace struct{}

func (*pidNamespace) close() error                                      { return nil }
func (*pidNamespace) open(func(int) error) error                        { return nil }
func (*pidNamespace) programPID(<-chan struct{}) (int, error)           { return 0, os.ErrProcessDone }
func (*pidNamespace) signal(syscall.Signal, <-chan struct{}) error      { return os.ErrProcessDone }
func (*pidNamespace) signalGroup(syscall.Signal, <-chan struct{}) error { return os.ErrProcessDone }
func (*pidNamespace) kill()                                             {}
func (*pidNamespace) await()                                            {}

func newPIDNamespace() (*pidNamespace, error) { return nil, os.ErrInvalid }

func (*pidNamespace) files() []*os.File { return nil }
