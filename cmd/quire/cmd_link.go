package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
)

func (a *app) linkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "link",
		Short: "Print a new link that signs a browser in, once",
		Args:  cmdline.Want(),
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.link(cmd.Context()) },
	}
}

func (a *app) link(ctx context.Context) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	var made struct {
		URL string `json:"url"`
	}
	if err := c.Call(ctx, http.MethodPost, "/api/links", nil, &made); err != nil {
		return fmt.Errorf("make link: %w", err)
	}
	_, err = fmt.Fprintln(a.stdout, made.URL)
	return err
}
