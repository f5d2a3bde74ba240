//go:build !unix

package python

import (
	"errors"
	"os"
	"sync"
	"time"
)

// process cannot exist here: the driver needs descriptors and signals of Unix.
type process struct {
	requests *os.File
	out, err *os.File
	workers  sync.WaitGroup
	quit     chan struct{}
	exited   chan struct{}
}

var errPlatform = errors.New("python as a process needs Linux, macOS or another Unix")

func startProcess(string, Config) (*process, error)            { return nil, errPlatform }
func (p *process) readText(*os.File, []byte, int) <-chan piece { return nil }
func (p *process) readMessages() <-chan *message               { return nil }
func (p *process) receive() []*os.File                         { return nil }
func (p *process) catchUp()                                    {}
func (p *process) interrupt(uint64) error                      { return errPlatform }
func (p *process) kill()                                       {}
func (p *process) end(time.Duration)                           {}
func (p *process) reason() error                               { return errPlatform }
