package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/formats"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
)

type importOptions struct {
	title, format string
	json          bool
}

func (a *app) importCommand() *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Make a notebook of a file and print its id",
		Long: `Make a notebook of a file and print its id. The name of the file says what it is:

  .ipynb  a Jupyter notebook, nbformat 2 to 4.5, with outputs and metadata
  .py     a program whose cells begin with lines such as "# %%" or "# %% [markdown]";
          .js, .ts, .r, .jl, .rb, .pl, .lua, .sh, .sql, .scm with their comments
  .md     Markdown, whose fenced blocks of code are cells

FILE - reads from stdin.`,
		Example: "  quire import report.ipynb\n  curl -s https://example.org/notes.md | quire import - --format md",
		Args:    cmdline.Want("FILE"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.importFile(cmd.Context(), args[0], o) },
	}
	cmdline.StringFlag(cmd.Flags(), &o.title, "title", "TITLE", "in place of the file's own, or of its name")
	addFormatFlag(cmd, &o.format)
	jsonFlag(cmd, &o.json)
	return cmd
}

func addFormatFlag(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "format", "", "what the file is, whatever its name: ipynb, py, md ...")
	settings.Placeholder(cmd.Flags(), "format", "FORMAT")
}

func (a *app) importFile(ctx context.Context, file string, o importOptions) error {
	if namedfile.IsAddress(file) {
		return fail(exitUsage, "import %s: %w", file, namedfile.ErrAddress)
	}
	if o.title != "" {
		if err := cmdline.CheckTitle(o.title); err != nil {
			return fmt.Errorf("import %s: %w", file, err)
		}
	}
	query := url.Values{}
	if o.format != "" || file != "-" { // the server finds out the format of stdin
		format, err := asked(o.format, file, true)
		if err != nil {
			return fmt.Errorf("import %s: %w", file, err)
		}
		query.Set("format", format)
	}
	data, err := namedfile.Read(a.stdin, file)
	if err != nil {
		return fail(exitUsage, "import %s: %w", file, err)
	}
	if title := importTitle(o, file, data); title != "" {
		query.Set("title", title)
	}
	c, err := a.client()
	if err != nil {
		return err
	}
	answer, err := c.SendAs(ctx, http.MethodPost, "/api/notebooks/import?"+query.Encode(), "application/octet-stream", data)
	if err != nil {
		return fmt.Errorf("import %s: %w", file, err)
	}
	var made directory.Listing
	if err := json.Unmarshal(answer, &made); err != nil {
		return fail(exitUnavailable, "import %s: %s", file, c.Foreign(http.StatusText(http.StatusOK)))
	}
	return a.printID(made.ID, made, o.json)
}

// asked returns the format that a command line asks for, or else the file's.
func asked(format, file string, reading bool) (string, error) {
	if format != "" {
		return formats.Check(format, reading)
	}
	return formats.Name(file, reading)
}

// importTitle returns the title that a file gets: the one of the command line, else none
// if the file has its own, else its name.
func importTitle(o importOptions, file string, data []byte) string {
	if o.title != "" || file == "-" {
		return o.title
	}
	name := file
	if o.format != "" {
		name = "x." + o.format
	}
	// A file that is none gets its error from the server.
	payloads, _ := formats.Import(name, data)
	if len(payloads) > 0 {
		if _, ok := payloads[0].(*event.NotebookTitled); ok {
			return ""
		}
	}
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}
