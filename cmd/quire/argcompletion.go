package main

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/formats"
	"github.com/quirehq/quire/host/terminal"
)

// completeTime bounds the wait of a shell for the answer of a server.
const completeTime = 2 * time.Second

// completer returns the completions of a word of a command line, given the words before it.
type completer func(ctx context.Context, args []string) []string

// complete gives a command the completions of its arguments, by their names in its usage, and of
// its flags, by the names of their values.
func (a *app) complete(cmd *cobra.Command) {
	of := map[string]completer{
		"NOTEBOOK": a.completeNotebooks, "CELL": a.completeCells, "KIND": values(cellKinds...), "ROLE": values(tokenRoles...),
		"FORMAT": values(formats.All()...), "LEVEL": values("debug", "info", "warn", "error", "off"), "WHEN": values(terminal.ColourAuto, terminal.ColourAlways, terminal.ColourNever),
		"LANGUAGE": func(context.Context, []string) []string { return a.languages() },
		"KERNEL":   func(context.Context, []string) []string { return a.kernelNames() },
	}
	names := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(cmd.Use))[1:]
	switch cmd.Name() {
	case "kernel":
		names = []string{"NOTEBOOK", "KERNEL"}
	case "restore":
		of["NOTEBOOK"], of["CELL"] = a.allNotebooks, a.deletedCells
	case "undelete":
		of["NOTEBOOK"] = a.deletedNotebooks
	}
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= len(names) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return answer(cmd, of[names[len(args)]], args, names[len(args)])
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		kind := f.Value.Type()
		switch {
		case f.Name == "kernel":
			kind = "KERNEL"
		case f.Name == "log-format":
			kind = "LOG"
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if kind == "LOG" {
				return []string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp
			}
			return answer(cmd, of[kind], args, kind)
		})
	})
}

// answer returns the completions for a kind of word. A word without any that is no file is left
// to the user.
func answer(cmd *cobra.Command, by completer, args []string, kind string) ([]string, cobra.ShellCompDirective) {
	if by == nil {
		if strings.HasPrefix(kind, "FILE") || kind == "OUT" || kind == "DIR" || kind == "PATH" || kind == "PLACE" {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), completeTime)
	defer cancel()
	return by(ctx, args), cobra.ShellCompDirectiveNoFileComp
}

// values returns a completer that knows a list.
func values(list ...string) completer {
	return func(context.Context, []string) []string { return list }
}

func (a *app) kernelNames() []string {
	var names []string
	for _, row := range a.engines().Offers().Rows() {
		if row.Fault == "" {
			names = append(names, cobra.CompletionWithDesc(row.Name, terminal.CleanLine(cmp.Or(row.Display, row.Language))))
		}
	}
	return names
}

// completeNotebooks returns the ids of notebooks with their titles.
func (a *app) completeNotebooks(ctx context.Context, _ []string) []string {
	return a.notebookIDs(ctx, false)
}

// deletedNotebooks returns those of the notebooks that were deleted.
func (a *app) deletedNotebooks(ctx context.Context, _ []string) []string {
	return a.notebookIDs(ctx, true)
}

// allNotebooks returns the deleted notebooks and the others, each once: a cell of one may be restored.
func (a *app) allNotebooks(ctx context.Context, _ []string) []string {
	all := append(a.notebookIDs(ctx, true), a.notebookIDs(ctx, false)...)
	slices.Sort(all) // shells sort them as well
	return slices.Compact(all)
}

func (a *app) notebookIDs(ctx context.Context, deleted bool) []string {
	c, err := a.client()
	if err != nil {
		return nil
	}
	if only := client.TokenNotebook(c.Server.Token); only != "" {
		return []string{only}
	}
	var ids []string
	all, _ := c.Notebooks(ctx, deleted) // without an answer there is nothing to complete
	for _, n := range all {
		ids = append(ids, cobra.CompletionWithDesc(n.ID, terminal.CleanLine(n.Title)))
	}
	return ids
}

// completeCells returns the positions and the ids of the cells of the notebook that is named before.
func (a *app) completeCells(ctx context.Context, args []string) []string {
	if len(args) == 0 {
		return nil
	}
	var names []string
	_ = a.inNotebook(ctx, args[0], func(j *terminal.Session) error { // without an answer there is nothing to complete
		n := j.Copy()
		for i, id := range n.Cells() {
			line := terminal.FirstLine(n.Cell(id).Source())
			names = append(names, cobra.CompletionWithDesc("@"+strconv.Itoa(i+1), line), cobra.CompletionWithDesc(string(id), line))
		}
		return nil
	})
	return names
}

// deletedCells returns the ids of the cells that were deleted.
func (a *app) deletedCells(ctx context.Context, args []string) []string {
	var names []string
	if len(args) == 0 {
		return nil
	}
	_ = a.inNotebook(ctx, args[0], func(j *terminal.Session) error { // without an answer there is nothing to complete
		for _, c := range j.Copy().Deleted() {
			names = append(names, cobra.CompletionWithDesc(string(c.ID), terminal.FirstLine(c.Source())))
		}
		return nil
	})
	return names
}
