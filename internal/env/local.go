package env

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/quirehq/quire/internal/proc"
)

// Local is the machine as it is. Programs have our permissions, and paths mean the same as outside;
// only [Files] is confined to the workspace.
type Local struct {
	*machine
	config LocalConfig
}

// LocalConfig configures a local environment.
type LocalConfig struct {
	ID  string // unique name
	Dir string // the workspace, which must exist

	// Group bounds programs; nil for no bounds.
	Group *Group

	// PIDFiles record running programs; nil for none.
	PIDFiles *PIDFiles

	// Own bounds this process, and not the programs; nil if nothing does.
	Own *proc.Own
}

// Grants are resources that a caller on this machine may give a program in addition.
type Grants struct {
	Files  []*os.File // become descriptors 3 and up
	Shared []string   // folders of the caller that the program may write to
}

// NewLocal returns the machine as an environment.
func NewLocal(config LocalConfig) (*Local, error) {
	dir, err := filepath.Abs(config.Dir)
	if err != nil {
		return nil, err
	}
	m, err := newMachine(config.ID, dir)
	if err != nil {
		return nil, err
	}
	return &Local{m, config}, nil
}

// Exec implements [Primitive].
func (l *Local) Exec(ctx context.Context, c Command) (Process, error) {
	child, err := l.Start(ctx, c, Grants{})
	if err != nil {
		return nil, err
	}
	return child, nil
}

// Start is [Local.Exec] for callers on this machine.
func (l *Local) Start(ctx context.Context, c Command, own Grants) (*Child, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = c.Dir, l.config.PIDFiles.environ(c.Env), c.Stdout, c.Stderr, own.Files
	if cmd.Dir == "" {
		cmd.Dir = l.dir
	}
	return l.startIn(ctx, cmd, nil, startOptions{l.config.Group, l.config.PIDFiles, l.config.Own})
}
