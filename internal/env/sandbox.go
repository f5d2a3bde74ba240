package env

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/quirehq/quire/internal/proc"
)

// Sandbox is a part of the machine, by bubblewrap (https://github.com/containers/bubblewrap).
// Programs have namespaces of their own for users, processes, messages, names, mounts
// and the network. They see the system and what Read names, and cannot change it;
// they can write to the workspace, which has the path that it has outside, and to
// /tmp and /dev/shm, which are theirs and go with them. They have no capability, gain
// none by setuid programs, cannot make user namespaces, and have no terminal. When the
// program that was started ends, so does all that it has started. A filter refuses system calls
// that reach past namespaces, and the keys of the session that we were started in are not
// those of programs.
//
// What it does not keep from them: the kernel itself, with its bugs; how busy the
// machine is; and with Network everything that listens on this machine.
type Sandbox struct {
	*machine
	config SandboxConfig
	bwrap  string
	nested bool // bubblewrap can keep programs from making user namespaces
}

// SandboxConfig says what a sandbox is.
type SandboxConfig struct {
	ID  string // its name
	Dir string // the workspace, which must be there

	// Read are further folders that programs may read, such as that of a Python
	// that is not the system's.
	Read []string

	// Hide are folders that programs must not see though they lie in one of Read.
	Hide []string

	// Network lets programs use the network of the machine, loopback included.
	Network bool

	// Scratch bounds each of /tmp and /dev/shm, in bytes; 0 means 1 GiB. What is in
	// them counts as memory.
	Scratch int64

	// Group bounds what programs may use; nil for no bounds.
	Group *Group

	// PIDFiles name the programs that run; nil for none.
	PIDFiles *PIDFiles

	// Own bounds this process, and not the programs; nil if nothing does.
	Own *proc.Own
}

// DefaultScratch is how much a program may have in each of /tmp and /dev/shm.
const DefaultScratch = 1 << 30

// NewSandbox returns a sandbox, or an error that says what this machine lacks for one.
func NewSandbox(ctx context.Context, config SandboxConfig) (*Sandbox, error) {
	dir, err := filepath.Abs(config.Dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("find the workspace: %w", err)
	}
	bwrap, nested, err := findBubblewrap(ctx)
	if err != nil {
		return nil, err
	}
	if config.Scratch == 0 {
		config.Scratch = DefaultScratch
	}
	m, err := newMachine(config.ID, dir)
	if err != nil {
		return nil, err
	}
	return &Sandbox{machine: m, config: config, bwrap: bwrap, nested: nested}, nil
}

// ErrNoSandbox says that there can be no sandbox on this machine as it is set up, however
// often one tries. A check that fails with another error, such as for want of memory, says
// nothing of the next one.
var ErrNoSandbox = errors.New("there can be no sandbox")

// CheckSandbox returns why there can be no sandbox on this machine, and what to do
// about it, wrapping [ErrNoSandbox], or why that could not be found out.
func CheckSandbox(ctx context.Context) error {
	_, _, err := findBubblewrap(ctx)
	return err
}

// findBubblewrap returns the path of a bubblewrap that works, and whether it knows how
// to keep programs from making user namespaces, as it does from 0.8 on.
func findBubblewrap(ctx context.Context) (path string, nested bool, err error) {
	path, err = exec.LookPath("bwrap")
	if err != nil {
		return "", false, fmt.Errorf("%w: it needs bubblewrap, and there is no bwrap in PATH; on Debian or Ubuntu: `apt install bubblewrap`", ErrNoSandbox)
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", false, err
	}
	if tryBubblewrap(ctx, path, "--disable-userns") == nil {
		return path, true, nil
	}
	err = tryBubblewrap(ctx, path)
	var said *bubblewrapError
	switch {
	case err == nil:
		return path, false, nil
	case errors.As(err, &said) && said.lasts():
		return "", false, fmt.Errorf("%w: bubblewrap cannot make one here: %w; does the system allow user namespaces "+
			"(sysctl kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns)?", ErrNoSandbox, err)
	}
	return "", false, fmt.Errorf("find out whether bubblewrap works: %w", err)
}

