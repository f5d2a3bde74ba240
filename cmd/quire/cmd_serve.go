package main

import (
	"context"
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

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/internal/sqlite"
	"github.com/quirehq/quire/web"
)

type serveOptions struct {
	anyone bool
	hosts  []string
	open   bool
}

func (a *app) serveCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the notebooks of a data directory",
		Long: `Serve the notebooks of a data directory, and start runtimes for them when cells
are run. The first line on stdout has a link that signs a browser in, once.

Only programs of this machine can connect, unless --expose-to-network is given;
then everybody who can reach the address can try to. ctrl-C or SIGTERM stops the
server within five seconds; runtimes go on and find the next server.

A runtime ends when nobody has used it for a day, or as --idle says. The limits are
those of each runtime; a run that hits one says so. "quire limits" gives a notebook
lower ones. Memory and processes are counted for all programs of a runtime together
where control groups can be written, else for each program.

With --sandbox the programs of notebooks are shut in by bubblewrap: they read the
system, read and write the files of their notebook, and have no network.

Large outputs and files lie beside the notebooks, in the folder artifacts of the data
directory or where --artifacts says. A store that speaks the protocol of Amazon S3 is
shown the keys in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN;
runtimes then do not get them. No other server may keep its artifacts in that place.`,
		Args: want(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), o) },
	}
	stringFlag(cmd.Flags(), &a.config.Addr, "addr", "HOST:PORT", "where to listen (QUIRE_ADDR), port 0 for any; default: 127.0.0.1:8642")
	stringFlag(cmd.Flags(), &a.config.Python, "python", "PATH", "the Python of runtimes (QUIRE_PYTHON); default: that of VIRTUAL_ENV, else python3")
	stringFlag(cmd.Flags(), &a.config.Kernel, "kernel", "NAME", "what executes its language where a notebook does not say, such as ir (QUIRE_KERNEL)")
	cmd.Flags().BoolVar(&o.anyone, "expose-to-network", false, "allow an --addr that other machines can reach, without encryption")
	cmd.Flags().StringArrayVar(&o.hosts, "host", nil, "a name by which browsers may call the server; may be given again")
	placeholder(cmd.Flags(), "host", "NAME")
	cmd.Flags().BoolVar(&o.open, "open", false, "open the browser of this machine, signed in")
	stringFlag(cmd.Flags(), &a.config.Idle, "idle", "DURATION", "end a runtime that was not used for so long (QUIRE_IDLE); default: 24h")
	stringFlag(cmd.Flags(), &a.config.Grace, "grace", "DURATION", "kill a runtime that was stopped and takes longer to end (QUIRE_GRACE); default: 8s")
	stringFlag(cmd.Flags(), &a.config.MaxRuntimes, "max-runtimes", "N", "how many runtimes there may be at once (QUIRE_MAX_RUNTIMES); default: any number")
	a.config.Limits.addTo(cmd.Flags())
	a.config.Sandbox.addTo(cmd.Flags())
	a.config.Artifacts.addTo(cmd.Flags())
	a.config.addLogFlags(cmd.Flags())
	return cmd
}

func (a *app) serve(ctx context.Context, o serveOptions) error {
	var wrong faults
	logger := a.logger(&wrong)
	a.config.setLauncher(new(launcher), &wrong)
	a.checkKernel(&wrong)
	a.config.Artifacts.set(new(server.Limits), &wrong)
	if err := wrong.error("serve"); err != nil {
		return err
	}
	if err := checkAddr(a.config.Addr, o.anyone); err != nil {
		return err
	}
	if err := a.prepareSandbox(ctx); err != nil {
		return fail(exitUnavailable, "serve: %w", err)
	}
	h, err := a.openHouse(ctx, logger)
	if err != nil {
		return fail(exitUnavailable, "serve: %w", err)
	}
	err = a.serveHouse(ctx, h, o, logger)
	return errors.Join(err, h.close())
}

