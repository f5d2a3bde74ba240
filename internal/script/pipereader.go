//go:build unix

package script

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/internal/proc"
)

const (
	// readSize is the size of one read of text.
	readSize = 64 << 10

	// lastWords bounds the reading after the process has ended. Its own output is in the pipes; only its children can
	// still write.
	lastWords = 200 * time.Millisecond

	// takingTime bounds the consumption of the output up to the end of the process.
	takingTime = 5 * time.Second

	// maxRenewals bounds how often that time, and that to end in, are renewed while output is consumed.
	maxRenewals = 3

	// lastBytes bounds the output of children after the end of the process; it is at least the capacity of a pipe.
	lastBytes = 1 << 20

	// cutPatience bounds the time from the end of an engine's messages to its own end: in a sandbox, other processes
	// are waited for in between.
	cutPatience = 2 * time.Second
)

// errCut says that an engine lives without a connection.
var errCut = errors.New("the program closed the descriptors that belong to the runtime")

// readText reads a pipe of raw text until it ends.
func (p *process) readText(file *os.File, secret string, busy *atomic.Bool) <-chan piece {
	pieces := make(chan piece)
	emit := func(next piece) bool {
		select {
		case pieces <- next:
			return true
		case <-p.quit:
			return false
		}
	}
	from := patientReader{p, file, busy}
	p.workers.Go(func() {
		defer close(pieces)
		text := rawText{secret: secret}
		buffer := make([]byte, readSize)
		for left := lastBytes; left > 0; {
			n, err := from.Read(buffer)
			more := text.pieces(buffer[:n], false, emit)
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
		busy.Store(false)
	})
	return pieces
}

// readMessages reads messages until their pipe ends, which ends the process: without messages it is of no use. A line
// that is no message ends it too.
func (p *process) readMessages() <-chan engineproto.FromEngine {
	messages := make(chan engineproto.FromEngine)
	lines := engineproto.NewLines(patientReader{p, p.messages, &p.reading[0]})
	p.workers.Go(func() {
		defer close(messages)
		for {
			line, err := lines.Next()
			if err != nil {
				p.cut(err)
				return
			}
			m, err := engineproto.DecodeFromEngine(line)
			if err != nil {
				p.fail(fmt.Errorf("the engine broke the protocol in its line %d: %w", lines.Number(), err))
				return
			}
			if m == nil {
				continue // of a later version
			}
			select {
			case messages <- m:
			case <-p.quit:
				return
			}
			p.consumed.Add(int64(len(line)))
			if p.hasExited() {
				_ = p.messages.SetReadDeadline(time.Now().Add(lastWords))
			}
		}
	})
	return messages
}

// cut kills a process whose messages have ended, unless it is about to end.
func (p *process) cut(err error) {
	if errors.Is(err, engineproto.ErrTooLong) {
		p.fail(fmt.Errorf("the engine broke the protocol: %w", err))
		return
	}
	patience := time.NewTimer(cutPatience)
	defer patience.Stop()
	select {
	case <-p.exited:
	case <-p.quit:
		p.kill()
	case <-patience.C:
		p.fail(errCut)
	}
}

// patientReader reads a pipe up to its deadline, and then the rest of its content: the deadline limits further writes,
// not the consumption of earlier ones. It is called when all that it has read was passed on, and notes in busy when that
// is not so: before bytes leave the pipe, so that output is always in one or the other.
type patientReader struct {
	process *process
	file    *os.File
	busy    *atomic.Bool
}

func (r patientReader) Read(p []byte) (int, error) {
	r.busy.Store(false)
	conn, err := r.file.SyscallConn()
	if err != nil {
		return 0, err
	}
	for {
		n, err := r.read(conn, p)
		if !errors.Is(err, os.ErrDeadlineExceeded) || proc.Unread(r.file) == 0 || r.process.isAbandoned() {
			return n, err
		}
		_ = r.file.SetReadDeadline(time.Now().Add(lastWords))
	}
}

func (r patientReader) read(conn syscall.RawConn, p []byte) (n int, err error) {
	failed := conn.Read(func(fd uintptr) bool {
		r.busy.Store(true)
		for n, err = unix.Read(int(fd), p); errors.Is(err, unix.EINTR); {
			n, err = unix.Read(int(fd), p)
		}
		if errors.Is(err, unix.EAGAIN) {
			r.busy.Store(false)
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

// hasMessages reports whether the engine has sent messages that were not passed on, and hasText whether there is such raw text.
func (p *process) hasMessages() bool { return p.reading[0].Load() || proc.Unread(p.messages) > 0 }

func (p *process) hasText() bool {
	return p.reading[1].Load() || p.reading[2].Load() || proc.Unread(p.out)+proc.Unread(p.err) > 0
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

// catchUp waits a moment for the readers to consume raw output from between two runs, before the next run begins.
func (p *process) catchUp() {
	for try := range 30 {
		if !p.hasText() {
			return
		}
		if try < 10 { // usually a reader has just passed on the end of the run before
			runtime.Gosched()
			continue
		}
		time.Sleep(time.Millisecond)
	}
}
