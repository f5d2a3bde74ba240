//go:build unix

package python

import (
	"errors"
	"os"
	"time"

	"github.com/quirehq/quire/internal/proc"
)

const (
	// lastWords bounds the reading after the process has ended. Its own output is in the pipes;
	// only its children can still write.
	lastWords = 200 * time.Millisecond

	// takingTime bounds the consumption of the output up to the end of the process.
	takingTime = 5 * time.Second

	// maxRenewals bounds how often that time, and that to end in, are renewed while output is
	// consumed.
	maxRenewals = 3

	// lastBytes bounds that output; it is at least the capacity of a pipe.
	lastBytes = 1 << 20
)

// readText reads a text pipe until it ends.
func (p *process) readText(file *os.File, token []byte, size int) <-chan piece {
	pieces := make(chan piece)
	emit := func(next piece) bool {
		select {
		case pieces <- next:
			return true
		case <-p.quit:
			return false
		}
	}
	from := patientReader{p, file}
	p.workers.Go(func() {
		defer close(pieces)
		defer p.drop(file)
		text := decoder{token: token}
		buffer := make([]byte, size)
		for left := lastBytes; left > 0; {
			n, err := from.Read(buffer)
			p.passing.Add(1)
			more := text.pieces(buffer[:n], false, emit)
			p.passing.Add(-1)
			p.consumed.Add(int64(n))
			if !more || err != nil {
				break
			}
			if p.hasExited() {
				left -= n
				_ = file.SetReadDeadline(time.Now().Add(lastWords))
			}
		}
		text.pieces(nil, true, emit)
	})
	return pieces
}

// readMessages reads messages until their pipe ends, which ends the process: without messages it is
// of no use.
func (p *process) readMessages() <-chan *message {
	messages := make(chan *message)
	from := patientReader{p, p.messages}
	p.workers.Go(func() {
		defer close(messages)
		defer p.cut()
		for {
			message, err := readMessage(from)
			if err != nil {
				return
			}
			select {
			case messages <- message:
			case <-p.quit:
				return
			}
			if p.hasExited() {
				_ = p.messages.SetReadDeadline(time.Now().Add(lastWords))
			}
		}
	})
	return messages
}

// patientReader reads a pipe up to its deadline, and then the rest of its content: the deadline
// limits further writes, not the consumption of earlier ones.
type patientReader struct {
	process *process
	file    *os.File
}

func (r patientReader) Read(p []byte) (int, error) {
	for {
		n, err := r.file.Read(p)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) || proc.Unread(r.file) == 0 || r.process.isAbandoned() {
			return n, err
		}
		_ = r.file.SetReadDeadline(time.Now().Add(lastWords))
	}
}

// isAbandoned reports whether the output is not wanted any more.
func (p *process) isAbandoned() bool {
	select {
	case <-p.quit:
		return true
	default:
		return false
	}
}

func (p *process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}
