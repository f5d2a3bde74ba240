package jupyter

import (
	"os"
	"strings"
	"sync"

	"github.com/quirehq/quire/core/lang"
)

// pipe reads stdout or stderr of a kernel's process. Programs print by messages, but child
// processes and C code write here.
type pipe struct {
	name string // of the stream
	file *os.File
	to   *inbox

	mu     sync.Mutex // held from a read until its text is in the inbox
	text   lang.TextDecoder
	buffer []byte
}

func newPipe(name string, file *os.File, to *inbox) *pipe {
	return &pipe{name: name, file: file, to: to, buffer: make([]byte, 32<<10)}
}

// follow reads until the pipe ends.
func (p *pipe) follow() {
	conn, err := p.file.SyscallConn()
	if err != nil {
		return
	}
	for more := true; more; {
		err := conn.Read(func(fd uintptr) (done bool) {
			var took bool
			took, more = p.take(fd)
			return took || !more
		})
		if err != nil {
			break
		}
		p.to.wait()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.putLocked(nil, true)
}

// take reads once, without blocking, and reports whether there was data and whether more can come.
func (p *pipe) take(fd uintptr) (took, more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, more := readNow(fd, p.buffer)
	p.putLocked(p.buffer[:n], false)
	return n > 0, more
}

func (p *pipe) putLocked(data []byte, end bool) {
	if text := p.text.Decode(data, end); text != "" {
		p.to.put(item{stream: p.name, text: text})
	}
}

// drain moves everything that has been written so far into the inbox, and flushes an incomplete
// character. It does not wait for concurrent writes.
func (p *pipe) drain() {
	conn, err := p.file.SyscallConn()
	if err != nil {
		return
	}
	const most = 64 // reads: at least the capacity of a pipe
	_ = conn.Control(func(fd uintptr) {
		for range most {
			if took, _ := p.take(fd); !took {
				break
			}
		}
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.putLocked(nil, true)
}

// maxWords bounds the tail of stderr that is kept.
const maxWords = 2 << 10

// words is the tail of the process's stderr.
type words struct{ kept string }

func (w *words) add(stream, text string) {
	if stream == lang.Stderr {
		w.kept += text
		w.kept = w.kept[max(0, len(w.kept)-maxWords):]
	}
}

// String returns the last lines.
func (w *words) String() string {
	const most = 10
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(w.kept, "")), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
