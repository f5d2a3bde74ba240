package main

import (
	"context"
	"fmt"
	"io"
	"net/url"

	"github.com/spf13/cobra"
)

func (a *app) exportCommand() *cobra.Command {
	format := ""
	cmd := &cobra.Command{
		Use:   "export NOTEBOOK FILE",
		Short: "Write a notebook to a file",
		Long: `Write a notebook to a file. The name of the file says what it becomes:

  .ipynb  a Jupyter notebook, nbformat 4.5, with everything
  .py     a program whose cells begin with "# %%", without outputs; .js, .ts,
          .r, .jl, .rb, .pl, .lua, .sh, .sql and .scm with their own comments
  .md     Markdown with the code in fenced blocks, without outputs
  .html   a page to read and print, with outputs and coloured code. It needs no other
          file, and nothing in it runs or is fetched.

The file is replaced whole or not at all; FILE - writes to stdout, as a Jupyter
notebook unless --format says otherwise.`,
		Example: "  quire export 3f9a report.html\n  quire export 3f9a - --format md",
		Args:    want("NOTEBOOK", "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.export(cmd.Context(), args[0], args[1], format)
		},
	}
	addFormatFlag(cmd, &format)
	return cmd
}

func (a *app) export(ctx context.Context, name, file, format string) error {
	format, err := asked(format, file)
	if err != nil {
		return fmt.Errorf("export to %s: %w", file, err)
	}
	return a.onNotebook(ctx, "export notebook", name, false, func(c *client, id string) error {
		body, err := c.open(ctx, notebookPath(id)+"/export?format="+url.QueryEscape(format))
		if err != nil {
			return err
		}
		defer func() { _ = body.Close() }()
		return a.writeOutWith(file, func(w io.Writer) error {
			_, err := io.Copy(w, body)
			return err
		})
	})
}

// writeOut writes a file that a command line names, where - is stdout.
func (a *app) writeOut(name string, data []byte) error {
	return a.writeOutWith(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// writeOutWith is writeOut for what write writes.
func (a *app) writeOutWith(name string, write func(io.Writer) error) error {
	if name == "-" {
		return write(a.stdout)
	}
	if err := writeFileWith(name, 0o644, write); err != nil {
		return fail(exitFailed, "%w", err)
	}
	return nil
}
