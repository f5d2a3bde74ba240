package env

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/quirehq/quire/internal/proc"
)

// Local is the machine as it is. Programs may do there what we may, and paths mean
// what they mean to us; only [Files] keeps to the workspace.
type Local struct {
	*machine
	config LocalConfig
}

// LocalConfig says what a local place is.
type LocalConfig struct {
	ID  string // its name
	Dir string // the workspace, which must be there

	// Group bounds what programs may use; nil for no bounds.
	Group *Group

	// PIDFiles name the programs that run; nil for none.
	PIDFiles *PIDFiles

	// Own bounds this process, and not the programs; nil if nothing does.
	Own *proc.Own
}

// Grants are what a caller that lives on this machine may give a program besides.
type Grants struct {
	Files  []*os.File // its descriptors from 3 on
	Shared []string   // folders of the caller's that the program may write in
}

// NewLocal returns the machine as a place.
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

// Start is [Local.Exec] for callers that live on this machine too.
func (l *Local) Start(ctx context.Context, c Command, own Grants) (*Child, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = c.Dir, l.config.PIDFiles.environ(c.Env), c.Stdout, c.Stderr, own.Files
	if cmd.Dir == "" {
		cmd.Dir = l.dir
	}
	return l.startIn(ctx, cmd, nil, ways{l.config.Group, l.config.PIDFiles, l.config.Own})
}
