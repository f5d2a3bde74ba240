//go:build unix

package python

import (
	"os"
	"time"
)

const (
	// readSize is how much text is read at once.
	readSize = 64 << 10

	// lastWords is how long we listen for more when the process has ended. What
	// it wrote is in the pipes; only what it left behind can write on.
	lastWords = 200 * time.Millisecond

	// lastBytes is how much we then read at most, no less than a pipe holds.
	lastBytes = 1 << 20
)

// readText reads a text pipe until it ends.
func (p *process) readText(file *os.File, token []byte) <-chan piece {
	pieces := make(chan piece)
	emit := func(next piece) bool {
		select {
		case pieces <- next:
			return true
		case <-p.quit:
			return false
		}
	}
	p.workers.Go(func() {
		defer close(pieces)
		text := decoder{token: token}
		buffer := make([]byte, readSize)
		for left := lastBytes; left > 0; {
			n, err := file.Read(buffer)
			if !text.pieces(buffer[:n], false, emit) || err != nil {
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
	p.workers.Go(func() {
		defer close(messages)
		defer p.cut()
		for {
			message, err := readMessage(p.messages)
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

func (p *process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}
