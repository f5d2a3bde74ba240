package env

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/quirehq/quire/internal/proc"
)

// pidNamespace is the process namespace of a sandboxed program. Its first process is bubblewrap's, which
// reaps orphans; when it ends, all others end. The methods of a nil box do nothing.
type pidNamespace struct {
	ours, theirs *os.File // a pipe on which bubblewrap reports its namespaces
	gate, behind *os.File // a pipe that holds the program back until it is closed

	mu      sync.Mutex
	first   int // PID of the first process
	firstFD int // pidfd of it; -1 before open and after close
	program int
	progFD  int
}

func newPIDNamespace() (*pidNamespace, error) {
	b := &pidNamespace{firstFD: -1, progFD: -1}
	var err error
	if b.ours, b.theirs, err = os.Pipe(); err != nil {
		return nil, err
	}
	if b.behind, b.gate, err = os.Pipe(); err != nil {
		return nil, errors.Join(err, b.ours.Close(), b.theirs.Close())
	}
	return b, nil
}

// files are bubblewrap's ends of the pipes.
func (b *pidNamespace) files() []*os.File { return []*os.File{b.theirs, b.behind} }

// close releases a box that no program was started in.
func (b *pidNamespace) close() error {
	if b == nil {
		return nil
	}
	return errors.Join(b.theirs.Close(), b.ours.Close(), b.behind.Close(), b.gate.Close())
}

// open waits until bubblewrap has made the namespace, calls made with the PID of its first process,
// and then lets the program start. After an error the caller has to kill all of it.
func (b *pidNamespace) open(made func(first int) error) error {
	if b == nil {
		return nil
	}
	defer func() { _ = b.gate.Close() }() // a killed program waits for nothing
	var info struct {
		First int `json:"child-pid"`
	}
	err := errors.Join(b.theirs.Close(), b.behind.Close()) // otherwise the pipe would never report its end
	if err == nil {
		err = json.NewDecoder(b.ours).Decode(&info)
	}
	err = errors.Join(err, b.ours.Close())
	if errors.Is(err, io.EOF) {
		return errors.New("bubblewrap ended before there was a sandbox")
	}
	if err != nil {
		return fmt.Errorf("read what bubblewrap made: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.first = info.First
	b.firstFD, err = unix.PidfdOpen(info.First, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil // it has ended already
	}
	if err == nil {
		err = made(info.First)
	}
	if err != nil && b.firstFD >= 0 {
		_ = unix.PidfdSendSignal(b.firstFD, unix.SIGKILL, nil, 0) // before the gate opens
	}
	return err
}

// programPID returns the PID of the program, the first child of the namespace's first process. It
// waits until the program is started.
func (b *pidNamespace) programPID(ended <-chan struct{}) (int, error) {
	for {
		program, err := b.find()
		if program != 0 || err != nil {
			return program, err
		}
		select {
		case <-ended:
			return 0, os.ErrProcessDone
		case <-time.After(time.Millisecond):
		}
	}
}

// find returns the PID of the program, and 0 while there is none.
func (b *pidNamespace) find() (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.program != 0 {
		return b.program, nil
	}
	err := b.findLocked()
	return b.program, err
}

// findLocked looks for the PID of the program.
func (b *pidNamespace) findLocked() error {
	if b.firstFD < 0 {
		return os.ErrProcessDone
	}
	pid := childOf(b.first)
	if pid == 0 {
		if hasEnded(b.firstFD, 0) {
			return os.ErrProcessDone
		}
		return nil
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return os.ErrProcessDone
	}
	if err != nil {
		return err
	}
	b.program, b.progFD = pid, fd
	return nil
}

// childOf returns the oldest child of a process, 0 if there is none.
func childOf(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if errors.Is(err, os.ErrNotExist) { // kernels can be built without this file
		of := strconv.Itoa(pid)
		for _, child := range proc.Find(func(stat [][]byte) bool { return string(stat[1]) == of }, 0) {
			return child
		}
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	child, _ := strconv.Atoi(first)
	return child
}

// signal sends the program a signal.
func (b *pidNamespace) signal(s syscall.Signal, ended <-chan struct{}) error {
	if _, err := b.programPID(ended); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.progFD < 0 {
		return os.ErrProcessDone
	}
	err := unix.PidfdSendSignal(b.progFD, s, nil, 0)
	if errors.Is(err, unix.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// signalGroup sends a signal to the program's process group. The namespace's first process may be
// in the group: it ignores all signals that can be ignored.
func (b *pidNamespace) signalGroup(s syscall.Signal, ended <-chan struct{}) error {
	if _, err := b.programPID(ended); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.progFD < 0 || hasEnded(b.progFD, 0) {
		return os.ErrProcessDone
	}
	group, err := unix.Getpgid(b.program)
	if err != nil {
		return os.ErrProcessDone
	}
	return unix.Kill(-group, s)
}

// kill kills all processes of the namespace.
func (b *pidNamespace) kill() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.firstFD >= 0 {
		_ = unix.PidfdSendSignal(b.firstFD, unix.SIGKILL, nil, 0)
	}
}

// await returns when all processes of the namespace have ended: the kernel ends the first process
// last.
func (b *pidNamespace) await() {
	if b == nil {
		return
	}
	b.kill()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.firstFD >= 0 {
		hasEnded(b.firstFD, -1)
	}
	for _, fd := range []*int{&b.firstFD, &b.progFD} {
		if *fd >= 0 {
			_ = unix.Close(*fd)
			*fd = -1
		}
	}
}

// hasEnded waits for the end of a process for some milliseconds, or without a limit for -1.
func hasEnded(pidfd, wait int) bool {
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, wait)
		if !errors.Is(err, unix.EINTR) {
			return n > 0 && err == nil
		}
	}
}
