package env

import (
	"bytes"
	"cmp"
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
// Programs have their own user, PID, IPC, UTS, mount and network namespaces. They can read
// the system and the folders of Read. They can write to the workspace, which has the same
// path as outside or one of its own, and to private /tmp and /dev/shm, which end with them. They have no
// capabilities, gain none by setuid programs, cannot create user namespaces, and have no
// terminal. When the program ends, all its descendants are killed. A filter refuses system
// calls that reach past namespaces, and programs do not have the keys of our session.
//
// It does not protect the kernel itself, with its bugs, nor hide how busy the machine is;
// with Network, programs reach everything that listens on this machine.
type Sandbox struct {
	*machine
	config SandboxConfig
	bwrap  string
	nested bool // bubblewrap can forbid user namespaces
}

// SandboxConfig configures a sandbox.
type SandboxConfig struct {
	ID  string // unique name
	Dir string // the workspace, which must exist

	// At is the path of the workspace for programs; the same as outside if empty.
	At string

	// Read are further folders that programs may read, such as that of a Python outside the
	// system's folders.
	Read []string

	// Hide are folders hidden from programs, although they lie in one of Read.
	Hide []string

	// Network lets programs use the network of the machine, loopback included.
	Network bool

	// Scratch bounds each of /tmp and /dev/shm, in bytes; 0 means 1 GiB. Their files count as
	// memory.
	Scratch int64

	// Group bounds programs; nil for no bounds.
	Group *Group

	// PIDFiles record running programs; nil for none.
	PIDFiles *PIDFiles

	// Own bounds this process, and not the programs; nil if nothing does.
	Own *proc.Own
}

// DefaultScratch is the default bound of each of /tmp and /dev/shm.
const DefaultScratch = 1 << 30

// NewSandbox returns a sandbox, or an error that names what is missing on the machine.
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

// ErrNoSandbox says that the setup of this machine permits no sandbox, so retries are useless.
// Other errors of a check, such as a lack of memory, may pass.
var ErrNoSandbox = errors.New("there can be no sandbox")

// CheckSandbox returns why there can be no sandbox on this machine and the remedy, wrapping
// [ErrNoSandbox], or why the check failed.
func CheckSandbox(ctx context.Context) error {
	_, _, err := findBubblewrap(ctx)
	return err
}

// findBubblewrap returns the path of a working bubblewrap, and whether it can forbid user
// namespaces, as it does from 0.8 on.
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

// bubblewrapError is the message with which bubblewrap itself failed.
type bubblewrapError struct{ text string }

// Error implements error.
func (e *bubblewrapError) Error() string { return e.text }

// refusals are the messages, in lower case, for a missing permission or an unsupported call:
// bubblewrap has no error codes, and its locale is C. Other messages may be of a condition that
// passes.
var refusals = [...]string{
	syscall.EPERM.Error(), syscall.EACCES.Error(), syscall.ENOSYS.Error(), syscall.EINVAL.Error(),
	"no permissions to creat", "kernel does not support user namespaces", "unknown option",
}

// lasts reports whether bubblewrap would fail in the same way at each attempt.
func (e *bubblewrapError) lasts() bool {
	text := strings.ToLower(e.text)
	return slices.ContainsFunc(refusals[:], func(words string) bool { return strings.Contains(text, words) }) || namespacesAreOff()
}

// namespacesAreOff reports whether the system forbids user namespaces to all users, an error that
// bubblewrap does not distinguish from too many of them.
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

// Workspace implements [Primitive].
func (s *Sandbox) Workspace() string { return cmp.Or(s.config.At, s.dir) }

// Exec implements [Primitive].
func (s *Sandbox) Exec(ctx context.Context, c Command) (Process, error) {
	child, err := s.Start(ctx, c, Grants{})
	if err != nil {
		return nil, err
	}
	return child, nil
}

// Start is [Sandbox.Exec] for callers on this machine.
func (s *Sandbox) Start(ctx context.Context, c Command, own Grants) (*Child, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	b, err := newPIDNamespace()
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
	return s.startIn(ctx, cmd, b, startOptions{s.config.Group, s.config.PIDFiles, s.config.Own})
}

func closeAll(files []*os.File) {
	for _, file := range files {
		_ = file.Close() // a read-only file
	}
}

// environ returns the environment of a program, the given one or a plain one, with a private home.
func (s *Sandbox) environ(given []string) []string {
	if given == nil {
		given = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"}
	}
	env := append(given[:len(given):len(given)], "HOME="+home, "TMPDIR=/tmp", "USER=quire", "LOGNAME=quire")
	if !s.config.Network {
		env = append(env, "PIP_RETRIES=0") // without a network, retries are useless
	}
	return env
}

// home is the home of programs: a private, empty folder.
const home = "/tmp/home"
