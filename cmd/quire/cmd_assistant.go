package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/datadir"
	"github.com/quirehq/quire/cmd/quire/internal/faulttiming"
	"github.com/quirehq/quire/cmd/quire/internal/providers"
	"github.com/quirehq/quire/cmd/quire/internal/serverlink"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/assist"
	assistant "github.com/quirehq/quire/core/assist/answer"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/runtime"
	"github.com/quirehq/quire/host/native"
	"github.com/quirehq/quire/host/terminal"
)

// assistantIdle is how long an assistant that has neither a prompt nor a connected user goes on.
const assistantIdle = 15 * time.Minute

// maxAssistantInput is the most that an assistant reads of its standard input: its token and its providers.
const maxAssistantInput = 64 << 10

// assistantCommand answers the prompts of a notebook. A server starts it.
func (a *app) assistantCommand() *cobra.Command {
	var o runtimeOptions
	cmd := &cobra.Command{
		Use:    "assistant --notebook NOTEBOOK",
		Short:  "Be the assistant of a notebook, which answers its AI cells",
		Hidden: true,
		Args:   cmdline.Want(),
		RunE:   a.begin(func(cmd *cobra.Command, _ []string) error { return a.serveAssistant(cmd.Context(), o) }),
	}
	a.config.AddFlags(cmd.Flags(), "runtime")
	cmdline.StringFlag(cmd.Flags(), &o.tokenFile, "token-file", "PATH", "a file whose first line is what to show the server; - for stdin, which then may have providers in its second")
	cmdline.StringFlag(cmd.Flags(), &o.runtime, "runtime", "ID", "the id of this session; default: a random one")
	cmdline.StringFlag(cmd.Flags(), &o.name, "name", "NAME", "its name for users")
	cmdline.StringFlag(cmd.Flags(), &o.spool, "spool", "DIR", "a new directory for events the server has not acknowledged, recovered if it is killed")
	return cmd
}

// serveAssistant answers prompts until ctx ends. It executes no code of users.
func (a *app) serveAssistant(ctx context.Context, o runtimeOptions) error {
	models, err := a.assistantInput(o.tokenFile)
	if err != nil {
		return fail(exitUsage, "assistant: %w", err)
	}
	var wrong settings.Errors
	logger := a.logger(&wrong)
	cfg := a.runtimeConfig(o, &wrong)
	if err := a.configError("assistant", wrong); err != nil {
		return err
	}
	id, err := a.runtimeNotebook(ctx)
	if err != nil {
		return fmt.Errorf("assistant: %w", err)
	}
	timing := faulttiming.Of(a.environ)
	looks := &serverlink.ReconnectLimit{Limit: serverlink.AloneTime, Now: timing.Elapsed}
	cfg.Now, cfg.Dial, cfg.Artifacts = timing.Elapsed, looks.Dialer(a.dialer(id)), &native.Uploader{Target: a.artifactsOf(id)}
	cfg.Takes, cfg.Language, cfg.Name = event.TakesAI, assistant.Language, cmp.Or(o.name, "Assistant")
	cfg.Idle = cmp.Or(cfg.Idle, assistantIdle)
	var worker *runtime.Runtime
	cfg.Engines = lang.NewSet([]lang.Spec{{Language: assistant.Language, New: func() (lang.Engine, error) {
		return assistant.New(assistant.Config{
			Session: worker.Session(), Point: worker.Point, NewID: func() string { return newID(runIDLen) }, Providers: models,
		}), nil
	}}})
	cfg.Trouble = func(err error) { logger.Warn("connection lost", "error", err) }
	forget, err := o.keepIn(&cfg)
	if err != nil {
		return fail(exitUsage, "assistant: %w", err)
	}
	defer forget()
	if worker, err = runtime.New(cfg); err != nil {
		return fail(exitUsage, "assistant: %w", err)
	}
	logger.Info("assistant starts", "notebook", a.config.Notebook, "runtime", cfg.Runtime, "providers", len(models))
	err = runUntilFailed(ctx, worker, cfg.Runtime)
	if err == nil || errors.Is(err, runtime.ErrStopped) {
		logger.Info("assistant stopped")
		return nil
	}
	return fmt.Errorf("assistant: %w", terminal.Refusal(err))
}

// runUntilFailed runs an assistant until one of its answers has failed and no prompt waits: a person may then set up
// providers or keys, which the next assistant gets.
func runUntilFailed(ctx context.Context, worker *runtime.Runtime, id event.RuntimeID) error {
	ctx, end := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		_ = worker.Session().Wait(ctx, func(r *replica.Replica) bool { return hasFailed(r.Confirmed(), id) }) // or ctx has ended
		end()
	})
	err := worker.Run(ctx)
	end()
	watching.Wait()
	return err
}

// hasFailed reports whether an answer of a runtime has failed, and none is asked for.
func hasFailed(n *notebook.Notebook, id event.RuntimeID) bool {
	own := n.RuntimeByID(id)
	if own == nil || slices.ContainsFunc(n.Queue(), func(id event.RunID) bool { return n.Run(id).Takes == event.TakesAI }) {
		return false
	}
	return slices.ContainsFunc(n.Cells(), func(id event.CellID) bool {
		run := n.Run(n.Cell(id).Run)
		return run != nil && run.Takes == event.TakesAI && run.Epoch == own.Epoch && run.Status == event.StatusError
	})
}

// assistantInput reads the token of an assistant, and opens its providers: those of the line behind the token on stdin, by
// which a server gives them, or else those of this machine.
func (a *app) assistantInput(tokenFile string) ([]assist.Provider, error) {
	if tokenFile != "-" {
		if err := a.readToken(tokenFile); err != nil {
			return nil, err
		}
		found, err := a.foundProviders()
		return opened(found), err
	}
	lines := bufio.NewReader(io.LimitReader(a.stdin, maxAssistantInput))
	token, err := lines.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the token: %w", err)
	}
	if a.config.Token = strings.TrimSpace(token); a.config.Token == "" {
		return nil, errors.New("there is no token in the first line of stdin")
	}
	line, err := lines.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the providers: %w", err)
	}
	if strings.TrimSpace(line) == "" {
		found, err := a.foundProviders()
		return opened(found), err
	}
	var given []givenProvider
	if err := json.Unmarshal([]byte(line), &given); err != nil {
		return nil, errors.New("the second line of stdin has no providers") // whose text may have keys
	}
	var models []assist.Provider
	for _, g := range given {
		g.Provider.Name = g.Name
		models = append(models, providers.Open(providers.Found{Provider: g.Provider}))
	}
	return models, nil
}

// givenProvider is a provider as a server gives it to an assistant, with its key.
type givenProvider struct {
	Name string `json:"name"`
	datadir.Provider
}

// providersInput returns the line by which a server gives an assistant its providers, as they are now.
func (a *app) providersInput() (string, error) {
	found, err := a.foundProviders()
	if err != nil {
		return "", err
	}
	given := []givenProvider{}
	for _, f := range found {
		if f.Err == nil {
			given = append(given, givenProvider{f.Name, f.Provider})
		}
	}
	line, err := json.Marshal(given)
	return string(line) + "\n", err
}

func opened(found []providers.Found) []assist.Provider {
	var models []assist.Provider
	for _, f := range found {
		models = append(models, providers.Open(f))
	}
	return models
}
