package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/core/agent"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/host/native"
)

// aloneTime is how long a runtime looks for a server before it gives up.
const aloneTime = 10 * time.Minute

type agentOptions struct{ runtime, name, spool string }

func (a *app) agentCommand() *cobra.Command {
	var o agentOptions
	cmd := &cobra.Command{
		Use:   "agent --notebook NOTEBOOK",
		Short: "Be the runtime of a notebook",
		Long: `Be the runtime of a notebook: execute its runs here, until ctrl-C or until somebody
stops it with "quire stop". A server starts this command by itself where it runs;
start one by hand to execute elsewhere, with --server and a token of the role
editor. It outlives the server: it looks for it for ten minutes, and then gives up.

A notebook has one runtime: the one that starts later takes the place of the
earlier, which ends with exit code 1.`,
		Example: "  quire agent --server https://quire.example.org --notebook k3x9ab --token qt_...",
		Args:    want(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.agent(cmd.Context(), o) },
	}
	stringFlag(cmd.Flags(), &a.config.Notebook, "notebook", "NOTEBOOK", "whose runs to execute (QUIRE_NOTEBOOK)")
	stringFlag(cmd.Flags(), &a.config.Python, "python", "PATH", "the Python to use (QUIRE_PYTHON); default: that of VIRTUAL_ENV, else python3")
	cmd.Flags().StringVar(&o.runtime, "runtime", "", "the id of this session; default: a random one")
	placeholder(cmd.Flags(), "runtime", "ID")
	cmd.Flags().StringVar(&o.name, "name", "", "what people see")
	placeholder(cmd.Flags(), "name", "NAME")
	cmd.Flags().StringVar(&o.spool, "spool", "", "a new directory for what the server has not got; one who finds the runtime dead can read it")
	placeholder(cmd.Flags(), "spool", "DIR")
	stringFlag(cmd.Flags(), &a.config.Kernel, "kernel", "NAME", "what executes its language where the notebook does not say, such as ir (QUIRE_KERNEL)")
	stringFlag(cmd.Flags(), &a.config.Idle, "idle", "DURATION", "end when it was not used for so long, such as 2h (QUIRE_IDLE); default: never")
	a.config.Limits.addTo(cmd.Flags())
	a.config.Sandbox.addTo(cmd.Flags())
	a.config.addLogFlags(cmd.Flags())
	return cmd
}

func (a *app) agent(ctx context.Context, o agentOptions) error {
	var wrong faults
	logger := a.logger(&wrong)
	cfg := a.agentConfig(o, &wrong)
	if err := wrong.error("agent"); err != nil {
		return err
	}
	id, err := a.agentNotebook(ctx)
	if err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	cfg.Dial, cfg.Artifacts = patient(a.dialer(id), aloneTime, time.Now), &native.Uploader{Target: a.artifactsOf(id)}
	kernels, bounds := a.kernelsFor(ctx, a.config.Kernel), a.config.Limits.parse(new(faults))
	leave, err := a.settle(ctx, bounds, logger)
	if err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	defer leave()
	cfg.Engines, cfg.Language = a.engines("", bounds, kernels), kernels.language
	cfg.Progress = func(_ string, p lang.Progress) { logger.Info(p.Text) }
	cfg.Trouble = func(err error) { logger.Warn("connection lost", "error", err) }
	forget, err := o.keepIn(&cfg)
	if err != nil {
		return fail(exitUsage, "agent: %w", err)
	}
	defer forget()
	runtime, err := agent.New(cfg)
	if err != nil {
		return fail(exitUsage, "agent: %w", err)
	}
	logger.Debug("runtime starts", "notebook", a.config.Notebook, "runtime", cfg.Runtime)
	err = runtime.Run(ctx)
	if errors.Is(err, agent.ErrStopped) {
		logger.Info(err.Error())
		return nil
	}
	if err != nil {
		return fmt.Errorf("agent: %w", refusalOf(err))
	}
	return nil
}

