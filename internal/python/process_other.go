//go:build !unix

package python

import (
	"errors"
	"os"
	"time"

	"github.com/quirehq/quire/internal/pipehost"
)

// process cannot exist here: the driver needs descriptors and signals of Unix.
type process struct{ *pipehost.Process }

var errPlatform = errors.New("python as a process needs Linux, macOS or another Unix")

func startProcess(string, Config) (*process, error) { return nil, errPlatform }
func (p *process) receive() []*os.File              { return nil }
func (p *process) interrupt(uint64) error           { return errPlatform }
func (p *process) end(time.Duration)                {}
