package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/host/terminal"
)

type showOptions struct{ json, deleted bool }

func (a *app) showCommand() *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "show NOTEBOOK",
		Short: "Show a notebook's cells with their outputs",
		Long: `Show a notebook's cells with their outputs. Of a very long text a terminal gets the
beginning and the end; a pipe and a file get all of it.`,
		Args: cmdline.Want("NOTEBOOK"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.showNotebook(cmd.Context(), args[0], o) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "write JSON")
	cmd.Flags().BoolVar(&o.deleted, "deleted", false, "show the deleted cells instead, which \"quire restore\" restores")
	return cmd
}

func (a *app) showNotebook(ctx context.Context, name string, o showOptions) error {
	return a.inNotebookOf(ctx, name, func(id string, j *terminal.Session) error {
		if n := j.Copy(); o.deleted && o.json {
			gone := []terminal.Cell{}
			for _, c := range n.Deleted() {
				gone = append(gone, terminal.CellOf(n, c))
			}
			return namedfile.WriteJSON(a.stdout, gone)
		} else if o.deleted {
			return terminal.ShowDeleted(terminal.StreamOf(a.stdout).Rendered(), n)
		}
		return a.show(ctx, id, j.Copy(), o.json)
	})
}

// show writes a notebook for users or for scripts.
func (a *app) show(ctx context.Context, id string, n *notebook.Notebook, json bool) error {
	if json {
		return namedfile.WriteJSON(a.stdout, terminal.NotebookOf(id, n))
	}
	var open terminal.OpenArtifact
	if !terminal.StreamOf(a.stdout).Terminal {
		open = a.openArtifacts(ctx, id)
	}
	return terminal.Show(terminal.StreamOf(a.stdout).Rendered(), id, n, false, open)
}

// openArtifacts returns a function that opens the artifacts of a notebook of the server.
func (a *app) openArtifacts(ctx context.Context, notebook string) terminal.OpenArtifact {
	return func(which event.Artifact) (io.ReadCloser, error) {
		c, err := a.client()
		if err != nil {
			return nil, err
		}
		return c.Open(context.WithoutCancel(ctx), client.NotebookPath(notebook)+"/artifacts/"+which.Hash)
	}
}

// artifactsFrom returns a function that opens the artifacts of a source.
func artifactsFrom(ctx context.Context, from artifact.Source) terminal.OpenArtifact {
	return func(which event.Artifact) (io.ReadCloser, error) { return from.Open(context.WithoutCancel(ctx), which) }
}
