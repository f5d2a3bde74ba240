package datadir

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/quirehq/quire/host/server"
	environment "github.com/quirehq/quire/internal/env"
)

// The trust in a notebook is a file of the data directory, which a notebook that was made here
// does not have. It holds for a runtime from its start on.

func (l *NotebookSettings) trustFile(notebook string) string {
	return filepath.Join(l.Dir, "trust", notebook+".json")
}

// Trust implements [server.Truster].
func (l *NotebookSettings) Trust(notebook string) (server.NotebookTrust, error) {
	own, trusted, err := l.trusts(notebook)
	if err != nil {
		return server.NotebookTrust{}, err
	}
	boxed := l.Sandboxed
	if !boxed && !trusted {
		flags, err := l.Untrusted.Flags()
		boxed = flags != nil || err != nil // if that is not known, programs run in the sandbox or not at all
	}
	return server.NotebookTrust{Own: own, Trusted: trusted, Sandboxed: boxed}, nil
}

// trusts reports whether a notebook is trusted, and whether that is because it was made here.
func (l *NotebookSettings) trusts(notebook string) (own, trusted bool, err error) {
	var said server.Trust
	there, err := readSetting(l.trustFile(notebook), &said)
	if err != nil {
		return false, false, fmt.Errorf("read whether the notebook is trusted: %w", err)
	}
	return !there, !there || said.Trusted, nil
}

// SetTrust implements [server.Truster].
func (l *NotebookSettings) SetTrust(notebook string, trusted bool) error {
	return writeSetting(l.trustFile(notebook), server.Trust{Trusted: trusted})
}

// trustFlags returns the flags for the sandbox of a notebook that is not trusted, none for
// another.
func (l *NotebookSettings) trustFlags(notebook string) ([]string, error) {
	_, trusted, err := l.trusts(notebook)
	if err != nil || trusted || l.Sandboxed {
		return nil, err
	}
	return l.Untrusted.Flags()
}

// UntrustedSandbox is the sandbox of runtimes of untrusted notebooks, on a server whose settings
// demand none. It is looked for at the first need. A nil one is no sandbox.
type UntrustedSandbox struct {
	Find func(context.Context) ([]string, error) // the flags of a runtime with a sandbox
	Warn func(error)                             // gets the reason if there can be none

	mu    sync.Mutex
	known bool
	flags []string // of runtimes, if known; nil if it cannot be
}

// findTime bounds the search for the sandbox.
const findTime = 30 * time.Second

// Flags returns the flags of runtimes in the sandbox, none if there can be no sandbox. An error
// means that this is not known: it is not remembered, and untrusted programs must not run.
func (s *UntrustedSandbox) Flags() ([]string, error) {
	if s == nil {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known {
		return s.flags, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), findTime)
	defer cancel()
	flags, err := s.Find(ctx)
	if err != nil && !errors.Is(err, environment.ErrNoSandbox) {
		return nil, fmt.Errorf("the notebook came from elsewhere and is not trusted, so that its programs run in the sandbox only, and whether there can be one is not known: "+
			"%w; try again, or trust the notebook (quire trust)", err)
	}
	s.known = true
	if err != nil {
		s.Warn(err)
		return nil, nil
	}
	s.flags = flags
	return flags, nil
}
