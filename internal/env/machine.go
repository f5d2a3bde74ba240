package env

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/quirehq/quire/internal/proc"
)

// machine is the common part of the environments of this machine: a folder, and the running
// programs.
type machine struct {
	*folder
	id, dir string

	mu       sync.Mutex
	running  map[*Child]bool
	detached map[string]*detachedRun // that this process has started, by name
	onEnd    bool
}

// startOptions are the options for starting programs.
type startOptions struct {
	group *Group    // bounds programs; nil for no bounds
	files *PIDFiles // record programs; nil for none
	own   *proc.Own // bounds us and not programs; nil if nothing does
}

func newMachine(id, dir string) (*machine, error) {
	if id == "" {
		return nil, errors.New("an environment needs an id")
	}
	files, err := openFolder(dir)
	if err != nil {
		return nil, err
	}
	return &machine{folder: files, id: id, dir: dir, running: map[*Child]bool{}, detached: map[string]*detachedRun{}}, nil
}

// ID implements [Primitive].
func (m *machine) ID() string { return m.id }

// Workspace implements [Primitive].
func (m *machine) Workspace() string { return m.dir }

// Poll implements [Primitive].
func (m *machine) Poll(ctx context.Context) error {
	m.mu.Lock()
	onEnd := m.onEnd
	m.mu.Unlock()
	if onEnd {
		return ErrTerminated
	}
	if _, err := m.stat("."); err != nil {
		return err
	}
	return ctx.Err()
}

// Watch implements [Primitive].
func (m *machine) Watch(ctx context.Context, ready func(), changed func(Change)) error {
	return watch(ctx, m.dir, ready, changed)
}

// KillAll kills all programs of the environment, which can be used afterwards. It returns when they
// have ended, or ctx has.
func (m *machine) KillAll(ctx context.Context) error {
	m.mu.Lock()
	all := slices.Collect(maps.Keys(m.running))
	m.mu.Unlock()
	return killEach(ctx, all)
}

// Terminate implements [Primitive].
func (m *machine) Terminate(ctx context.Context) error {
	m.mu.Lock()
	first := !m.onEnd
	m.onEnd = true
	all := slices.Collect(maps.Keys(m.running))
	m.mu.Unlock()
	if err := errors.Join(killEach(ctx, all), m.killDetached(ctx)); err != nil || !first {
		return err
	}
	return m.close()
}

// killEach kills programs, and waits until they have ended, or ctx has.
func killEach(ctx context.Context, all []*Child) error {
	for _, c := range all {
		c.Kill()
	}
	for _, c := range all {
		select {
		case <-c.ended:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// adopt adds a running program, until forget.
func (m *machine) adopt(c *Child) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.onEnd {
		return ErrTerminated
	}
	m.running[c] = true
	return nil
}

func (m *machine) forget(c *Child) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.running, c)
}
