//go:build !unix

package script

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quirehq/quire/core/engineproto"
)

type fileReader = *os.File

// process cannot exist here: engines need descriptors and signals of Unix.
type process struct {
	requests *os.File
	out, err *os.File
	workers  sync.WaitGroup
	senders  sync.WaitGroup
	quit     chan struct{}
	exited   chan struct{}
	reading  [3]atomic.Bool
}

var errPlatform = errors.New("an engine as a process needs Linux, macOS or another Unix")

func startProcess(string, *Config) (*process, error)                    { return nil, errPlatform }
func (p *process) readText(*os.File, string, *atomic.Bool) <-chan piece { return nil }
func (p *process) readMessages() <-chan engineproto.FromEngine          { return nil }
func (p *process) hasMessages() bool                                    { return false }
func (p *process) hasText() bool                                        { return false }
func (p *process) catchUp()                                             {}
func (p *process) signal() error                                        { return errPlatform }
func (p *process) kill()                                                {}
func (p *process) end(time.Duration)                                    {}
func (p *process) reason() error                                        { return errPlatform }
