//go:build unix

package python

import (
	"os"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/quirehq/quire/internal/proc"
)

// receive returns the pipe ends that the driver has sent before its message.
func (p *process) receive() []*os.File {
	const most = 2
	space := make([]byte, unix.CmsgSpace(4*most))
	_, n, _, _, err := unix.Recvmsg(p.pipes, make([]byte, 1), space, unix.MSG_DONTWAIT)
	if err != nil {
		return nil
	}
	var files []*os.File
	controls, _ := unix.ParseSocketControlMessage(space[:n])
	for i := range controls {
		fds, _ := unix.ParseUnixRights(&controls[i])
		for _, fd := range fds {
			unix.CloseOnExec(fd)
			_ = unix.SetNonblock(fd, true)
			files = append(files, os.NewFile(uintptr(fd), "pipe"))
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.more = append(p.more, files...)
	return files
}

// readers returns the pipe ends that are read.
func (p *process) readers() []*os.File {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]*os.File{p.out, p.err, p.messages}, p.more...)
}

// drop closes a pipe that has ended, unless it is one of the first two.
func (p *process) drop(file *os.File) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.more, file); i >= 0 {
		p.more = slices.Delete(p.more, i, i+1)
		_ = file.Close()
	}
}

// catchUp waits a moment for the readers to consume output of C code and child processes from
// between two runs, before the next run begins.
func (p *process) catchUp() {
	for try := range 30 {
		if proc.Unread(p.out)+proc.Unread(p.err) == 0 && p.passing.Load() == 0 {
			return
		}
		if try < 10 { // usually a reader has just passed on the end of the run before
			runtime.Gosched()
			continue
		}
		time.Sleep(time.Millisecond)
	}
}
