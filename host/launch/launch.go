// Package launch starts runtimes in an [Environment], such as this machine, a sandbox or a container, and sees to it that
// they end, with all that they have started. They outlive the server: a launcher leaves files in the data directory from
// which that of the next server knows them. How programs are started and ended is up to the environment, and how spools
// are read is passed in. Package launchtest has the tests of every launcher.
package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/runtime"
)

// Config is how a launcher starts runtimes.
type Config struct {
	Environment Environment // where runtimes live
	Takes       event.Takes // the kind of the runtimes; of code if empty
	Program     string      // that runtimes are, by its path there: it is called as `quire runtime` is, or `quire assistant`
	Reach       []string    // the flags by which a runtime finds the server from there
	Environ     []string    // of runtimes
	Dir         string      // the data directory
	// Flags returns the flags of a notebook's runtime, besides those that name it.
	Flags func(notebook string) ([]string, error)
	// Input returns lines for a runtime's standard input behind the one with its token, such as keys; none if nil.
	Input  func() (string, error)
	Grace  time.Duration // after which a runtime that does not end is killed
	Most   int           // runtimes at once; 0 for any number
	Memory string        // that the own process of a runtime may have, for users; empty for any
	Logger *slog.Logger

	// Recover returns the events in the spool of a runtime that is gone, as Left does.
	Recover func(ctx context.Context, dir string, to artifact.Store) ([]event.Draft, error)
	// Write puts data into a file that others cannot read, whole or not at all.
	Write func(name string, data []byte) error
}

// Launcher starts runtimes. They outlive the server, and find the next one of the data directory. The launcher of that
// one knows them by the files that this one leaves.
type Launcher struct {
	Config

	starting sync.Mutex // held from counting the runtimes until there is one more

	mu      sync.Mutex
	records []record
	ends    map[string]end // of the last program of each notebook's runtimes that ended
}

// New returns a launcher that knows the runtimes that an earlier one of the directory has started, and
// ends what those have left that were killed.
func New(ctx context.Context, cfg Config) (*Launcher, error) {
	l := &Launcher{Config: cfg}
	var err error
	if l.records, err = l.readRecords(); err != nil {
		return nil, err
	}
	if err := l.sweepAll(ctx, func(string) bool { return true }); err != nil {
		l.Logger.Error("programs of runtimes that were killed are left", "error", err)
	}
	return l, nil
}

// place is the directory of the records of runtimes. The environment has a folder of that name for their logs and spools,
// which is the same one where its workspace is the data directory.
func (l *Launcher) place() string { return filepath.Join(l.Dir, l.folder()) }

// folder is the name of that directory.
func (l *Launcher) folder() string {
	if l.Takes == event.TakesAI {
		return "assistants"
	}
	return "runtimes"
}

// Launch implements rooms.Launcher. The token is passed as input: a command line can be read by everybody on the machine,
// and an environment by every program of the same user. The runtime outlives ctx.
func (l *Launcher) Launch(ctx context.Context, want runtime.Launch) error {
	if cmp.Or(want.Takes, event.TakesCode) != cmp.Or(l.Takes, event.TakesCode) {
		return fmt.Errorf("this launcher starts no runtimes that take %s", want.Takes)
	}
	l.starting.Lock()
	defer l.starting.Unlock()
	if l.isComing(want.Notebook) {
		return nil // the server before this one has started it
	}
	if l.Most > 0 && l.alive() >= l.Most {
		return fmt.Errorf("no more runtimes than %d may run at once (--max-runtimes): stop one with `quire stop`", l.Most)
	}
	err := l.sweepAll(ctx, func(notebook string) bool { return notebook == want.Notebook })
	if err := errors.Join(err, l.removeSpools(ctx, want.Notebook)); err != nil {
		return fmt.Errorf("remove what earlier runtimes left: %w", err)
	}
	p, err := l.program(want)
	if err != nil {
		return err
	}
	name, err := l.Environment.Detach(ctx, p)
	if err != nil {
		return fmt.Errorf("start the runtime: %w", err)
	}
	r := record{Notebook: want.Notebook, Runtime: want.Runtime, Program: name, Kept: true}
	err = l.note(r)
	go l.follow(context.WithoutCancel(ctx), r) // until the end of the runtime, which may be long after us
	return err
}

