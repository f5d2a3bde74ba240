package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/formats"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/ipynb"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/params"
	"github.com/quirehq/quire/host/native"
	"github.com/quirehq/quire/internal/file"
)

type convertOptions struct {
	from, to string
	clear    bool
}

func (a *app) convertCommand() *cobra.Command {
	var o convertOptions
	cmd := &cobra.Command{
		Use:   "convert FILE OUT",
		Short: "Write a notebook file in another format, without running it",
		Long: `Write a notebook file in another format, without a server and without running it. The
names of the files say what they are, as "quire import" and "quire export" take
them, or --from and --to do. FILE - is stdin, and OUT - is stdout.

With --clear-outputs the notebook is written as one that has not been run: without
outputs, execution counts and the times of runs, as for a repository.`,
		Example: "  quire convert report.ipynb report.html\n  quire convert - - --from py --to ipynb < script.py\n  quire convert report.ipynb clean.ipynb --clear-outputs",
		Args:    cmdline.Want("FILE", "OUT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.convert(cmd.Context(), args[0], args[1], o)
		},
	}
	cmdline.StringFlag(cmd.Flags(), &o.from, "from", "FORMAT", "what FILE is, whatever its name: ipynb, py, md ...")
	cmdline.StringFlag(cmd.Flags(), &o.to, "to", "FORMAT", "what OUT is, whatever its name: ipynb, py, md, html ...")
	cmd.Flags().BoolVar(&o.clear, "clear-outputs", false, "leave out what came of running it")
	return cmd
}

func (a *app) convert(ctx context.Context, name, out string, o convertOptions) error {
	err := a.convertFile(ctx, name, out, o)
	if err != nil {
		return fmt.Errorf("convert %s: %w", name, err)
	}
	return nil
}

func (a *app) convertFile(ctx context.Context, name, out string, o convertOptions) error {
	from, err := asked(o.from, name, true)
	if err != nil {
		return err
	}
	to, err := asked(o.to, out, false)
	if err != nil {
		return err
	}
	if err := namedfile.CheckOut(out); err != nil {
		return err
	}
	if sameOut(name, out) {
		return fail(exitUsage, "%s is the file itself: write to another", out)
	}
	data, err := namedfile.Read(a.stdin, name)
	if err != nil {
		return fail(exitUsage, "%w", err)
	}
	payloads, err := formats.Import("x."+from, data)
	if err != nil {
		return fail(exitUsage, "it is not a notebook that can be read: %w", err)
	}
	dir, remove, err := file.TempDir("quire-convert-")
	if err != nil {
		return fmt.Errorf("make a directory for large outputs: %w", err)
	}
	defer func() { _ = remove() }()
	artifacts := native.NewFolder(dir)
	if err := ipynb.Offload(ctx, payloads, artifacts); err != nil {
		return err
	}
	n, err := formats.Fold(payloads)
	if err != nil {
		return fail(exitUsage, "it is not a notebook that can be read: %w", err)
	}
	if o.clear {
		if err := unrun(n); err != nil {
			return err
		}
	}
	return namedfile.WriteWith(a.stdout, out, func(w io.Writer) error { return formats.Export(ctx, w, "x."+to, n, artifacts) })
}

// unrun makes a notebook one that has not been run.
func unrun(n *notebook.Notebook) error {
	if len(n.Cells()) == 0 {
		return nil
	}
	cleared := []event.Payload{
		&event.CellOutputsCleared{Cells: n.Cells(), Reset: true},
		&event.NotebookMetadataSet{Key: "widgets"}, // those that outputs showed
		&event.NotebookMetadataSet{Key: params.RecordKey},
	}
	for _, id := range n.Cells() {
		for _, key := range []string{keyExecution, params.RecordKey, "ExecuteTime"} { // the last is an extension's
			if n.Cell(id).Metadata[key] != nil {
				cleared = append(cleared, &event.CellMetadataSet{Cell: id, Key: key})
			}
		}
	}
	return formats.FoldInto(n, cleared)
}

// keyExecution is the key of a cell's metadata that has the times of its run.
const keyExecution = "execution"
