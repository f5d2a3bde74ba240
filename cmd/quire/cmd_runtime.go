package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/datadir"
	"github.com/quirehq/quire/cmd/quire/internal/embedded"
	"github.com/quirehq/quire/cmd/quire/internal/engines"
	"github.com/quirehq/quire/cmd/quire/internal/faulttiming"
	"github.com/quirehq/quire/cmd/quire/internal/serverlink"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/runtime"
	"github.com/quirehq/quire/host/native"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/terminal"
	environment "github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/file"
	"github.com/quirehq/quire/internal/python"
	"github.com/quirehq/quire/internal/wasi"
)

type runtimeOptions struct{ runtime, name, spool, pids, tokenFile string }

// agentCommand is the runtime command under its former name, for scripts and services that call it so.
func (a *app) agentCommand() *cobra.Command {
	cmd := a.runtimeCommand()
	cmd.Use, cmd.Hidden = "agent --notebook NOTEBOOK", true
	return cmd
}

func (a *app) runtimeCommand() *cobra.Command {
	var o runtimeOptions
	cmd := &cobra.Command{
		Use:   "runtime --notebook NOTEBOOK",
		Short: "Be the runtime of a notebook",
		Long: `Be the runtime of a notebook: execute its runs here, until ctrl-C or until
"quire stop". A server starts this command by itself where it runs;
start one by hand to execute elsewhere, with --server and the token of the
owner, in a file or in QUIRE_TOKEN: others can read a command line. It outlives the
server: it looks for it for ten minutes, and then gives up.

A notebook has one runtime: the one that starts later takes the place of the
earlier, which ends with exit code 1.`,
		Example: "  quire runtime --server https://quire.example.org --notebook k3x9ab --token-file token",
		Args:    cmdline.Want(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.serveRuntime(cmd.Context(), o) },
	}
	a.config.AddFlags(cmd.Flags(), "runtime")
	cmdline.StringFlag(cmd.Flags(), &o.tokenFile, "token-file", "PATH", "a file whose first line is what to show the server; - for stdin")
	cmdline.StringFlag(cmd.Flags(), &o.runtime, "runtime", "ID", "the id of this session; default: a random one")
	cmdline.StringFlag(cmd.Flags(), &o.name, "name", "NAME", "its name for users")
	cmdline.StringFlag(cmd.Flags(), &o.spool, "spool", "DIR", "a new directory for events the server has not acknowledged, recovered if the runtime is killed")
	cmdline.StringFlag(cmd.Flags(), &o.pids, "pid-files", "DIR", "a new directory for files that name the running engines, ended if the runtime is killed (Linux)")
	return cmd
}

// engineProcessCommand serves one language on the pipes of this process. A runtime starts it.
func (a *app) engineProcessCommand() *cobra.Command {
	var memory int64
	var store wasi.Store
	var sandboxed wasi.Config
	cmd := &cobra.Command{
		Use:    embedded.Command + " LANGUAGE",
		Short:  "Execute a language in a sandbox, by the engine protocol",
		Hidden: true,
		Args:   cmdline.Want("LANGUAGE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			pipes := os.Getenv(engineproto.PipesVariable)
			if store.Dir != "" {
				sandboxed.Memory = memory
				if err := embedded.ServeSandboxed(cmd.Context(), args[0], pipes, store, sandboxed); err != nil {
					return fmt.Errorf("engine-process: %w", err)
				}
				return nil
			}
			if err := embedded.Check(args[0]); err != nil {
				return fail(exitUsage, "engine-process: %w", err)
			}
			if err := embedded.Serve(cmd.Context(), args[0], pipes, memory); err != nil {
				return fmt.Errorf("engine-process: %w", err)
			}
			return nil
		},
	}
	cmd.Flags().Int64Var(&memory, embedded.MemoryFlag, 0, "the most memory that values of the program may take; 0 for the engine's own limit")
	cmdline.StringFlag(cmd.Flags(), &store.Dir, "engines", "DIR", "a folder of installed engines, of which it is one")
	cmdline.StringFlag(cmd.Flags(), &sandboxed.Cache, "compiled", "DIR", "a folder for what is compiled of them")
	cmdline.StringFlag(cmd.Flags(), &sandboxed.Folder, "folder", "DIR", "a folder that its programs may read")
	cmd.Flags().BoolVar(&sandboxed.Writable, "writable", false, "let them write there, too")
	return cmd
}

