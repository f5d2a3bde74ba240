package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/mcp"
)

type mcpOptions struct {
	name  string
	allow []string
}

// toolClasses are the classes of tools that a command line can allow.
var toolClasses = []string{string(event.ToolReads), string(event.ToolEdits), string(event.ToolRuns), string(event.ToolOutside)}

func (a *app) mcpCommand() *cobra.Command {
	o := mcpOptions{name: "Agent", allow: toolClasses[:3]}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Let a coding agent work in notebooks, by the Model Context Protocol",
		Long: `Let a coding agent work in notebooks, by the Model Context Protocol on stdin and
stdout: an agent such as Claude Code or Codex starts this command. It lists, reads,
edits and runs cells in the notebooks of a running server, beside the people who have
them open, and they see its name and where it works.

--allow says which tools the agent has: "reads" look at notebooks, "edits" change
them, "runs" execute code, and "outside" install packages. The rights of the token
count besides: "quire token" makes one that may do less.

A server that is not there, or goes away, is waited for. docs/mcp.md has the settings
for agents.`,
		Example: "  quire mcp --name claude-code\n  quire mcp --name reviewer --allow reads",
		Args:    cmdline.Want(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.mcp(cmd.Context(), o) },
	}
	cmd.Flags().StringVar(&o.name, "name", o.name, "the name that people see beside what the agent does")
	settings.Placeholder(cmd.Flags(), "name", "NAME")
	cmd.Flags().StringSliceVar(&o.allow, "allow", o.allow, "the classes of tools that it has: of reads, edits, runs and outside")
	settings.Placeholder(cmd.Flags(), "allow", "CLASS,...")
	return cmd
}

func (a *app) mcp(ctx context.Context, o mcpOptions) error {
	var classes []event.ToolClass
	for _, class := range o.allow {
		if err := cmdline.OneOf("allow", class, toolClasses...); err != nil {
			return fmt.Errorf("mcp: %w", err)
		}
		classes = append(classes, event.ToolClass(class))
	}
	if err := cmdline.CheckTitle(o.name); err != nil {
		return fail(exitUsage, "mcp: --name %q is no name to show", o.name)
	}
	var wrong settings.Errors
	logger := a.logger(&wrong)
	if err := a.configError("mcp", wrong); err != nil {
		return err
	}
	server, err := mcp.New(mcp.Config{
		Notebooks: reachable{a}, Name: o.name, Version: versionName(), Allow: slices.Compact(classes),
		NewID:   func() string { return newID(runIDLen) },
		Reached: func(notebook string, online bool) { logReached(logger, notebook, online) },
	})
	if err != nil {
		return err
	}
	return server.Run(ctx, a.stdin, a.stdout)
}

func logReached(logger *slog.Logger, notebook string, online bool) {
	if online {
		logger.Info("the server is back", "notebook", notebook)
		return
	}
	logger.Warn("the connection to the server is lost; connecting again", "notebook", notebook)
}

// reachable are the notebooks of the server that the configuration names.
type reachable struct{ app *app }

// List implements [mcp.Notebooks]. A token for one notebook reaches that alone.
func (r reachable) List(ctx context.Context) ([]directory.Listing, error) {
	c, err := r.app.client()
	if err != nil {
		return nil, err
	}
	if only := client.TokenNotebook(c.Server.Token); only != "" {
		return []directory.Listing{{Notebook: directory.Notebook{ID: only}}}, c.Reachable(ctx)
	}
	return c.Notebooks(ctx, false)
}

// Create implements [mcp.Notebooks].
func (r reachable) Create(ctx context.Context, title string) (directory.Listing, error) {
	return r.app.createNotebook(ctx, title)
}

// Open implements [mcp.Notebooks].
func (r reachable) Open(ctx context.Context, id string, updated func()) (mcp.Joined, error) {
	j, err := terminal.Join(ctx, newClientID(), r.app.dialer(id))
	if err != nil {
		return mcp.Joined{}, err
	}
	j.OnUpdate(func(*replica.Replica, replica.Update) { updated() })
	return mcp.Joined{Session: j.Session, Ended: j.Ended(), Leave: j.Leave}, nil
}
