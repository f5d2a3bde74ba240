package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/terminal"
)

// noLimit is how a command line takes a limit away.
const noLimit = "none"

func (a *app) limitsCommand() *cobra.Command {
	var change limitTexts
	asJSON := false
	cmd := &cobra.Command{
		Use:   "limits NOTEBOOK",
		Short: "Show or set what the runtimes of a notebook may use",
		Long: `Show or set what the runtimes of a notebook may use. A limit that is given is set,
"none" takes it away, and the others stay. None can be above the one that the
server was started with. They hold from the next start of the runtime on; "quire
restart" makes that be now.`,
		Example: "  quire limits k3x9ab --memory 2G --run-time 10m\n  quire limits k3x9ab --memory none",
		Args:    want("NOTEBOOK"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.limits(cmd.Context(), args[0], change, asJSON)
		},
	}
	for _, f := range change.flags() {
		stringFlag(cmd.Flags(), f.text, f.name, f.value, "limit the "+f.usage)
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (a *app) limits(ctx context.Context, name string, change limitTexts, asJSON bool) error {
	if err := change.check(); err != nil {
		return fmt.Errorf("limits of notebook %s: %w", name, err)
	}
	return a.onNotebook(ctx, "limits of notebook", name, false, func(c *client, id string) error {
		var now server.NotebookLimits
		path := notebookPath(id) + "/limits"
		if err := c.call(ctx, http.MethodGet, path, nil, &now); err != nil {
			return err
		}
		if change != (limitTexts{}) {
			own := limitTexts(now.Own).changed(change)
			now = server.NotebookLimits{} // else what is left out of the answer would stay
			if err := c.call(ctx, http.MethodPut, path, server.LimitValues(own), &now); err != nil {
				return err
			}
		}
		if asJSON {
			return writeJSON(a.stdout, now)
		}
		if err := a.printLimits(limitTexts(now.Own), limitTexts(now.Most)); err != nil || now.Brought == "" {
			return err
		}
		_, err := fmt.Fprintf(a.stdout, "They do not hold for the runtime that is there, which was brought by %s: it has the limits that it was started with, which the server does not know.\n", terminal.CleanLine(string(now.Brought)))
		return err
	})
}

// check refuses what is no limit.
func (t limitTexts) check() error {
	for _, f := range t.flags() {
		if *f.text == "" || *f.text == noLimit {
			continue
		}
		if err := f.parse(new(limits), *f.text); err != nil {
			return fail(exitUsage, "--%s: %w", f.name, err)
		}
	}
	return nil
}

// changed returns the limits with those of a command line.
func (t limitTexts) changed(change limitTexts) limitTexts {
	for _, p := range t.pairs(&change) {
		switch *p.most {
		case "":
		case noLimit:
			*p.own = ""
		default:
			*p.own = *p.most
		}
	}
	return t
}

// printLimits writes a line for each limit: its name, what holds, and the server's.
func (a *app) printLimits(own, most limitTexts) error {
	for _, p := range own.pairs(&most) {
		holds := cmp.Or(*p.own, *p.most, p.otherwise, noLimit)
		if p.exceeds() {
			holds = *p.most
		}
		line := fmt.Sprintf("%-16s %-8s", p.name, holds)
		if *p.most != "" {
			line += " (the server allows " + *p.most + ")"
		}
		if _, err := fmt.Fprintln(a.stdout, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}
