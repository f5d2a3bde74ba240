package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cellname"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang/names"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/host/terminal"
)

type addOptions struct {
	language, kind, after string
	force, json           bool
}

// cellKinds are the kinds that a command line can ask for.
var cellKinds = []string{
	string(event.KindCode), string(event.KindMarkdown), string(event.KindSQL), string(event.KindAI), string(event.KindRaw),
}

func (a *app) addCommand() *cobra.Command {
	o := addOptions{kind: string(event.KindCode)}
	cmd := &cobra.Command{
		Use:   "add NOTEBOOK SOURCE",
		Short: "Add a cell and print its id",
		Long: `Add a cell at the end of a notebook, or after another cell, and print its id.
SOURCE - reads the source from stdin.`,
		Example: "  quire add k3x9ab 'print(\"hello\")'\n  quire add k3x9ab --kind markdown --after @1 - < notes.md",
		Args:    cmdline.Want("NOTEBOOK", "SOURCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.add(cmd.Context(), args[0], args[1], o)
		},
	}
	cmdline.StringFlag(cmd.Flags(), &o.language, "lang", "LANGUAGE", "of the source; default: the notebook's own")
	cmd.Flags().StringVar(&o.kind, "kind", o.kind, "code, markdown, sql, ai or raw")
	settings.Placeholder(cmd.Flags(), "kind", "KIND")
	cmdline.StringFlag(cmd.Flags(), &o.after, "after", "CELL", "put it after this cell")
	cmd.Flags().BoolVar(&o.force, "force", false, "take a language that nothing here executes")
	jsonFlag(cmd, &o.json)
	return cmd
}

func (a *app) add(ctx context.Context, name, source string, o addOptions) error {
	if err := cmdline.OneOf("kind", o.kind, cellKinds...); err != nil {
		return fmt.Errorf("add cell: %w", err)
	}
	if err := a.checkLanguage(o.language); err != nil && !o.force {
		return fmt.Errorf("add cell: %w", err)
	}
	source, err := a.text(source)
	if err != nil {
		return fmt.Errorf("add cell: %w", err)
	}
	made := &event.CellCreated{
		Cell: event.CellID(newID(cellIDLen)), Kind: event.CellKind(o.kind), Language: o.language, Source: source,
	}
	return a.inNotebookOf(ctx, name, func(id string, j *terminal.Session) error {
		err := j.Propose(ctx, func(n *notebook.Notebook) (event.Payload, error) {
			at, err := indexAfter(n, o.after)
			if err != nil {
				return nil, err
			}
			made.Order, err = n.Between(at)
			return made, err
		})
		if err == nil {
			err = a.printID(string(made.Cell), map[string]any{"id": made.Cell, "notebook": id, "kind": made.Kind}, o.json)
		}
		return err
	})
}

// text returns a text of the command line, where - is the contents of stdin.
func (a *app) text(arg string) (string, error) {
	if arg == "-" {
		data, err := namedfile.Read(a.stdin, "-")
		if err != nil {
			return "", err
		}
		arg = string(data)
	}
	if !utf8.ValidString(arg) {
		return "", fail(exitUsage, "the source is not UTF-8")
	}
	return arg, nil
}

// indexAfter returns the index of the place behind a cell, or of the end.
func indexAfter(n *notebook.Notebook, cell string) (int, error) {
	if cell == "" {
		return len(n.Cells()), nil
	}
	c, err := cellname.FindLive(n, cell)
	if err != nil {
		return 0, err
	}
	return slices.Index(n.Cells(), c.ID) + 1, nil
}

// checkLanguage refuses the language of a cell that nothing here knows.
func (a *app) checkLanguage(language string) error {
	known := a.languages()
	if language == "" || slices.Contains(known, language) {
		return nil
	}
	return fail(exitUsage, "--lang %q is none of %s; --force takes it all the same, as for a kernel elsewhere", language, strings.Join(known, ", "))
}

// languages returns those that cells can have: those of the table of languages, and those that
// the kernels of this machine execute.
func (a *app) languages() []string {
	var known []string
	for _, l := range names.All() {
		known = append(known, l.ID)
	}
	for _, row := range a.engines().Offers().Rows() {
		if row.Language == "" {
			continue
		}
		for _, name := range append([]string{row.Language}, row.Aliases...) {
			if _, inTable := names.Find(name); !inTable && !slices.Contains(known, name) {
				known = append(known, name)
			}
		}
	}
	return known
}
