//go:build unix

package python

import (
	"errors"
	"os"
	"time"
)

const (
	// lastWords is how long we listen for more when the process has ended. What
	// it wrote is in the pipes; only what it left behind can write on.
	lastWords = 200 * time.Millisecond

	// takingTime is how long it may take to take what the process wrote up to its end.
	takingTime = 5 * time.Second

	// lastBytes is how much we then read at most, no less than a pipe holds.
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

// readMessages reads messages until there are no more, which is the end of the
// process: without messages it is of no use.
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

// patientReader reads a pipe up to its deadline, and what is in the pipe then: a deadline is for
// what may still be written, and not for how long it takes to take what was.
type patientReader struct {
	process *process
	file    *os.File
}

func (r patientReader) Read(p []byte) (int, error) {
	for {
		n, err := r.file.Read(p)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) || unread(r.file) == 0 || r.process.isAbandoned() {
			return n, err
		}
		_ = r.file.SetReadDeadline(time.Now().Add(lastWords))
	}
}

// isAbandoned reports whether nobody wants what is read.
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