func (a *app) serveRuntime(ctx context.Context, o runtimeOptions) error {
	if a.bound != nil {
		var err error
		if a.engines().Own, err = a.bound(); err != nil {
			return fmt.Errorf("runtime: %w", err)
		}
	}
	if err := a.readToken(o.tokenFile); err != nil {
		return fail(exitUsage, "runtime: %w", err)
	}
	var wrong settings.Errors
	logger := a.logger(&wrong)
	cfg := a.runtimeConfig(o, &wrong)
	if err := a.configError("runtime", wrong); err != nil {
		return err
	}
	id, err := a.runtimeNotebook(ctx)
	if err != nil {
		return fmt.Errorf("runtime: %w", err)
	}
	if err := a.engines().Faults(); err != nil {
		logger.Warn("engines of the settings cannot be used", "error", err)
	}
	timing := faulttiming.Of(a.environ)
	looks := &serverlink.ReconnectLimit{Limit: serverlink.AloneTime, Now: timing.Elapsed}
	cfg.Now = timing.Elapsed
	cfg.Dial, cfg.Artifacts = looks.Dialer(a.dialer(id)), &native.Uploader{Target: a.artifactsOf(id)}
	kernels, bounds := a.kernelsFor(ctx, a.config.Kernel, looks), settings.BoundsOf(a.config.Limits)
	if o.pids != "" {
		if a.engines().PIDFiles, err = environment.NewPIDFiles(o.pids, string(cfg.Runtime)); err != nil {
			return fmt.Errorf("runtime: %w", err)
		}
	}
	reports := serverlink.NewLimitReports(a.limitsHit(id), logger)
	defer reports.Start(ctx)()
	leave, err := a.engines().Open(ctx, bounds, logger, reports.Add)
	if err != nil {
		return fmt.Errorf("runtime: %w", err)
	}
	defer leave()
	cfg.Limited = func(run event.RunID, limit, value string) {
		reports.Add(server.LimitHit{Run: run, Limit: limit, Value: value})
	}
	cfg.Engines, cfg.Language = a.engines().Engines("", bounds, kernels), kernels.Language
	cfg.Progress = func(_ string, p lang.Progress) { logger.Info(p.Text) }
	cfg.Trouble = func(err error) { logger.Warn("connection lost", "error", err) }
	forget, err := o.keepIn(&cfg)
	if err != nil {
		return fail(exitUsage, "runtime: %w", err)
	}
	defer forget()
	worker, err := runtime.New(cfg)
	if err != nil {
		return fail(exitUsage, "runtime: %w", err)
	}
	logger.Info("runtime starts", "notebook", a.config.Notebook, "runtime", cfg.Runtime, "sandbox", onOff(a.config.Sandbox.On))
	err = worker.Run(ctx)
	if errors.Is(err, runtime.ErrStopped) {
		logger.Info(err.Error())
		return nil
	}
	if err == nil {
		logger.Info("runtime stopped")
	}
	if err != nil {
		return fmt.Errorf("runtime: %w", terminal.Refusal(err))
	}
	return nil
}

// runtimeConfig returns the configuration of the runtime, but for its connections, and notes
// everything that is missing or wrong.
func (a *app) runtimeConfig(o runtimeOptions, wrong *settings.Errors) runtime.Config {
	c := &a.config
	checkRuntime(c, wrong)
	cfg := runtime.Config{Runtime: event.RuntimeID(o.runtime), Name: o.name}
	if o.runtime == "" {
		// It begins with the kind of runs that the runtime takes, for readers of a log.
		cfg.Runtime = event.RuntimeID(string(event.TakesCode) + "-" + newID(runIDLen))
	} else if err := event.CheckName("runtime", o.runtime); err != nil {
		wrong.Add("runtime", "%v", err)
	}
	n := c.Numbers("runtime", wrong)
	cfg.Idle, cfg.EngineIdle, cfg.RunTimeout = n.Idle, n.EngineIdle, n.RunTime
	cfg.Limits.RunOutput, cfg.Limits.NotebookOutput = n.Output, n.NotebookOutput
	engines.CheckSandbox(&c.Sandbox, wrong)
	a.checkKernel(wrong)
	a.checkPython(wrong)
	return cfg
}

// keepIn has a runtime keep on disk the events that the server has not acknowledged: in the
// spool, if it has one. Forget removes temporary files.
func (o runtimeOptions) keepIn(cfg *runtime.Config) (forget func(), err error) {
	if o.spool == "" {
		dir, remove, err := file.TempDir("quire-runtime-")
		if err != nil {
			return nil, fmt.Errorf("make a directory for long outputs: %w", err)
		}
		cfg.Scratch = native.ScratchIn(dir)
		return func() { _ = remove() }, nil
	}
	spool, err := native.OpenSpool(o.spool)
	if err != nil {
		return nil, fmt.Errorf("--spool %s: %w", o.spool, file.Reason(o.spool, err))
	}
	cfg.Spool, cfg.Scratch = spool, native.ScratchIn(o.spool)
	return func() { _ = spool.Close() }, nil
}