// agentConfig returns what the agent is made of, but for its connections, and notes
// everything that is missing or wrong.
func (a *app) agentConfig(o agentOptions, wrong *faults) agent.Config {
	c := &a.config
	c.checkAgent(wrong)
	cfg := agent.Config{Runtime: event.RuntimeID(o.runtime), Name: o.name}
	if o.runtime == "" {
		// It begins with what the runtime takes, so that one can tell it in a log.
		cfg.Runtime = event.RuntimeID(string(event.TakesCode) + "-" + newID(runIDLen))
	} else if err := event.CheckName("runtime", o.runtime); err != nil {
		wrong.add("runtime", "", "%v", err)
	}
	if c.Idle != "" {
		var err error
		if cfg.Idle, err = parseSpan(c.Idle); err != nil {
			wrong.add("idle", "QUIRE_IDLE", "%v", err)
		}
	}
	l := c.Limits.parse(wrong)
	cfg.Limits.RunOutput, cfg.Limits.NotebookOutput = l.output, l.notebookOutput
	cfg.RunTimeout = l.runTime
	c.Sandbox.check(wrong)
	a.checkKernel(wrong)
	return cfg
}

// keepIn has an agent keep on disk what the server has not got: in the spool, if it has one.
// Forget removes what nobody needs afterwards.
func (o agentOptions) keepIn(cfg *agent.Config) (forget func(), err error) {
	if o.spool == "" {
		dir, err := os.MkdirTemp("", "quire-agent-*")
		if err != nil {
			return nil, fmt.Errorf("make a directory for long outputs: %w", err)
		}
		cfg.Scratch = native.ScratchIn(dir)
		return func() { _ = os.RemoveAll(dir) }, nil
	}
	spool, err := native.OpenSpool(o.spool)
	if err != nil {
		return nil, err
	}
	cfg.Spool, cfg.Scratch = spool, native.ScratchIn(o.spool)
	return func() { _ = spool.Close() }, nil
}

// checkAgent notes which settings that an agent needs are missing or malformed.
func (c *config) checkAgent(wrong *faults) {
	if c.Notebook == "" {
		wrong.add("notebook", "QUIRE_NOTEBOOK", "it says whose runs to execute")
	} else if err := event.CheckName("notebook", c.Notebook); err != nil {
		wrong.add("notebook", "QUIRE_NOTEBOOK", "%v", err)
	}
	_, found := c.discover()
	if c.Server == "" && (found != nil && c.Token == "" || c.Data == "") {
		wrong.add("server", "QUIRE_SERVER", "it is the URL of the server, since none runs here")
	} else if c.Server != "" && !isServerURL(c.Server) {
		wrong.add("server", "QUIRE_SERVER", "%q is not a URL: want one such as http://127.0.0.1:8642", c.Server)
	}
	if c.Token == "" && (c.Server != "" || found != nil) {
		wrong.add("token", "QUIRE_TOKEN", "it is what to show the server; `quire token` makes one")
	} else if strings.ContainsFunc(c.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		wrong.add("token", "QUIRE_TOKEN", "it has characters that no token has")
	}
}

// agentNotebook returns the whole id of the notebook whose runtime to be.
func (a *app) agentNotebook(ctx context.Context) (string, error) {
	id := a.config.Notebook
	if len(id) >= fullID {
		return id, nil
	}
	c, err := a.client()
	if err != nil {
		return "", err
	}
	return c.resolve(ctx, id)
}

// artifactsOf returns what says where the artifacts of a notebook are put. It looks for the
// server anew each time, which may have come back under another address.
func (a *app) artifactsOf(notebook string) func() (native.Target, error) {
	return func() (native.Target, error) {
		c, err := a.client()
		if err != nil {
			return native.Target{}, err
		}
		return native.Target{URL: c.server.URL + notebookPath(notebook) + "/artifacts", Token: c.server.Token}, nil
	}
}

// patient returns a dialer that says for good that there is no server once a dialer
// has failed for some time.
func patient(dial dialer, limit time.Duration, now func() time.Time) dialer {
	var mu sync.Mutex
	last := now() // when there was a connection
	return func(ctx context.Context) (replica.Conn, error) {
		conn, err := dial(ctx)
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			last = now()
			return conn, nil
		}
		if alone := now().Sub(last); alone > limit {
			return nil, &replica.Closed{
				Code: replica.CodeNotFound, Message: fmt.Sprintf("no server for %v: %v", alone.Round(time.Second), err),
			}
		}
		return nil, err
	}
}
