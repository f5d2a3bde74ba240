package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/artifactstore"
	"github.com/quirehq/quire/cmd/quire/internal/browser"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/datadir"
	"github.com/quirehq/quire/cmd/quire/internal/engines"
	"github.com/quirehq/quire/cmd/quire/internal/faulttiming"
	"github.com/quirehq/quire/cmd/quire/internal/formats"
	"github.com/quirehq/quire/cmd/quire/internal/launcher"
	"github.com/quirehq/quire/cmd/quire/internal/network"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/server/artifacts"
	"github.com/quirehq/quire/host/server/signin"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/python"
	"github.com/quirehq/quire/internal/sqlite"
	"github.com/quirehq/quire/web"
)

type serveOptions struct {
	keepToken bool
	open      bool
}

func (a *app) serveCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the notebooks of a data directory",
		Long: `Serve the notebooks of a data directory, and start runtimes for them when cells
are run. On a terminal the first line has a link that signs a browser in, once;
elsewhere "quire link" prints one.

Only programs of this machine can connect, unless --expose-to-network is given;
then every machine that reaches the address can try to. ctrl-C or SIGTERM stops the
server within five seconds; runtimes go on and find the next server.

A runtime ends when it was not used for a day, or as --idle says. The limits are
those of each runtime; a run that hits one says so. "quire limits" gives a notebook
lower ones. Memory and processes are counted for all programs of a runtime together
where control groups can be written. Elsewhere processes are counted for each
program, and the memory of all is looked at a few times a second.

With --sandbox the programs of notebooks run in a sandbox, by bubblewrap: they read
the system, read and write the files of their notebook, and have no network. Without
it those of imported notebooks do, where bubblewrap works and the server is not root,
until "quire trust" says otherwise, or --trust-imports.

Large outputs and files lie beside the notebooks, in the folder artifacts of the data
directory or where --artifacts says. A store that speaks the protocol of Amazon S3 is
shown the keys in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN;
runtimes then do not get them. No other server may keep its artifacts in that place.`,
		Args: cmdline.Want(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), o) },
	}
	a.config.AddFlags(cmd.Flags(), "serve")
	cmd.Flags().BoolVar(&o.open, "open", false, "open the browser of this machine, signed in")
	cmd.Flags().BoolVar(&o.keepToken, "keep-token", false, "keep the owner's token when the server restarts, for scripts that have it")
	return cmd
}

func (a *app) serve(ctx context.Context, o serveOptions) error {
	var wrong settings.Errors
	logger := a.logger(&wrong)
	numbers := a.config.Numbers("serve", &wrong)
	engines.CheckSandbox(&a.config.Sandbox, &wrong)
	a.engines().CheckEngines(&wrong)
	a.checkKernel(&wrong)
	a.checkPython(&wrong)
	engines.CheckFolders(&a.config.Sandbox, &wrong)
	artifactstore.Check(&a.config.Artifacts, &wrong)
	if role := access.Role(a.config.HistoryFor); !role.Valid() || role.Serves() {
		wrong.Add("history-for", "%q is none of viewer, runner, editor and owner", role)
	}
	network.CheckAddr(&a.config, &wrong)
	reached := network.Parse(&a.config.Network, &wrong)
	if err := a.configError("serve", wrong); err != nil {
		return err
	}
	if err := engines.CheckHeld(numbers.Bounds, a.config.RequireLimits, logger); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	if err := a.engines().Prepare(ctx); err != nil {
		return fail(exitUnavailable, "serve: %w", err)
	}
	h, err := a.openDataDir(ctx, o.keepToken, numbers.Data, logger)
	if err != nil {
		return fail(exitUnavailable, "serve: %w", err)
	}
	err = a.serveDataDir(ctx, h, reached, numbers, o, logger)
	return errors.Join(err, h.close())
}

// dataDir is an open data directory: the database and the files beside it.
type dataDir struct {
	dir     string
	secret  []byte
	owner   string // the owner's token
	db      *sqlite.DB
	metrics *server.Metrics
	audit   *datadir.Audit

	artifacts      artifacts.Storage
	closeArtifacts func() // nil if there is nothing to close
}

