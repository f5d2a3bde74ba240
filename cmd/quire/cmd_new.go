package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/core/directory"
)

func (a *app) newCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:     "new TITLE",
		Short:   "Make a notebook and print its id",
		Example: "  quire new 'Heat pumps'",
		Args:    cmdline.Want("TITLE"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.newNotebook(cmd.Context(), args[0], asJSON) },
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (a *app) newNotebook(ctx context.Context, title string, asJSON bool) error {
	made, err := a.createNotebook(ctx, title)
	if err != nil {
		return err
	}
	return a.printID(made.ID, made, asJSON)
}

// createNotebook makes a notebook with a title.
func (a *app) createNotebook(ctx context.Context, title string) (made directory.Listing, err error) {
	if err := cmdline.CheckTitle(title); err != nil {
		return made, fmt.Errorf("make notebook: %w", err)
	}
	c, err := a.client()
	if err != nil {
		return made, err
	}
	if err := c.Call(ctx, http.MethodPost, "/api/notebooks", titled{title}, &made); err != nil {
		return made, fmt.Errorf("make notebook: %w", err)
	}
	return made, nil
}

// titled is a request that gives a notebook its title.
type titled struct {
	Title string `json:"title"`
}

// printID prints the id of a new notebook or cell, or all of it for programs.
func (a *app) printID(id string, made any, asJSON bool) error {
	if asJSON {
		return namedfile.WriteJSON(a.stdout, made)
	}
	_, err := fmt.Fprintln(a.stdout, id)
	return err
}
