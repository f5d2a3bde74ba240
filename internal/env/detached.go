package env

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/quirehq/quire/internal/proc"
)

// Detacher is the part of a [Primitive] for programs that go on when this process ends, such as runtimes. Each has a name,
// by which any process that opens the environment knows it. The names of programs never mean others.
type Detacher interface {
	// Detach starts a program that goes on when this process ends or ctx does. It returns the program's name once it runs,
	// or why it cannot.
	Detach(ctx context.Context, d Detached) (name string, err error)

	// IsRunning reports whether a detached program has not ended.
	IsRunning(name string) bool

	// AwaitEnd returns when a detached program has ended: how, for users, or nothing where only the process that started
	// it could know. It returns the cause of ctx when that ends first.
	AwaitEnd(ctx context.Context, name string) (how string, err error)

	// KillDetached kills a detached program and all processes that it has started, and returns at once. One that has ended
	// is no error.
	KillDetached(name string) error

	// Sweep kills what a detached program has left that ended by force, as its [PIDFiles] in a folder of the workspace
	// name it, and removes the folder. It returns how many processes it has killed.
	Sweep(folder, mark string) (killed int, err error)

	// Fetch returns a folder of this machine with the files of a folder of the workspace, until release is called. A
	// missing one may be given as one that is missing here.
	Fetch(ctx context.Context, folder string) (dir string, release func(), err error)
}

// Detached is a program to start that goes on when this process ends.
type Detached struct {
	Argv  []string // the program, by path, and its arguments
	Env   []string // the whole environment, as of [Command]
	Dir   string   // working directory: a folder of the workspace, created if missing
	Input string   // its whole input, of at most 4 KiB, which no other program can read

	// Log is the file of the workspace that gets its output. An earlier file of the name is kept with ".1" behind it.
	Log string
}

// detachedRun is a detached program that this process has started.
type detachedRun struct {
	ended chan struct{}
	how   string // valid when ended is closed
}

// detach starts a detached program of a machine. Start starts cmd, which has the program and its environment.
func (m *machine) detach(cmd *exec.Cmd, d Detached, start func() error) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.onEnd {
		return "", ErrTerminated
	}
	log, err := m.openLog(d.Log)
	if err != nil {
		return "", fmt.Errorf("make the log of %s: %w", d.Argv[0], err)
	}
	cmd.Stdout, cmd.Stderr, cmd.Stdin = log, log, strings.NewReader(d.Input)
	proc.Detach(cmd)
	if err := errors.Join(start(), log.Close()); err != nil {
		return "", fmt.Errorf("start %s: %w", d.Argv[0], err)
	}
	name := detachedName(cmd.Process.Pid)
	run := &detachedRun{ended: make(chan struct{})}
	m.detached[name] = run
	go func() { // it ends with the program, which may be long after us
		_ = cmd.Wait()
		run.how = cmd.ProcessState.String()
		close(run.ended)
	}()
	return name, nil
}

// makeDir creates the working directory of a detached program.
func (m *machine) makeDir(d Detached) error {
	if err := m.root.MkdirAll(cmp.Or(d.Dir, "."), 0o700); err != nil {
		return fmt.Errorf("make the folder of %s: %w", d.Argv[0], err)
	}
	return nil
}

