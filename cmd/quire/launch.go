package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/quirehq/quire/host/native"
	"github.com/quirehq/quire/host/server"
)

// idleTime is after how long without use a runtime that a server started ends.
const idleTime = 24 * time.Hour

// launcher starts runtimes as processes of this machine. They outlive the server,
// and find the next one of the data directory by the file that it leaves there.
type launcher struct {
	program string   // this very one
	dir     string   // the data directory
	environ []string // of runtimes, without the token
	python  string
}

func newLauncher(a *app, dir string) (*launcher, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program that runtimes are: %w", err)
	}
	python, err := absolutePython(a.config.Python)
	if err != nil {
		return nil, fmt.Errorf("find python: %w", err)
	}
	return &launcher{program: program, dir: dir, environ: withoutOurs(a.environ), python: python}, nil
}

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

// Launch implements [server.Launcher]. The token is passed in the environment: what
// is on a command line can be read by everybody on the machine.
func (l *launcher) Launch(_ context.Context, want server.Launch) error {
	files := filepath.Join(l.dir, "files", want.Notebook)
	if err := os.MkdirAll(files, 0o700); err != nil {
		return fmt.Errorf("make the runtime's directory: %w", err)
	}
	log, err := openLog(filepath.Join(l.dir, "runtimes"), want.Notebook)
	if err != nil {
		return fmt.Errorf("make the runtime's log: %w", err)
	}
	cmd := exec.Command(l.program, l.args(want)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = files, log, log
	cmd.Env = append(l.environ[:len(l.environ):len(l.environ)], "QUIRE_DATA="+l.dir, "QUIRE_TOKEN="+want.Token)
	native.Detach(cmd)
	if err := errors.Join(cmd.Start(), log.Close()); err != nil {
		return fmt.Errorf("start the runtime: %w", err)
	}
	// It ends with the runtime, which may be long after us, so nobody waits for it.
	go func() { _ = cmd.Wait() }()
	return nil
}

func (l *launcher) args(want server.Launch) []string {
	args := []string{"agent", "--notebook", want.Notebook, "--runtime", string(want.Runtime), "--idle", idleTime.String()}
	if l.python != "" {
		args = append(args, "--python", l.python)
	}
	return args
}

// openLog opens the log of a notebook's runtime anew. The one of the runtime before
// is kept beside it.
func openLog(dir, notebook string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, notebook+".log")
	if err := os.Rename(path, path+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}