func (a *app) openDataDir(ctx context.Context, keepToken bool, most int64, logger *slog.Logger) (*dataDir, error) {
	if a.config.Data == "" {
		return nil, errors.New("there is no home directory to keep data in: set --data or QUIRE_DATA")
	}
	dir, err := filepath.Abs(a.config.Data)
	if err != nil {
		return nil, err
	}
	if err := datadir.Take(dir, logger); err != nil {
		return nil, err
	}
	h := &dataDir{dir: dir, metrics: server.NewMetrics()}
	h.db, err = sqlite.Open(ctx, sqlite.Config{
		Dir: dir, MaxBytes: most, Observe: h.metrics.ObserveCommit,
		Fault: func(err error) { logger.Error("records not packed", "error", err) },
	})
	if err != nil {
		return nil, err
	}
	if h.audit, err = datadir.OpenAudit(dir, datadir.AuditSize, logger); err != nil {
		return nil, errors.Join(err, h.close())
	}
	h.secret, err = datadir.LoadSecret(dir)
	if err == nil {
		h.owner, err = datadir.NewOwnerToken(dir, keepToken)
	}
	if err == nil {
		now := event.Time(time.Now().UnixMilli())
		err = h.db.UpsertPerson(ctx, directory.Person{ID: "owner", Name: "Owner", Created: now})
	}
	if err == nil {
		h.artifacts, h.closeArtifacts, err = artifactstore.Open(ctx, dir, h.secret, h.db, a.config.Artifacts)
	}
	if err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

// close closes the data directory.
func (h *dataDir) close() error {
	if h.closeArtifacts != nil {
		h.closeArtifacts()
	}
	if h.audit != nil {
		return errors.Join(h.audit.Close(), h.db.Close())
	}
	return h.db.Close()
}

// serveDataDir serves until ctx ends.
func (a *app) serveDataDir(ctx context.Context, h *dataDir, reached network.Network, numbers settings.Numbers, o serveOptions, logger *slog.Logger) error {
	listener, err := reached.Listen(a.config.Addr, a.config.Network)
	if err != nil {
		return err
	}
	runtimes, err := launcher.New(ctx, &a.config, a.environ, h.dir, numbers, logger)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	assistants, err := launcher.NewAssistants(ctx, a.environ, h.dir, numbers, a.providersInput, logger)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	here := datadir.Running{URL: reached.Scheme() + "://" + reachableAs(listener.Addr()), Token: h.owner, PID: os.Getpid()}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	here.Key = datadir.Base64(public)
	here.Python, _ = python.Find(python.Config{Python: a.config.Python, Env: settings.ForPrograms(a.environ)}) // without one there is none to name
	cfg := server.Config{Listener: listener, Hosts: a.config.Network.Hosts, Launcher: runtimes, Assistants: assistants, OwnerToken: here.Token, HistoryFor: access.Role(a.config.HistoryFor), Logger: logger, Former: signin.Former{Secret: h.secret, Runtimes: runtimes.Former()}}
	reached.Set(&cfg)
	timing := faulttiming.Of(a.environ)
	timing.Set(&cfg)
	found := timing.Found(here)
	cfg.Identity, cfg.Address = private, datadir.HostOf(found.URL)
	cfg.Limits.Artifact, cfg.Limits.NotebookArtifacts = numbers.Artifact, numbers.NotebookArtifacts
	cfg.Limits.Notebook, cfg.Limits.History = numbers.Notebook, numbers.History
	s, err := h.newServer(cfg)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	tell := func() error {
		found.Certificate = reached.Digest()
		return datadir.Announce(h.dir, found)
	}
	asked := reached.Hangups()
	if err := tell(); err != nil {
		return errors.Join(fail(exitUnavailable, "serve: %w", err), listener.Close())
	}
	a.sayWhere(h.dir, reached.Shown(here.URL), s)
	if o.open {
		h.welcome(reached.Shown(here.URL)+s.Link()+"#open", logger) // which presses the button of that page
	}
	logger.Info("server listens", "address", here.URL, "version", versionName(), "data", h.dir, "sandbox", onOff(a.config.Sandbox.On))
	reached.Warn(logger)
	debug.FreeOSMemory() // starting takes more than serving
	var ending sync.WaitGroup
	life, stop := context.WithCancel(ctx)
	ending.Go(func() { h.audit.Keep(life) })
	ending.Go(func() { runtimes.Follow(life) })
	ending.Go(func() { assistants.Follow(life) })
	ending.Go(func() { reached.KeepCertificate(life, asked, logger, tell) })
	ending.Go(func() {
		if err := errors.Join(runtimes.Resume(life), assistants.Resume(life)); err != nil && life.Err() == nil {
			logger.Error("runtimes not ended", "error", err)
		}
		<-life.Done()
		logger.Info("server stops")
	})
	err = s.Run(ctx)
	stop()
	ending.Wait()
	err = errors.Join(err, browser.RemovePage(h.dir), datadir.Withdraw(h.dir))
	logger.Info("server stopped")
	return err
}

// sayWhere prints the address of the server. A link is for the user at a terminal: elsewhere, as in
// the journal of a service, others may read it, and it is good for a day.
func (a *app) sayWhere(dir, at string, s *server.Server) {
	if terminal.StreamOf(a.stdout).Terminal {
		fmt.Fprintf(a.stdout, "quire serves %s at %s%s\n", dir, at, s.Link())
		return
	}
	fmt.Fprintf(a.stdout, "quire serves %s at %s; `quire link` prints a link that signs a browser in\n", dir, at)
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// newServer returns a server of the data directory, with the rest of cfg.
func (h *dataDir) newServer(cfg server.Config) (*server.Server, error) {
	page, err := web.App()
	if err != nil {
		return nil, err
	}
	cfg.Directory, cfg.Access, cfg.Logs, cfg.Sessions = h.db, h.db, h.db, datadir.Sessions(h.dir)
	cfg.Signer, cfg.Tokens = datadir.NewSecret(), datadir.Tokens(h.dir)
	cfg.Secret, cfg.Metrics, cfg.Version = h.secret, h.metrics, versionName()
	cfg.Artifacts, cfg.Audit = h.artifacts, h.audit
	cfg.App, cfg.Page = page, formats.Page
	s, err := server.New(cfg)
	if err != nil {
		return nil, fail(exitUnavailable, "serve: %w", err)
	}
	return s, nil
}

// welcome opens a link in a browser. A server does not end because it cannot.
func (h *dataDir) welcome(link string, logger *slog.Logger) {
	failed := func(err error) { logger.Warn("no browser: open the link that is printed", "error", err) }
	if err := browser.Open(h.dir, link, failed); err != nil {
		failed(err)
	}
}

// reachableAs returns a listener's address as this machine's programs call it.
func reachableAs(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return addr.String()
	}
	return fmt.Sprintf("127.0.0.1:%d", tcp.Port)
}
