// Package launcher starts the runtimes of a server as processes of this program, with the limits, the sandbox and the trust of their
// notebooks.
package launcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quirehq/quire/cmd/quire/internal/artifactstore"
	"github.com/quirehq/quire/cmd/quire/internal/datadir"
	"github.com/quirehq/quire/cmd/quire/internal/engines"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/bytesize"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/launch"
	"github.com/quirehq/quire/host/native"
	environment "github.com/quirehq/quire/internal/env"
)

// Launcher starts the runtimes of a server, with the limits and the trust of their notebooks.
type Launcher struct {
	*launch.Launcher
	*datadir.NotebookSettings
}

// New returns a launcher that knows the runtimes that an earlier one has started in the
// directory. The configuration was checked.
func New(ctx context.Context, config *settings.Config, environ []string, dir string, numbers settings.Numbers, logger *slog.Logger) (*Launcher, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program that runtimes are: %w", err)
	}
	python, err := absolutePython(config.Python)
	if err != nil {
		return nil, fmt.Errorf("find python: %w", err)
	}
	flags := append(runtimeArgs(config, python), engines.SandboxArgs(config.Sandbox)...)
	own := &datadir.NotebookSettings{Dir: dir, Server: config.Limits, Sandboxed: config.Sandbox.On}
	if !config.TrustImports {
		own.Untrusted = untrustedSandbox(*config, environ, logger)
	}
	here, err := environment.NewLocal(environment.LocalConfig{ID: "server", Dir: dir})
	if err != nil {
		return nil, fmt.Errorf("open the data directory for runtimes: %w", err)
	}
	cfg := launch.Config{
		Environment: runtimePlace{here}, Program: program, Reach: []string{"--data", here.Workspace()}, Dir: dir, Environ: artifactstore.WithoutKeys(config.Artifacts.Place, settings.ForPrograms(environ)),
		Flags: func(notebook string) ([]string, error) { return own.RuntimeFlags(notebook, flags) },
		Grace: numbers.Grace, Most: numbers.MaxRuntimes, Logger: logger, Recover: native.RecoverSpool,
		Write: datadir.Write,
	}
	if _, memory := engines.OwnMemory(); memory > 0 {
		cfg.Memory = bytesize.Text(memory)
	}
	l, err := launch.New(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Launcher{l, own}, nil
}

// NewAssistants returns a launcher of assistants. Keys returns the line with their providers, which goes to their input
// alone.
func NewAssistants(ctx context.Context, environ []string, dir string, numbers settings.Numbers, keys func() (string, error), logger *slog.Logger) (*launch.Launcher, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program that assistants are: %w", err)
	}
	here, err := environment.NewLocal(environment.LocalConfig{ID: "server", Dir: dir})
	if err != nil {
		return nil, fmt.Errorf("open the data directory for assistants: %w", err)
	}
	return launch.New(ctx, launch.Config{
		Takes: event.TakesAI, Environment: runtimePlace{here}, Program: program, Reach: []string{"--data", here.Workspace()}, Dir: dir,
		Environ: assistantEnviron(environ), Input: keys, Flags: func(string) ([]string, error) { return nil, nil },
		Grace: numbers.Grace, Most: numbers.MaxRuntimes, Logger: logger, Recover: native.RecoverSpool, Write: datadir.Write,
	})
}

// assistantVariables are the variables that an assistant gets: those by which it finds the network, and none with a key.
var assistantVariables = [...]string{
	"PATH", "HOME", "TMPDIR", "TMP", "TEMP", "LANG", "SYSTEMROOT", "USERPROFILE", "LOCALAPPDATA", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
}

func assistantEnviron(environ []string) []string {
	var kept []string
	for _, pair := range settings.ForPrograms(environ) {
		if name, _, _ := strings.Cut(pair, "="); slices.Contains(assistantVariables[:], name) {
			kept = append(kept, pair)
		}
	}
	return kept
}

// Forget implements [server.Forgetter].
func (l *Launcher) Forget(notebook string) error {
	return errors.Join(l.Launcher.Forget(notebook), l.NotebookSettings.Forget(notebook))
}

// runtimePlace is an environment of any kind as launchers see it.
type runtimePlace struct{ environment.Primitive }

// Detach implements [launch.Programs].
func (p runtimePlace) Detach(ctx context.Context, what launch.Program) (name string, err error) {
	return p.Primitive.Detach(ctx, environment.Detached{
		Argv: what.Args, Env: what.Environ, Dir: what.Dir, Input: what.Input, Log: what.Log,
	})
}

// List implements [launch.Files].
func (p runtimePlace) List(ctx context.Context, folder string) ([]launch.Entry, error) {
	all, err := p.Primitive.List(ctx, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var entries []launch.Entry
	for _, info := range all {
		if path.Dir(info.Name) == folder { // and none of those below
			entries = append(entries, launch.Entry{Name: path.Base(info.Name), Changed: info.Changed})
		}
	}
	return entries, err
}

// Open implements [launch.Files].
func (p runtimePlace) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	return p.Primitive.Open(ctx, name)
}

// runtimeArgs returns the flags by which the runtimes of a server get its settings of runtimes.
func runtimeArgs(c *settings.Config, python string) []string {
	passed := settings.Config{Python: python, Kernel: c.Kernel, Engines: c.Engines, EngineFolder: c.EngineFolder, EngineIdle: c.EngineIdle, Idle: cmp.Or(c.Idle, settings.IdleOfServer)}
	return passed.Args(settings.Runtimes)
}

// untrustedSandbox returns the sandbox for untrusted notebooks of a server whose settings demand none.
func untrustedSandbox(config settings.Config, environ []string, logger *slog.Logger) *datadir.UntrustedSandbox {
	return &datadir.UntrustedSandbox{
		Find: func(ctx context.Context) ([]string, error) {
			config := config // each attempt finds folders and Python again
			boxed := &engines.Factory{Config: &config, Environ: settings.ForPrograms(environ)}
			texts := &config.Sandbox
			texts.On, texts.Untrusted = true, true
			if os.Geteuid() == 0 && !texts.AsRoot {
				return nil, fmt.Errorf("%w: this is root, for whom it is weaker: --sandbox-as-root uses it all the same", environment.ErrNoSandbox)
			}
			if err := boxed.Prepare(ctx); err != nil {
				return nil, err
			}
			passed := settings.Config{Python: config.Python}
			return append(engines.SandboxArgs(*texts), passed.Args(settings.Runtimes)...), nil
		},
		Warn: func(err error) {
			logger.Warn("notebooks that came from elsewhere and are not trusted run without a sandbox", "error", err)
		},
	}
}

// absolutePython returns an interpreter that is meant from the current directory as
// it can be found from any.
func absolutePython(name string) (string, error) {
	if !strings.ContainsRune(name, filepath.Separator) {
		return name, nil
	}
	return filepath.Abs(name)
}