// bubblewrapError is what bubblewrap said when it gave up by itself.
type bubblewrapError struct{ text string }

// Error implements error.
func (e *bubblewrapError) Error() string { return e.text }

// refusals are the words, in lower case, with which bubblewrap says that it may not do something
// or that the kernel cannot: it has no codes, and its locale is C. Words that are not among
// them may be of something that passes.
var refusals = [...]string{
	syscall.EPERM.Error(), syscall.EACCES.Error(), syscall.ENOSYS.Error(), syscall.EINVAL.Error(),
	"no permissions to creat", "kernel does not support user namespaces", "unknown option",
}

// lasts reports whether bubblewrap would say the same at each try.
func (e *bubblewrapError) lasts() bool {
	text := strings.ToLower(e.text)
	return slices.ContainsFunc(refusals[:], func(words string) bool { return strings.Contains(text, words) }) || namespacesAreOff()
}

// namespacesAreOff reports whether the system lets nobody make a user namespace, which
// bubblewrap cannot tell from too many of them.
func namespacesAreOff() bool {
	most, err := os.ReadFile("/proc/sys/user/max_user_namespaces")
	return err == nil && string(bytes.TrimSpace(most)) == "0"
}

// tryBubblewrap runs a program that does nothing in a sandbox.
func tryBubblewrap(ctx context.Context, path string, more ...string) error {
	filter, err := filterFile()
	if err != nil {
		return err
	}
	defer closeAll([]*os.File{filter})
	args := append(append(namespaces(false), more...), append(system(), "--seccomp", "3")...)
	cmd := exec.CommandContext(ctx, path, append(args, "--", "true")...)
	cmd.Dir, cmd.Env, cmd.ExtraFiles = "/", []string{"PATH=/usr/bin:/bin"}, []*os.File{filter}
	var said bytes.Buffer
	cmd.Stderr, cmd.WaitDelay = &said, time.Second
	err = cmd.Run()
	text := strings.TrimSpace(said.String())
	switch {
	case err == nil || text == "":
		return err
	case ctx.Err() == nil && cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 1:
		return &bubblewrapError{text}
	}
	return fmt.Errorf("%w: %s", err, text)
}

// Exec implements [Primitive].
func (s *Sandbox) Exec(ctx context.Context, c Command) (Process, error) {
	child, err := s.Start(ctx, c, Grants{})
	if err != nil {
		return nil, err
	}
	return child, nil
}

// Start is [Sandbox.Exec] for callers that live on this machine too.
func (s *Sandbox) Start(ctx context.Context, c Command, own Grants) (*Child, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	b, err := newBox()
	if err != nil {
		return nil, err
	}
	filter, err := filterFile()
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	args, settings := s.args(c, own)
	settings = append([]*os.File{filter}, settings...)
	defer closeAll(settings)
	cmd := exec.Command(s.bwrap, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = "/", s.environ(c.Env), c.Stdout, c.Stderr
	cmd.ExtraFiles = append(append(slices.Clip(own.Files), b.files()...), settings...)
	return s.startIn(ctx, cmd, b, ways{s.config.Group, s.config.PIDFiles, s.config.Own})
}

func closeAll(files []*os.File) {
	for _, file := range files {
		_ = file.Close() // it was only read
	}
}

// environ returns the environment of a program: what it is to have, or a plain one,
// with a home that is its own.
func (s *Sandbox) environ(given []string) []string {
	if given == nil {
		given = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"}
	}
	env := append(given[:len(given):len(given)], "HOME="+home, "TMPDIR=/tmp", "USER=quire", "LOGNAME=quire")
	if !s.config.Network {
		env = append(env, "PIP_RETRIES=0") // there is nothing to wait for
	}
	return env
}

// home is what programs have for a home: an empty folder of their own.
const home = "/tmp/home"
