// Package launch starts runtimes as processes of this machine and sees to it that they end, with all
// that they have started. The processes outlive the server: a launcher leaves files in the data
// directory from which that of the next server knows them. How processes are told apart and killed,
// and how spools are read, is passed in. Package launchtest has the tests of every launcher.
package launch

import (
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

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/runtime"
)

// Processes is the part of the operating system that a launcher uses. It may be used by any
// goroutine.
type Processes interface {
	// Detach has a process that is to be started outlive this one.
	Detach(cmd *exec.Cmd)
	// Born tells a process from all others that ever have its number. It is empty if there is
	// none, or one that waits to be reaped.
	Born(pid int) string
	// Check returns why a process is none that Kill may end.
	Check(pid int) error
	// Kill kills a process that was detached, with all that it has started. One that is gone is no error.
	Kill(pid int) error
	// Sweep ends the processes that the PID files of a runtime name, and removes the files.
	Sweep(dir, mark string) (killed int, err error)
}

// Config is how a launcher starts runtimes.
type Config struct {
	Program string   // that runtimes are: it is called as `quire runtime` is
	Dir     string   // the data directory
	Environ []string // of runtimes
	// Flags returns the flags of a notebook's runtime, besides those that name it.
	Flags  func(notebook string) ([]string, error)
	Grace  time.Duration // after which a runtime that does not end is killed
	Most   int           // runtimes at once; 0 for any number
	Memory string        // that the own process of a runtime may have, for users; empty for any
	Logger *slog.Logger

	Processes Processes
	// Recover returns the events in the spool of a runtime that is gone, as Left does.
	Recover func(ctx context.Context, dir string, to artifact.Store) ([]event.Draft, error)
	// Write puts data into a file that others cannot read, whole or not at all.
	Write func(name string, data []byte) error
}

// Launcher starts runtimes as processes of this machine. They outlive the server,
// and find the next one of the data directory by the file that it leaves there. The
// launcher of that one knows them by the files that this one leaves.
type Launcher struct {
	Config

	starting sync.Mutex // held from counting the runtimes until there is one more

	mu      sync.Mutex
	records []processRecord
	ends    map[string]processEnd // of the last process of each notebook's runtimes that ended
}

// New returns a launcher that knows the runtimes that an earlier one of the directory has started, and
// ends what those have left that were killed.
func New(cfg Config) (*Launcher, error) {
	l := &Launcher{Config: cfg}
	var err error
	if l.records, err = l.readRecords(); err != nil {
		return nil, err
	}
	if err := l.sweepAll("*"); err != nil {
		l.Logger.Error("programs of runtimes that were killed are left", "error", err)
	}
	return l, nil
}

// place is the directory with the logs of runtimes and the files that tell of them.
func (l *Launcher) place() string { return filepath.Join(l.Dir, "runtimes") }

// Launch implements rooms.Launcher. The token is passed by a pipe: a command line can be
// read by everybody on the machine, and an environment by every program of the same user.
func (l *Launcher) Launch(_ context.Context, want runtime.Launch) error {
	l.starting.Lock()
	defer l.starting.Unlock()
	if l.isComing(want.Notebook) {
		return nil // the server before this one has started it
	}
	if l.Most > 0 && l.alive() >= l.Most {
		return fmt.Errorf("no more runtimes than %d may run at once (--max-runtimes): stop one with `quire stop`", l.Most)
	}
	if err := errors.Join(l.sweepAll(want.Notebook), l.removeSpools(want.Notebook)); err != nil {
		return fmt.Errorf("remove what earlier runtimes left: %w", err)
	}
	cmd, err := l.command(want)
	if err != nil {
		return err
	}
	token, err := want.Token()
	if err != nil {
		return errors.Join(err, cmd.Stdout.(io.Closer).Close())
	}
	cmd.Stdin = strings.NewReader(token + "\n")
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the runtime: %w", errors.Join(err, cmd.Stdout.(io.Closer).Close()))
	}
	r := processRecord{Notebook: want.Notebook, Runtime: want.Runtime, PID: cmd.Process.Pid, Born: l.Processes.Born(cmd.Process.Pid), Kept: true}
	// It ends with the runtime, which may be long after us, so no caller waits for it.
	go func() {
		_ = cmd.Wait()
		l.reap(r, cmd.ProcessState)
	}()
	return errors.Join(l.note(r), cmd.Stdout.(io.Closer).Close())
}

