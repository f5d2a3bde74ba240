package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/quirehq/quire/host/server"
)

// Whether a notebook is trusted is a file of the data directory, which a notebook that was
// made here does not have. It holds for a runtime from its start on.

func (l *launcher) trustFile(notebook string) string {
	return filepath.Join(l.dir, "trust", notebook+".json")
}

// Trust implements [server.Truster].
func (l *launcher) Trust(notebook string) (server.NotebookTrust, error) {
	var said server.Trust
	there, err := readSetting(l.trustFile(notebook), &said)
	if err != nil {
		return server.NotebookTrust{}, fmt.Errorf("read whether the notebook is trusted: %w", err)
	}
	if !there {
		return server.NotebookTrust{Own: true, Trusted: true, Sandboxed: l.sandboxed}, nil
	}
	boxed := l.sandboxed || !said.Trusted && l.shut.works()
	return server.NotebookTrust{Trusted: said.Trusted, Sandboxed: boxed}, nil
}

// SetTrust implements [server.Truster].
func (l *launcher) SetTrust(notebook string, trusted bool) error {
	return writeSetting(l.trustFile(notebook), server.Trust{Trusted: trusted})
}

// trustFlags returns the flags by which the runtime of a notebook is shut in, if it is because
// the notebook is not trusted.
func (l *launcher) trustFlags(notebook string) ([]string, error) {
	trust, err := l.Trust(notebook)
	if err != nil || l.sandboxed || !trust.Sandboxed {
		return nil, err
	}
	return l.shut.flags, nil
}

// shut is how runtimes of notebooks that are not trusted are shut in where the others are
// not. That is found out once, at the first need. A nil one shuts nothing in.
type shut struct {
	find func(context.Context) ([]string, error)
	warn func(error) // is told why it cannot be

	once  sync.Once
	flags []string // of runtimes; nil if it cannot be
}

func (s *shut) works() bool {
	if s == nil {
		return false
	}
	s.once.Do(func() {
		var err error
		if s.flags, err = s.find(context.Background()); err != nil {
			s.flags = nil
			s.warn(err)
		}
	})
	return s.flags != nil
}

// newShut returns how the runtimes of a server are shut in that are not by its settings.
func (a *app) newShut(logger *slog.Logger) *shut {
	return &shut{
		find: func(ctx context.Context) ([]string, error) {
			boxed := &app{config: a.config, environ: a.environ}
			texts := &boxed.config.Sandbox
			texts.On, texts.Untrusted = true, true
			if os.Geteuid() == 0 && !texts.AsRoot {
				return nil, errors.New("this is root, for whom the sandbox is weaker: --sandbox-as-root uses it all the same")
			}
			if err := boxed.prepareSandbox(ctx); err != nil {
				return nil, err
			}
			return append(texts.args(), "--python", boxed.config.Python), nil
		},
		warn: func(err error) {
			logger.Warn("notebooks that came from elsewhere and are not trusted run without a sandbox", "error", err)
		},
	}
}