// checkAddr wants an address that only this machine can reach, unless anyone may.
func checkAddr(addr string, anyone bool) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fail(exitUsage, "serve: --addr %q is no address: want a host and a port, such as 127.0.0.1:8642", addr)
	}
	if ip := net.ParseIP(host); anyone || host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fail(exitUsage, "serve: other machines can reach --addr %s: use 127.0.0.1, or add --expose-to-network if that is meant", addr)
}

// house is an open data directory with what it keeps besides the database.
type house struct {
	dir     string
	secret  []byte
	db      *sqlite.DB
	metrics *server.Metrics

	artifacts      server.Artifacts
	closeArtifacts func() // nil if there is nothing to close
}

func (a *app) openHouse(ctx context.Context, logger *slog.Logger) (*house, error) {
	if a.config.Data == "" {
		return nil, errors.New("there is no home directory to keep data in: set --data or QUIRE_DATA")
	}
	dir, err := filepath.Abs(a.config.Data)
	if err != nil {
		return nil, err
	}
	h := &house{dir: dir, metrics: server.NewMetrics()}
	h.db, err = sqlite.Open(ctx, sqlite.Config{
		Dir: dir, Observe: h.metrics.ObserveCommit,
		Fault: func(err error) { logger.Error("records not packed", "error", err) },
	})
	if err != nil {
		return nil, err
	}
	if h.secret, err = loadSecret(dir); err == nil {
		now := event.Time(time.Now().UnixMilli())
		err = h.db.UpsertPerson(ctx, directory.Person{ID: "owner", Name: "Owner", Created: now})
	}
	if err == nil {
		err = h.openArtifacts(ctx, a.config.Artifacts)
	}
	if err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

// serveHouse serves until ctx ends.
func (a *app) serveHouse(ctx context.Context, h *house, o serveOptions, logger *slog.Logger) error {
	listener, err := net.Listen("tcp", a.config.Addr)
	if err != nil {
		return fail(exitUnavailable, "serve: %w; choose another address with --addr", err)
	}
	launcher, err := newLauncher(a, h.dir)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	here := running{URL: "http://" + reachableAs(listener.Addr()), Token: ownerToken(h.secret), PID: os.Getpid()}
	cfg := server.Config{Listener: listener, Hosts: o.hosts, Launcher: launcher, OwnerToken: here.Token, Logger: logger}
	tempo := tempoOf(a.environ)
	tempo.set(&cfg)
	a.config.Artifacts.set(&cfg.Limits, new(faults)) // it was checked
	s, err := h.newServer(cfg)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := announce(h.dir, tempo.found(here)); err != nil {
		return errors.Join(fail(exitUnavailable, "serve: %w", err), listener.Close())
	}
	fmt.Fprintf(a.stdout, "quire serves %s at %s%s\n", h.dir, here.URL, s.Link())
	if o.open {
		h.welcome(here.URL+s.Link(), logger)
	}
	debug.FreeOSMemory() // starting takes more than serving
	var ending sync.WaitGroup
	life, stop := context.WithCancel(ctx)
	ending.Go(func() {
		if err := launcher.resume(life); err != nil && life.Err() == nil {
			logger.Error("runtimes not ended", "error", err)
		}
	})
	err = s.Run(ctx)
	stop()
	ending.Wait()
	return errors.Join(err, closeOpened(h.dir), withdraw(h.dir))
}

// newServer returns a server of what is in the house, with what else cfg has.
func (h *house) newServer(cfg server.Config) (*server.Server, error) {
	page, err := web.App()
	if err != nil {
		return nil, err
	}
	cfg.Directory, cfg.Access, cfg.Logs, cfg.Sessions = h.db, h.db, h.db, sessions(h.dir)
	cfg.Secret, cfg.Metrics, cfg.Version = h.secret, h.metrics, versionName()
	cfg.Artifacts = h.artifacts
	cfg.App, cfg.Page = page, exportPage
	return server.New(cfg)
}

// welcome opens a link in a browser. A server does not end because it cannot.
func (h *house) welcome(link string, logger *slog.Logger) {
	failed := func(err error) { logger.Warn("no browser: open the link that is printed", "error", err) }
	if err := openBrowser(h.dir, link, failed); err != nil {
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