// isComing reports whether a notebook has a runtime that is not over. It is asked when
// the log has none: then it has not joined yet.
func (l *Launcher) isComing(notebook string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.records, func(r processRecord) bool { return r.Notebook == notebook && !r.Over && l.isAlive(r) })
}

// alive returns how many runtimes there are.
func (l *Launcher) alive() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, r := range l.records {
		if l.isAlive(r) {
			n++
		}
	}
	return n
}

// note keeps a runtime in mind, and on disk.
func (l *Launcher) note(r processRecord) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = append(l.records, r)
	return l.writeLocked(r)
}

// command returns the process that a runtime is to be, with its log open.
func (l *Launcher) command(want runtime.Launch) (*exec.Cmd, error) {
	files := filepath.Join(l.Dir, "files", want.Notebook)
	if err := os.MkdirAll(files, 0o700); err != nil {
		return nil, fmt.Errorf("make the runtime's directory: %w", err)
	}
	flags, err := l.Flags(want.Notebook)
	if err != nil {
		return nil, err
	}
	log, err := openLog(l.place(), want.Notebook)
	if err != nil {
		return nil, fmt.Errorf("make the runtime's log: %w", err)
	}
	args := append([]string{
		"runtime", "--data", l.Dir, "--token-file", "-", "--notebook", want.Notebook, "--runtime", string(want.Runtime), "--spool", l.spool(want.Notebook, want.Runtime),
		"--pid-files", l.pids(want.Notebook, want.Runtime),
	}, flags...)
	cmd := exec.Command(l.Program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = files, log, log
	cmd.Env = l.Environ
	l.Processes.Detach(cmd)
	return cmd, nil
}

const logSuffix = ".log"

// openLog opens a new log of a notebook's runtime. The one of the runtime before
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

// spool is the directory in which a runtime keeps the events that the server has not acknowledged.
func (l *Launcher) spool(notebook string, id event.RuntimeID) string {
	return filepath.Join(l.place(), notebook+"."+string(id)+".spool")
}

// Left implements rooms.Launcher.
func (l *Launcher) Left(ctx context.Context, notebook string, id event.RuntimeID, to artifact.Store) ([]event.Draft, error) {
	return l.Recover(ctx, l.spool(notebook, id), to)
}

// removeSpools removes what the runtimes of a notebook left, but for the latest: the
// log may be about to take that in.
func (l *Launcher) removeSpools(notebook string) error {
	dirs, err := filepath.Glob(filepath.Join(l.place(), notebook+".*.spool"))
	if err != nil || len(dirs) == 0 {
		return err
	}
	latest := slices.MaxFunc(dirs, func(a, b string) int { return changed(a).Compare(changed(b)) })
	for _, dir := range dirs {
		if dir != latest {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}
	return err
}

// changed returns when a directory changed last, and the beginning of time if it is
// gone.
func changed(dir string) time.Time {
	info, err := os.Stat(dir)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// Forget removes the files of a notebook whose runtimes are gone, and the logs and spools of those.
func (l *Launcher) Forget(notebook string) error {
	l.starting.Lock()
	defer l.starting.Unlock()
	err := os.RemoveAll(filepath.Join(l.Dir, "files", notebook))
	entries, listed := os.ReadDir(l.place())
	if listed != nil && !errors.Is(listed, os.ErrNotExist) {
		err = errors.Join(err, listed)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), notebook+".") {
			err = errors.Join(err, os.RemoveAll(filepath.Join(l.place(), entry.Name())))
		}
	}
	return err
}
