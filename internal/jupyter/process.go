//go:build unix

package jupyter

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/proc"
)

// unixSockets reports whether kernels can listen on Unix sockets.
const unixSockets = true

// lastWords bounds the reading after the process has ended. Its own output is in the pipes; only
// its children can still write.
const lastWords = 200 * time.Millisecond

// process is a kernel's process with the pipes of its output.
type process struct {
	proc.Child
	out    [2]*os.File // its stdout and stderr
	limits Limits
	exited chan struct{} // closed when the process is reaped
	ended  proc.End      // valid once exited is closed
}

// startProcess starts a kernel, with access to the folder of its connection. Its limits hold before
// it executes any program.
func startProcess(argv, env []string, cfg *Config, connection string) (*process, error) {
	path, err := lookPath(argv[0], env, cfg.Dir)
	if err != nil {
		return nil, err
	}
	p := &process{limits: cfg.Limits, exited: make(chan struct{})}
	cmd := &exec.Cmd{Path: path, Args: argv, Env: env, Dir: cfg.Dir}
	theirs, err := p.connect(cmd)
	if err == nil {
		start := cfg.Start
		if start == nil {
			start = proc.StartOwn
		}
		p.Child, err = start(cmd, connection)
	}
	for _, file := range theirs {
		_ = file.Close()
	}
	if err != nil {
		p.closeFiles()
		return nil, err
	}
	go p.await()
	if err := p.limits.Hold(p); err != nil {
		p.end(0)
		p.closeFiles()
		return nil, err
	}
	return p, nil
}

// connect makes the pipes and returns the child's ends.
func (p *process) connect(cmd *exec.Cmd) (theirs []*os.File, err error) {
	for i := range p.out {
		r, w, pipeErr := os.Pipe()
		if pipeErr != nil {
			return theirs, errors.Join(err, pipeErr)
		}
		p.out[i], theirs = r, append(theirs, w)
	}
	cmd.Stdout, cmd.Stderr = theirs[0], theirs[1]
	return theirs, nil
}

// await reaps the process and then limits the reading: a process that left the session may hold the
// pipes open.
func (p *process) await() {
	p.ended = p.Wait()
	for _, file := range p.out {
		_ = file.SetReadDeadline(time.Now().Add(lastWords))
	}
	close(p.exited)
}

// Signals to the kernel and its process group.

func (p *process) kill()      { p.Kill() }
func (p *process) interrupt() { _ = p.SignalGroup(syscall.SIGINT) } // all fail once it has ended
func (p *process) pause()     { _ = p.SignalGroup(syscall.SIGSTOP) }
func (p *process) resume()    { _ = p.SignalGroup(syscall.SIGCONT) }

// end kills the process unless it ends within the grace. When it returns the process has ended. It
// may be called twice.
func (p *process) end(grace time.Duration) {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.exited:
	case <-timer.C:
		p.kill()
		<-p.exited
	}
}

func (p *process) closeFiles() {
	for _, file := range p.out {
		if file != nil {
			_ = file.Close()
		}
	}
}

// reason waits for the end and returns its cause.
func (p *process) reason() error {
	<-p.exited
	switch {
	case p.ended.Signal == 0:
		return fmt.Errorf("exit status %d", p.ended.Code)
	case p.usedUp():
		return &lang.SpentError{CPU: p.limits.CPU}
	case p.ended.Signal == syscall.SIGKILL:
		return errors.New("signal SIGKILL: killed from outside, as when memory runs out")
	}
	return fmt.Errorf("signal %s", unix.SignalName(p.ended.Signal))
}

// usedUp reports whether the limit of processor time ended the process.
func (p *process) usedUp() bool {
	signal := p.ended.Signal
	return p.limits.Spent(p.ended.CPU) && (signal == syscall.SIGKILL || signal == syscall.SIGXCPU)
}

// readNow reads from a pipe without blocking. It returns 0 if there is no data, and false once the
// pipe has ended.
func readNow(fd uintptr, buffer []byte) (n int, more bool) {
	for {
		n, err := syscall.Read(int(fd), buffer)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EAGAIN):
			return 0, true
		case err != nil || n <= 0:
			return 0, false
		default:
			return n, true
		}
	}
}

// lookPath finds a program in the PATH of the environment that it will have.
func lookPath(program string, env []string, dir string) (string, error) {
	if strings.ContainsRune(program, filepath.Separator) {
		path := program
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return path, executable(path)
	}
	path, _ := lookup(env, "PATH")
	for _, dir := range filepath.SplitList(path) {
		if file := filepath.Join(dir, program); filepath.IsAbs(file) && executable(file) == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("there is no %s in PATH", program)
}

func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a directory", path)
	case info.Mode()&0o111 == 0:
		return fmt.Errorf("%s cannot be executed: %w", path, fs.ErrPermission)
	}
	return nil
}