// openLog opens a new log, and keeps the one before.
func (m *machine) openLog(name string) (*os.File, error) {
	name = filepath.FromSlash(name)
	if err := m.root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	if err := m.root.Rename(name, name+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return m.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}

// detachedName is the name of a detached program of this machine: its PID, which may be reused, and its birth.
func detachedName(pid int) string { return fmt.Sprintf("%d %s", pid, proc.Born(pid)) }

// pidOf returns the PID of a detached program, 0 if it has ended or cannot be one.
func pidOf(name string) int {
	number, born, _ := strings.Cut(name, " ")
	pid, err := strconv.Atoi(number)
	if err != nil || born == "" || proc.Born(pid) != born || proc.CheckFamily(pid) != nil {
		return 0
	}
	return pid
}

// IsRunning implements [Detacher].
func (m *machine) IsRunning(name string) bool { return pidOf(name) != 0 }

// endEvery is how often a machine looks whether a detached program has ended that is no child of this process.
const endEvery = time.Second

// AwaitEnd implements [Detacher].
func (m *machine) AwaitEnd(ctx context.Context, name string) (how string, err error) {
	m.mu.Lock()
	run := m.detached[name]
	m.mu.Unlock()
	if run != nil {
		select {
		case <-run.ended:
			m.mu.Lock()
			delete(m.detached, name)
			m.mu.Unlock()
			return run.how, nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
	ticker := time.NewTicker(endEvery)
	defer ticker.Stop()
	for m.IsRunning(name) {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
	return "", nil
}

// KillDetached implements [Detacher]. Control groups that its programs were in are removed.
func (m *machine) KillDetached(name string) error {
	pid := pidOf(name)
	if pid == 0 {
		return nil
	}
	if err := proc.KillFamily(pid); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return SweepGroups()
}

// killDetached kills the detached programs that this process has started, and waits until they have ended, or ctx has.
func (m *machine) killDetached(ctx context.Context) error {
	m.mu.Lock()
	runs := make(map[string]*detachedRun, len(m.detached))
	for name, run := range m.detached {
		runs[name] = run
	}
	m.mu.Unlock()
	var errs []error
	for name, run := range runs {
		errs = append(errs, m.KillDetached(name))
		select {
		case <-run.ended:
		case <-ctx.Done():
			return errors.Join(append(errs, ctx.Err())...)
		}
	}
	return errors.Join(errs...)
}

// Fetch implements [Detacher]: the folder is on this machine.
func (m *machine) Fetch(_ context.Context, folder string) (dir string, release func(), err error) {
	if !filepath.IsLocal(filepath.FromSlash(folder)) {
		return "", nil, &fs.PathError{Op: "fetch", Path: folder, Err: fs.ErrInvalid}
	}
	return filepath.Join(m.dir, filepath.FromSlash(folder)), func() {}, nil
}

// Detach implements [Detacher].
func (l *Local) Detach(_ context.Context, d Detached) (string, error) {
	if len(d.Argv) == 0 {
		return "", errNoProgram
	}
	if err := l.makeDir(d); err != nil {
		return "", err
	}
	cmd := exec.Command(d.Argv[0], d.Argv[1:]...)
	cmd.Dir, cmd.Env = filepath.Join(l.dir, filepath.FromSlash(d.Dir)), d.Env
	return l.detach(cmd, d, func() error { return l.config.Own.Start(cmd.Start) })
}

// Sweep implements [Detacher].
func (l *Local) Sweep(folder, mark string) (killed int, err error) {
	if !filepath.IsLocal(filepath.FromSlash(folder)) {
		return 0, &fs.PathError{Op: "sweep", Path: folder, Err: fs.ErrInvalid}
	}
	return Sweep(filepath.Join(l.dir, filepath.FromSlash(folder)), mark)
}

// Detach implements [Detacher]. A process of ours keeps bubblewrap, which ends with it. The memory of the program is not
// bounded by the group, which ends with this process.
func (s *Sandbox) Detach(ctx context.Context, d Detached) (string, error) {
	if len(d.Argv) == 0 {
		return "", errNoProgram
	}
	if err := errors.Join(s.makeDir(d), s.has(ctx, d.Argv[0])); err != nil {
		return "", err
	}
	filter, err := filterFile()
	if err != nil {
		return "", err
	}
	args, files := s.command(3, Command{Argv: d.Argv, Dir: path.Join(s.Workspace(), d.Dir)}, nil)
	files = append([]*os.File{filter}, files...)
	defer closeAll(files)
	// The shell does not become bubblewrap, since it has another command: it is the parent with which that dies.
	cmd := exec.Command("/bin/sh", append([]string{"-c", `"$@"; exit $?`, "sh", s.bwrap}, args...)...)
	cmd.Dir, cmd.Env, cmd.ExtraFiles = "/", s.environ(d.Env), files
	return s.detach(cmd, d, func() error { return withoutKeys(func() error { return s.config.Own.Start(cmd.Start) }) })
}

// has returns why a program cannot be started in the sandbox.
func (s *Sandbox) has(ctx context.Context, program string) error {
	p, err := s.Exec(ctx, Command{Argv: []string{"/bin/sh", "-c", `command -v "$1" >/dev/null`, "sh", program}})
	if err != nil {
		return err
	}
	if exit := p.Wait(); !exit.OK() {
		return &fs.PathError{Op: "start in the sandbox", Path: program, Err: fs.ErrNotExist}
	}
	return nil
}

// Sweep implements [Detacher]: all ended with the program's namespace, and the PIDs are those of the namespace.
func (s *Sandbox) Sweep(folder, _ string) (killed int, err error) {
	return 0, s.root.RemoveAll(folder)
}
