package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/core/plain"
	"github.com/quirehq/quire/host/server"
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

The file is replaced whole or not at all, and keeps its mode and owner; a link leads
to the file that is written, and a device or a pipe is written to. FILE - writes to
stdout, as a Jupyter notebook unless --format says otherwise.`,
		Example: "  quire export 3f9a report.html\n  quire export 3f9a - --format md",
		Args:    cmdline.Want("NOTEBOOK", "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.export(cmd.Context(), args[0], args[1], format)
		},
	}
	addFormatFlag(cmd, &format)
	return cmd
}

func (a *app) export(ctx context.Context, name, file, format string) error {
	format, err := asked(format, file, false)
	if err != nil {
		return fmt.Errorf("export to %s: %w", file, err)
	}
	if err := namedfile.CheckOut(file); err != nil {
		return fmt.Errorf("export notebook %s: %w", name, err)
	}
	return a.onNotebook(ctx, "export notebook", name, false, func(c *client.Client, id string) error {
		body, header, err := c.OpenWith(ctx, client.NotebookPath(id)+"/export?format="+url.QueryEscape(format))
		if err != nil {
			return err
		}
		if count, _ := strconv.Atoi(header.Get(server.AttachmentsLeftOut)); count > 0 {
			_, _ = fmt.Fprintf(a.stderr, "quire: export %s: warning: %s\n", file, plain.WithoutAttachments(count))
		}
		defer func() { _ = body.Close() }()
		return namedfile.WriteWith(a.stdout, file, func(w io.Writer) error {
			_, err := io.Copy(w, body)
			return err
		})
	})
}
