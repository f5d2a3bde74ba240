package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quirehq/quire/host/native"
	"github.com/quirehq/quire/host/server"
)

// idleTime is after how long without use a runtime that a server started ends,
// unless it is set otherwise.
const idleTime = "24h"

// launcher starts runtimes as processes of this machine. They outlive the server,
// and find the next one of the data directory by the file that it leaves there. The
// launcher of that one knows them by the files that this one leaves.
type launcher struct {
	program string   // this very one
	dir     string   // the data directory
	environ []string // of runtimes, without the token
	flags   []string // of runtimes, besides what each is told
	limits  limitTexts
	grace   time.Duration
	most    int // how many there may be; 0 for any number
	logger  *slog.Logger

	sandboxed bool  // all runtimes are
	shut      *shut // how those of notebooks are that are not trusted

	starting sync.Mutex // held from counting the runtimes until there is one more

	mu      sync.Mutex
	records []launched
	ends    map[string]processEnd // of the last process of each notebook's runtimes that ended
}

// newLauncher returns a launcher that knows what an earlier one started in the
// directory. What is set for it was checked.
func newLauncher(a *app, dir string, logger *slog.Logger) (*launcher, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program that runtimes are: %w", err)
	}
	python, err := absolutePython(a.config.Python)
	if err != nil {
		return nil, fmt.Errorf("find python: %w", err)
	}
	l := &launcher{program: program, dir: dir, environ: a.config.Artifacts.withoutKeys(withoutOurs(a.environ)), logger: logger}
	a.config.setLauncher(l, new(faults))
	if python != "" {
		l.flags = append(l.flags, "--python", python)
	}
	if a.config.Kernel != "" {
		l.flags = append(l.flags, "--kernel", a.config.Kernel)
	}
	l.sandboxed = a.config.Sandbox.On
	if !a.config.TrustAll {
		l.shut = a.newShut(logger)
	}
	if l.records, err = readLaunched(l.place()); err != nil {
		return nil, err
	}
	if err := l.sweepAll("*"); err != nil {
		logger.Error("programs of runtimes that were killed are left", "error", err)
	}
	return l, nil
}

// setLauncher sets what a launcher keeps to, and notes what is wrong with it.
func (c *config) setLauncher(l *launcher, wrong *faults) {
	idle := cmp.Or(c.Idle, idleTime)
	if _, err := parseSpan(idle); err != nil {
		wrong.add("idle", "QUIRE_IDLE", "%v", err)
	}
	var err error
	if l.grace, err = parseSpan(c.Grace); err != nil {
		wrong.add("grace", "QUIRE_GRACE", "%v", err)
	}
	if c.MaxRuntimes != "" {
		if l.most, err = parseCount(c.MaxRuntimes); err != nil {
			wrong.add("max-runtimes", "QUIRE_MAX_RUNTIMES", "%v", err)
		}
	}
	c.Limits.parse(wrong)
	c.Sandbox.check(wrong)
	l.flags, l.limits = append([]string{"--idle", idle}, c.Sandbox.args()...), c.Limits
}

// place is the directory with the logs of runtimes and the files that tell of them.
func (l *launcher) place() string { return filepath.Join(l.dir, "runtimes") }

// withoutOurs returns an environment without what is meant for this process alone.
func withoutOurs(environ []string) []string {
	var rest []string
	for _, entry := range environ {
		switch name, _, _ := strings.Cut(entry, "="); name {
		case "QUIRE_TOKEN", "QUIRE_SERVER", "QUIRE_DATA", "QUIRE_NOTEBOOK":
		default:
			rest = append(rest, entry)
		}
	}
	return rest
}

// Launch implements [server.Launcher]. The token is passed by a pipe: a command line can be
// read by everybody on the machine, and an environment by every program of the same user.
func (l *launcher) Launch(_ context.Context, want server.Launch) error {
	l.starting.Lock()
	defer l.starting.Unlock()
	if l.isComing(want.Notebook) {
		return nil // the server before this one has started it
	}
	if l.most > 0 && l.alive() >= l.most {
		return fmt.Errorf("no more runtimes than %d may run at once (--max-runtimes): stop one with `quire stop`", l.most)
	}
	if err := errors.Join(l.sweepAll(want.Notebook), l.removeSpools(want.Notebook)); err != nil {
		return fmt.Errorf("remove what earlier runtimes left: %w", err)
	}
	cmd, err := l.command(want)
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the runtime: %w", errors.Join(err, cmd.Stdout.(io.Closer).Close()))
	}
	r := launched{Notebook: want.Notebook, Runtime: want.Runtime, PID: cmd.Process.Pid, Born: bornAt(cmd.Process.Pid), Kept: true}
	// It ends with the runtime, which may be long after us, so nobody waits for it.
	go func() {
		_ = cmd.Wait()
		l.reap(r, cmd.ProcessState)
	}()
	return errors.Join(l.note(r), cmd.Stdout.(io.Closer).Close())
}

// command returns the process that a runtime is to be, with its log open.
func (l *launcher) command(want server.Launch) (*exec.Cmd, error) {
	files := filepath.Join(l.dir, "files", want.Notebook)
	if err := os.MkdirAll(files, 0o700); err != nil {
		return nil, fmt.Errorf("make the runtime's directory: %w", err)
	}
	own, err := l.ownLimits(want.Notebook)
	if err != nil {
		return nil, err
	}
	holds := own.within(l.limits)
	boxed, err := l.trustFlags(want.Notebook)
	if err != nil {
		return nil, err
	}
	log, err := openLog(l.place(), want.Notebook)
	if err != nil {
		return nil, fmt.Errorf("make the runtime's log: %w", err)
	}
	args := append([]string{
		"runtime", "--data", l.dir, "--token-file", "-", "--notebook", want.Notebook, "--runtime", string(want.Runtime), "--spool", l.spool(want.Notebook, want.Runtime),
		"--pid-files", l.pids(want.Notebook, want.Runtime),
	}, slices.Concat(l.flags, boxed, holds.args())...)
	cmd := exec.Command(l.program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = files, log, log
	cmd.Env, cmd.Stdin = l.environ, strings.NewReader(want.Token+"\n")
	native.Detach(cmd)
	return cmd, nil
}

const logSuffix = ".log"

// openLog opens the log of a notebook's runtime anew. The one of the runtime before
// is kept beside it.
func openLog(dir, notebook string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, notebook+logSuffix)
	if err := os.Rename(path, path+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}
