//go:build unix

package pipehost

import (
	"errors"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/quirehq/quire/internal/proc"
)

const (
	// readSize is the size of one read of text, and smallSize that of one of many pipes.
	readSize  = 64 << 10
	smallSize = 8 << 10

	// lastWords bounds the reading after the process has ended. Its own output is in the pipes; only its children can
	// still write.
	lastWords = 200 * time.Millisecond

	// lastBytes bounds the output of children after the end of the process; it is at least the capacity of a pipe.
	lastBytes = 1 << 20

	// cutPatience bounds the time from the end of a process's messages to its own end: in a sandbox, other processes are
	// waited for in between.
	cutPatience = 5 * time.Second
)

// errCut says that a program lives without a connection.
var errCut = errors.New("the program closed the descriptors that belong to the runtime")

// MessageReader returns a function that reads the next message. An error of it ends the process, for the reason of
// [Process.Fail] if the function has called that, and else because a process without messages is of no use.
type MessageReader[M any] func(io.Reader) func() (Marked[M], error)

// readText reads a pipe of text until it ends.
func (p *Process) readText(file *file, token string) <-chan Piece {
	pieces := make(chan Piece)
	emit := func(next Piece) bool {
		select {
		case pieces <- next:
			p.consumed.Add(1)
			return true
		case <-p.quit:
			return false
		}
	}
	size := readSize
	if file.small {
		size = smallSize
	}
	p.consume(func() {
		defer close(pieces)
		defer p.drop(file)
		from := patientReader{p, file}
		text := decoder{token: token}
		buffer := make([]byte, size)
		for left := lastBytes; left > 0; {
			n, err := from.Read(buffer)
			if more := text.pieces(buffer[:n], false, emit); !more || err != nil {
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

// drop closes a further pipe that has ended.
func (p *Process) drop(file *file) {
	file.busy.Store(false)
	p.mu.Lock()
	defer p.mu.Unlock()
	if file.further {
		p.files = slices.Delete(p.files, slices.Index(p.files, file), slices.Index(p.files, file)+1)
		_ = file.Close()
	}
}

// Text reads a further pipe of text, which it closes at its end. It is either the main one of its stream from now on, or one of
// many.
func (p *Process) Text(from *os.File, token string, main bool) <-chan Piece {
	further := &file{File: from, further: true, small: !main}
	p.mu.Lock()
	p.files = append(p.files, further)
	p.mu.Unlock()
	return p.readText(further, token)
}

// Follow passes the text of a pipe to emit, and at its end nothing, until that returns false.
func (p *Process) Follow(pieces <-chan Piece, emit func(text string, end bool) bool) {
	p.consume(func() {
		for piece := range pieces {
			if piece.text != "" && !emit(piece.text, false) {
				return
			}
		}
		emit("", true)
	})
}

// readMessages reads messages until their pipe ends, which ends the process: without messages it is of no use.
func readMessages[M any](p *Process, read MessageReader[M]) <-chan Marked[M] {
	messages := make(chan Marked[M])
	next := read(patientReader{p, p.messages})
	p.consume(func() {
		defer close(messages)
		defer p.messages.busy.Store(false)
		for {
			message, err := next()
			if err != nil {
				p.cut()
				return
			}
			select {
			case messages <- message:
				p.consumed.Add(1)
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

// cut kills a process whose messages have ended, unless it is about to end.
func (p *Process) cut() {
	patience := time.NewTimer(cutPatience)
	defer patience.Stop()
	select {
	case <-p.exited:
	case <-p.quit:
		p.Kill()
	case <-patience.C:
		p.Fail(errCut)
	}
}

// patientReader reads a pipe up to its deadline, and then the rest of its content: the deadline limits further writes, not the
// consumption of earlier ones. It is called when all that it has read was passed on, and notes in busy when that is not so:
// before bytes leave the pipe, so that output is always in one or the other.
type patientReader struct {
	process *Process
	file    *file
}

func (r patientReader) Read(p []byte) (int, error) {
	r.file.busy.Store(false)
	conn, err := r.file.SyscallConn()
	if err != nil {
		return 0, err
	}
	for {
		n, err := r.read(conn, p)
		if !errors.Is(err, os.ErrDeadlineExceeded) || proc.Unread(r.file.File) == 0 || r.process.isAbandoned() {
			return n, err
		}
		_ = r.file.SetReadDeadline(time.Now().Add(lastWords))
	}
}

func (r patientReader) read(conn syscall.RawConn, p []byte) (n int, err error) {
	failed := conn.Read(func(fd uintptr) bool {
		r.file.busy.Store(true)
		for n, err = unix.Read(int(fd), p); errors.Is(err, unix.EINTR); {
			n, err = unix.Read(int(fd), p)
		}
		if errors.Is(err, unix.EAGAIN) {
			r.file.busy.Store(false)
			return false
		}
		return true
	})
	switch {
	case failed != nil:
		return 0, failed
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// isAbandoned reports whether the output is not wanted any more.
func (p *Process) isAbandoned() bool {
	select {
	case <-p.quit:
		return true
	default:
		return false
	}
}

func (p *Process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}
