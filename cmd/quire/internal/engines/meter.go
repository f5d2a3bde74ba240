package engines

import (
	"os/exec"
	"sync"

	"github.com/quirehq/quire/internal/proc"
)

// meter measures the program of one engine. It implements [lang.Meter] for engines of all kinds, since it knows what they
// start.
type meter struct {
	mu    sync.Mutex
	child proc.Child // nil before the engine starts one
}

// Memory implements [lang.Meter].
func (m *meter) Memory() int64 {
	m.mu.Lock()
	child := m.child
	m.mu.Unlock()
	if child == nil {
		return 0
	}
	pid, err := child.PID()
	if err != nil {
		return 0 // it has ended
	}
	return proc.FamilyMemory(pid)
}

// around returns a starter whose program is measured, nil for none.
func (m *meter) around(start proc.Starter) proc.Starter {
	if m == nil || start == nil {
		return start
	}
	return func(cmd *exec.Cmd, shared ...string) (proc.Child, error) {
		child, err := start(cmd, shared...)
		if err == nil {
			m.mu.Lock()
			m.child = child
			m.mu.Unlock()
		}
		return child, err
	}
}