// isComing reports whether a notebook has a runtime that is not over. It is asked when
// the log has none: then it has not joined yet.
func (l *Launcher) isComing(notebook string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.records, func(r record) bool { return r.Notebook == notebook && !r.Over && l.isAlive(r) })
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
func (l *Launcher) note(r record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = append(l.records, r)
	return l.writeLocked(r)
}

// program returns the program that a runtime is to be.
func (l *Launcher) program(want runtime.Launch) (Program, error) {
	flags, err := l.Flags(want.Notebook)
	if err != nil {
		return Program{}, err
	}
	token, err := want.Token()
	if err != nil {
		return Program{}, err
	}
	input := token + "\n"
	if l.Input != nil {
		more, err := l.Input()
		if err != nil {
			return Program{}, err
		}
		input += more
	}
	own := []string{
		"--token-file", "-", "--notebook", want.Notebook, "--runtime", string(want.Runtime), "--spool", l.there(l.spool(want.Notebook, want.Runtime)),
	}
	if l.Takes != event.TakesAI { // an assistant starts no programs
		own = append(own, "--pid-files", l.there(l.pids(want.Notebook, want.Runtime)))
	}
	args := slices.Concat(l.command(), l.Reach, own, flags)
	return Program{
		Args: args, Environ: l.Environ, Dir: files(want.Notebook), Input: input, Log: l.logOf(want.Notebook),
	}, nil
}

// command returns the program with the command that a runtime is.
func (l *Launcher) command() []string {
	if l.Takes == event.TakesAI {
		return []string{l.Program, "assistant"}
	}
	return []string{l.Program, "runtime"}
}

// there is the path of a file of the environment, as programs there see it.
func (l *Launcher) there(name string) string { return path.Join(l.Environment.Workspace(), name) }

// files is the folder with the files of a notebook, in which its programs begin.
func files(notebook string) string { return path.Join("files", notebook) }

func (l *Launcher) logOf(notebook string) string { return path.Join(l.folder(), notebook+".log") }

// spool is the folder in which a runtime keeps the events that the server has not acknowledged.
func (l *Launcher) spool(notebook string, id event.RuntimeID) string {
	return path.Join(l.folder(), notebook+"."+string(id)+spoolSuffix)
}

const spoolSuffix = ".spool"

// Left implements rooms.Launcher.
func (l *Launcher) Left(ctx context.Context, notebook string, id event.RuntimeID, to artifact.Store) ([]event.Draft, error) {
	dir, release, err := l.Environment.Fetch(ctx, l.spool(notebook, id))
	if err != nil {
		return nil, fmt.Errorf("fetch the spool of runtime %s: %w", id, err)
	}
	defer release()
	return l.Recover(ctx, dir, to)
}

// removeSpools removes what the runtimes of a notebook left, but for the latest: the
// log may be about to take that in.
func (l *Launcher) removeSpools(ctx context.Context, notebook string) error {
	entries, err := l.Environment.List(ctx, l.folder())
	entries = slices.DeleteFunc(entries, func(e Entry) bool {
		return !strings.HasPrefix(e.Name, notebook+".") || !strings.HasSuffix(e.Name, spoolSuffix)
	})
	if err != nil || len(entries) == 0 {
		return err
	}
	latest := slices.MaxFunc(entries, func(a, b Entry) int { return a.Changed.Compare(b.Changed) })
	for _, e := range entries {
		if e.Name != latest.Name {
			err = errors.Join(err, l.Environment.Remove(ctx, path.Join(l.folder(), e.Name)))
		}
	}
	return err
}

// Forget removes the files of a notebook whose runtimes are gone, and the logs and spools of those.
func (l *Launcher) Forget(notebook string) error {
	l.starting.Lock()
	defer l.starting.Unlock()
	ctx := context.Background() // a removal that began must not stop with the request for it
	entries, err := l.Environment.List(ctx, l.folder())
	err = errors.Join(err, l.Environment.Remove(ctx, files(notebook)))
	for _, e := range entries {
		if strings.HasPrefix(e.Name, notebook+".") {
			err = errors.Join(err, l.Environment.Remove(ctx, path.Join(l.folder(), e.Name)))
		}
	}
	records, globbed := filepath.Glob(filepath.Join(l.place(), notebook+".*"+recordSuffix))
	err = errors.Join(err, globbed)
	for _, name := range records {
		err = errors.Join(err, os.RemoveAll(name))
	}
	return err
}
