package main

import (
	"cmp"
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/engines"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/host/terminal"
)

type enginesOptions struct{ json bool }

func (a *app) enginesCommand() *cobra.Command {
	var o enginesOptions
	cmd := &cobra.Command{
		Use:     "engines",
		Aliases: []string{"kernels"},
		Short:   "List what executes cells on this machine",
		Long: `List what executes cells on this machine: the Python that is built in, interpreters
that are installed, and Jupyter kernels, looked for where Jupyter does: in
JUPYTER_PATH, the user's data, the environment of Python, and the system.

A cell is executed in its language, by the first of these:
  the engine that was chosen for the notebook, by "quire kernel";
  the kernel that its file was made with, if that is not of Python;
  the engine of --kernel, of the server or of the runtime;
  the first of its language in this list, which has a star.

An engine that cannot be used says why, and what helps.`,
		Args: want(),
		RunE: func(*cobra.Command, []string) error {
			var wrong settings.Errors
			a.checkPython(&wrong)
			if err := a.configError("engines", wrong); err != nil {
				return err
			}
			return a.listEngines(o)
		},
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "write JSON")
	a.config.AddFlags(cmd.Flags(), "engines")
	return cmd
}

func (a *app) listEngines(o enginesOptions) error {
	rows := a.engines().Offers().Rows()
	if o.json {
		return writeJSON(a.stdout, rows)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		name := r.Name
		if r.Default {
			name += " *"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", name, cmp.Or(r.Language, "-"), terminal.CleanLine(cmp.Or(r.Display, "-")), r.Source, engineState(r))
	}
	return w.Flush()
}

// engineState returns the place of an engine that can be used, and else the reason why it cannot.
func engineState(r engines.Row) string {
	switch {
	case r.Fault != "":
		return "cannot be used: " + terminal.CleanLine(r.Fault)
	case r.Source == engines.BuiltIn:
		return "-"
	}
	return terminal.CleanLine(r.Place)
}

type kernelOptions struct{ force bool }

func (a *app) kernelCommand() *cobra.Command {
	var o kernelOptions
	cmd := &cobra.Command{
		Use:   "kernel NOTEBOOK NAME",
		Short: "Choose what executes a notebook",
		Long: `Choose the engine that executes a notebook, by a name that "quire engines" lists,
from the next start of its runtime on: "quire restart" restarts it. "python" is
the Python that is built in; a kernel of Jupyter for Python is used only when it is
chosen. The notebook keeps the choice as quire.kernel in its metadata.`,
		Example: "  quire kernel k3x9ab ir && quire restart k3x9ab",
		Args:    want("NOTEBOOK", "NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.chooseKernel(cmd.Context(), args[0], args[1], o)
		},
	}
	cmd.Flags().BoolVar(&o.force, "force", false, "even if it is not installed here, as for a runtime elsewhere")
	return cmd
}

func (a *app) chooseKernel(ctx context.Context, name, kernel string, o kernelOptions) error {
	ks := a.engines().Offers()
	if err := ks.Check(kernel); err != nil && !o.force {
		return fmt.Errorf("choose the kernel of %s: %w", name, err)
	}
	return a.inNotebook(ctx, name, func(j *terminal.Session) error {
		set, err := ks.Choosing(j.Copy().Metadata(), kernel)
		for _, p := range set {
			if err == nil {
				err = j.Propose(ctx, func(*notebook.Notebook) (event.Payload, error) { return p, nil })
			}
		}
		return err
	})
}
