package main

import (
	"context"
	"net/http"

	"github.com/spf13/cobra"
)

func (a *app) exportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "export NOTEBOOK FILE",
		Short: "Write a notebook to a Jupyter file",
		Long: `Write a notebook to a Jupyter file (.ipynb, nbformat 4.5) with its outputs. The
file is replaced whole or not at all; FILE - writes to stdout.`,
		Args: want("NOTEBOOK", "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.export(cmd.Context(), args[0], args[1])
		},
	}
}

func (a *app) export(ctx context.Context, name, file string) error {
	return a.onNotebook(ctx, "export notebook", name, false, func(c *client, id string) error {
		data, err := c.send(ctx, http.MethodGet, notebookPath(id)+"/export", nil)
		if err != nil {
			return err
		}
		return a.writeOut(file, data)
	})
}

// writeOut writes a file that a command line names, where - is stdout.
func (a *app) writeOut(name string, data []byte) error {
	if name == "-" {
		_, err := a.stdout.Write(data)
		return err
	}
	if err := writeFile(name, data, 0o644); err != nil {
		return fail(exitFailed, "%w", err)
	}
	return nil
}
