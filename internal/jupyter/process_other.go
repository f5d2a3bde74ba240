//go:build !unix

package jupyter

import (
	"errors"
	"os"
	"time"
)

// unixSockets reports whether kernels can listen on Unix sockets.
const unixSockets = false

// lastWords bounds the reading after the process has ended.
const lastWords = 200 * time.Millisecond

// process cannot exist here: it needs the interrupts and process groups of Unix.
type process struct {
	out    [2]*os.File
	exited chan struct{}
}

var errPlatform = errors.New("jupyter kernels need Linux, macOS or another Unix")

func startProcess(_, _ []string, _ *Config, _ string) (*process, error) { return nil, errPlatform }
func (p *process) kill()                                                {}
func (p *process) interrupt()                                           {}
func (p *process) pause()                                               {}
func (p *process) resume()                                              {}
func (p *process) end(time.Duration)                                    {}
func (p *process) closeFiles()                                          {}
func (p *process) reason() error                                        { return errPlatform }
func readNow(uintptr, []byte) (int, bool)                               { return 0, false }