// checkRuntime notes which settings that a runtime needs are missing or malformed.
func checkRuntime(c *settings.Config, wrong *settings.Errors) {
	if c.Notebook == "" {
		wrong.Add("notebook", "it says whose runs to execute")
	} else if err := event.CheckName("notebook", c.Notebook); err != nil {
		wrong.Add("notebook", "%v", err)
	}
	_, found := datadir.Discover(c)
	if c.Server == "" && (found != nil && c.Token == "" || c.Data == "") {
		wrong.Add("server", "it is the URL of the server, since none runs here")
	} else if c.Server != "" && !client.IsServerURL(c.Server) {
		wrong.Add("server", "%q is not a URL: want one such as http://127.0.0.1:8642", c.Server)
	}
	if c.Token == "" && (c.Server != "" || found != nil) {
		wrong.Add("token", "it is what to show the server; `quire token` makes one")
	} else if strings.ContainsFunc(c.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		wrong.Add("token", "it has characters that no token has")
	}
}

// runtimeNotebook returns the whole id of the notebook to serve.
func (a *app) runtimeNotebook(ctx context.Context) (string, error) {
	id := a.config.Notebook
	if len(id) >= client.FullID {
		return id, nil
	}
	c, err := a.client()
	if err != nil {
		return "", err
	}
	return c.Resolve(ctx, id)
}

// artifactsOf returns a function that locates the artifacts of a notebook. It looks for the
// server at each call, since a restarted server may have another address.
func (a *app) artifactsOf(notebook string) func() (native.Target, error) {
	return func() (native.Target, error) {
		c, err := a.client()
		if err != nil {
			return native.Target{}, err
		}
		return native.Target{URL: c.Server.URL + client.NotebookPath(notebook) + "/artifacts", Token: c.Server.Token, Client: c.HTTP}, nil
	}
}

// lookPause is how long a runtime waits before it asks a server again that is away.
const lookPause = 100 * time.Millisecond

// checkKernel notes a kernel that was set and cannot be used.
func (a *app) checkKernel(wrong *settings.Errors) {
	if a.config.Kernel == "" {
		return
	}
	if err := a.engines().Offers().Check(a.config.Kernel); err != nil {
		wrong.Add("kernel", "%v", err)
	}
}

// checkPython notes a Python that was set and cannot be started.
func (a *app) checkPython(wrong *settings.Errors) {
	if a.config.Python == "" {
		return
	}
	if _, err := python.Find(python.Config{Python: a.config.Python, Env: settings.ForPrograms(a.environ)}); err != nil {
		wrong.Add("python", "%v", err)
	}
}

// kernelsFor chooses the kernels of the runtime's notebook by its current metadata. While
// the server is away it waits, as it does for its room; the room reports other errors.
func (a *app) kernelsFor(ctx context.Context, other string, looks *serverlink.ReconnectLimit) engines.Choice {
	ks := a.engines().Offers()
	for {
		looks.Begin()
		m, err := a.notebookMetadata(ctx)
		if err == nil {
			looks.Met()
			return ks.Choose(m, other)
		}
		var over *protocol.Closed
		if code, _ := codeOf(err); ctx.Err() != nil || code != exitUnavailable || errors.As(looks.Missed(err), &over) {
			return ks.Choose(nil, other)
		}
		select {
		case <-time.After(lookPause):
		case <-ctx.Done():
		}
	}
}

// notebookMetadata asks the server for the metadata of the runtime's notebook.
func (a *app) notebookMetadata(ctx context.Context) (engines.Metadata, error) {
	c, err := a.client()
	if err != nil {
		return nil, err
	}
	id := a.config.Notebook
	if len(id) < client.FullID {
		if id, err = c.Resolve(ctx, id); err != nil {
			return nil, err
		}
	}
	var view struct {
		Notebook struct {
			Metadata engines.Metadata `json:"metadata"`
		} `json:"notebook"`
	}
	err = c.Call(ctx, http.MethodGet, client.NotebookPath(id)+"/view?cells=1", nil, &view)
	return view.Notebook.Metadata, err
}

// maxTokenFile is how much of a file with a token is read.
const maxTokenFile = 4 << 10

// readToken takes the token of a file, which is stdin if it is "-", in place of the one that
// is set: all users of a machine can read a command line, and all programs of a user an
// environment.
func (a *app) readToken(name string) error {
	if name == "" {
		return nil
	}
	r := a.stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("read token: %s: %w", name, file.Reason(name, err))
		}
		defer f.Close()
		r = f
	}
	line, err := bufio.NewReader(io.LimitReader(r, maxTokenFile)).ReadString('\n')
	if a.config.Token = strings.TrimSpace(line); a.config.Token == "" {
		if err == nil || err == io.EOF {
			return fmt.Errorf("read token: there is none in the first line of %s", name)
		}
		return fmt.Errorf("read token: %s: %w", name, file.Reason(name, err))
	}
	return nil
}

// limitsHit returns a function that reports the limits of a notebook to the server. Each call
// looks for the server, which may have come back under another address.
func (a *app) limitsHit(notebook string) func(context.Context, server.LimitHit) error {
	return func(ctx context.Context, hit server.LimitHit) error {
		c, err := a.client()
		if err != nil {
			return err
		}
		return c.Call(ctx, http.MethodPost, client.NotebookPath(notebook)+"/runtime/limit", hit, nil)
	}
}
