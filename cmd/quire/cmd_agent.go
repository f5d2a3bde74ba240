package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/core/agent"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/replica"
)

// aloneTime is how long a runtime looks for a server before it gives up.
const aloneTime = 10 * time.Minute

type agentOptions struct {
	runtime, name string
	idle          time.Duration
}

func (a *app) agentCommand() *cobra.Command {
	var o agentOptions
	cmd := &cobra.Command{
		Use:   "agent --notebook NOTEBOOK",
		Short: "Be the runtime of a notebook",
		Long: `Be the runtime of a notebook: execute its runs here, until ctrl-C or until somebody
stops it with "quire stop". A server starts this command by itself where it runs;
start one by hand to execute elsewhere, with --server and a token of the role
editor. It outlives the server: it looks for it for ten minutes, and then gives up.`,
		Args: want(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.agent(cmd.Context(), o) },
	}
	stringFlag(cmd.Flags(), &a.config.Notebook, "notebook", "NOTEBOOK", "whose runs to execute (QUIRE_NOTEBOOK)")
	stringFlag(cmd.Flags(), &a.config.Python, "python", "PATH", "the Python to use (QUIRE_PYTHON); default: that of VIRTUAL_ENV, else python3")
	cmd.Flags().StringVar(&o.runtime, "runtime", "", "the id of this session; default: a random one")
	placeholder(cmd.Flags(), "runtime", "ID")
	cmd.Flags().StringVar(&o.name, "name", "", "what people see")
	placeholder(cmd.Flags(), "name", "NAME")
	cmd.Flags().DurationVar(&o.idle, "idle", 0, "end when it was not used for so long, such as 2h; default: never")
	placeholder(cmd.Flags(), "idle", "DURATION")
	a.config.addLogFlags(cmd.Flags())
	return cmd
}

func (a *app) agent(ctx context.Context, o agentOptions) error {
	logger, err := a.logger()
	if err != nil {
		return err
	}
	if err := a.config.checkAgent(); err != nil {
		return err
	}
	dial, err := a.agentDialer(ctx)
	if err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	runtime, err := agent.New(agent.Config{
		Dial: dial, Runtime: event.RuntimeID(o.runtime), Name: o.name, Engines: a.engines(""), Idle: o.idle,
		Progress: func(_ string, p lang.Progress) { logger.Info(p.Text) },
		Trouble:  func(err error) { logger.Warn("connection lost", "error", err) },
	})
	if err != nil {
		return fail(exitUsage, "agent: %w", err)
	}
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

// checkAgent reports everything that is missing at once.
func (c *config) checkAgent() error {
	var missing []string
	if c.Notebook == "" {
		missing = append(missing, "--notebook or QUIRE_NOTEBOOK: whose runs to execute")
	}
	_, found := c.discover()
	if c.Server == "" && (found != nil && c.Token == "" || c.Data == "") {
		missing = append(missing, "--server or QUIRE_SERVER: the URL of the server, since none runs here")
	}
	if c.Token == "" && (c.Server != "" || found != nil) {
		missing = append(missing, "--token or QUIRE_TOKEN: what to show it; `quire token` makes one")
	}
	if missing == nil {
		return nil
	}
	return fail(exitUsage, "agent: something must be set:\n  %s", strings.Join(missing, "\n  "))
}

// agentDialer returns what connects to the notebook's room. It looks anew for the
// server each time, which may have come back under another address, and gives up
// when there was none for too long.
func (a *app) agentDialer(ctx context.Context) (dialer, error) {
	id := a.config.Notebook
	if len(id) < fullID {
		c, err := a.client()
		if err != nil {
			return nil, err
		}
		if id, err = c.resolve(ctx, id); err != nil {
			return nil, err
		}
	}
	return patient(a.dialer(id), aloneTime, time.Now), nil
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
