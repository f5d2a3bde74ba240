//go:build unix

package jupyter

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/quirehq/quire/internal/proc"
)

// unixSockets says that kernels can listen on Unix sockets.
const unixSockets = true

// lastWords is how long we listen for more when the process has ended. What it wrote
// is in the pipes; only what it left behind can write on.
const lastWords = 200 * time.Millisecond

// process is a kernel's process and what it writes outside the protocol.
type process struct {
	proc.Child
	out    [2]*os.File // its stdout and stderr
	limits Limits
	exited chan struct{} // closed when the process has ended and is reaped
	ended  proc.End      // how; read after exited
}

// startProcess starts a kernel that finds its connection in a folder. Its limits hold
// before any program.
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

// await ends the reading when the process has ended: something that left the session
// may still hold the pipes open.
func (p *process) await() {
	p.ended = p.Wait()
	for _, file := range p.out {
		_ = file.SetReadDeadline(time.Now().Add(lastWords))
	}
	close(p.exited)
}

// The signals that the engine sends, to the kernel and what it has started.

func (p *process) kill()      { p.Kill() }
func (p *process) interrupt() { _ = p.SignalGroup(syscall.SIGINT) } // all fail when it has gone
func (p *process) pause()     { _ = p.SignalGroup(syscall.SIGSTOP) }
func (p *process) resume()    { _ = p.SignalGroup(syscall.SIGCONT) }

// end gives the process a grace to end by itself, and kills it. When it returns the
// process has gone. It may be called twice.
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

// reason waits for the end and says how it was.
func (p *process) reason() error {
	<-p.exited
	switch {
	case p.ended.Signal == 0:
		return fmt.Errorf("exit status %d", p.ended.Code)
	case p.usedUp():
		return fmt.Errorf("killed: it has used its %v of processor time", p.limits.CPU)
	case p.ended.Signal == syscall.SIGKILL:
		return errors.New("signal SIGKILL: killed from outside: out of memory?")
	}
	return fmt.Errorf("signal %s", unix.SignalName(p.ended.Signal))
}

// usedUp says whether the limit of processor time is what ended the process.
func (p *process) usedUp() bool {
	signal := p.ended.Signal
	return p.limits.Spent(p.ended.CPU) && (signal == syscall.SIGKILL || signal == syscall.SIGXCPU)
}

// readNow reads what is in one of the pipes, without waiting. It returns 0 where
// there is nothing, and false once there never will be.
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
