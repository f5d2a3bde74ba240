package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/core/directory"
)

type importOptions struct{ title string }

func (a *app) importCommand() *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Make a notebook of a Jupyter file and print its id",
		Long: `Make a notebook of a Jupyter file (.ipynb, nbformat 3 to 4.5) and print its id.
FILE - reads from stdin. Sources, outputs and metadata are kept.`,
		Args: want("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.importFile(cmd.Context(), args[0], o) },
	}
	cmd.Flags().StringVar(&o.title, "title", "", "in place of the file's own, or of its name")
	placeholder(cmd.Flags(), "title", "TITLE")
	return cmd
}

func (a *app) importFile(ctx context.Context, file string, o importOptions) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	data, err := a.readFile(file)
	if err != nil {
		return fail(exitUsage, "import %s: %w", file, err)
	}
	query := url.Values{}
	if title := importTitle(o.title, file, data); title != "" {
		query.Set("title", title)
	}
	answer, err := c.send(ctx, http.MethodPost, "/api/notebooks/import?"+query.Encode(), data)
	if err != nil {
		return fmt.Errorf("import %s: %w", file, err)
	}
	var made directory.Listing
	if err := json.Unmarshal(answer, &made); err != nil {
		return fail(exitUnavailable, "import %s: the answer is not what was expected: %w", file, err)
	}
	_, err = fmt.Fprintln(a.stdout, made.ID)
	return err
}

// readFile reads a file that a command line names, where - is stdin.
func (a *app) readFile(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(a.stdin)
	}
	return os.ReadFile(name)
}

// importTitle returns the title that a file gets: what was asked for, else none if
// the file has its own, else its name.
func importTitle(asked, file string, data []byte) string {
	if asked != "" || file == "-" {
		return asked
	}
	var head struct {
		Metadata struct {
			Title string `json:"title"`
		} `json:"metadata"`
	}
	// A file that is none gets its error from the server.
	if json.Unmarshal(data, &head) == nil && head.Metadata.Title != "" {
		return ""
	}
	return strings.TrimSuffix(filepath.Base(file), ".ipynb")
}
