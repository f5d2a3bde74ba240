package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/event"
)

func (a *app) artifactCommand() *cobra.Command {
	out := ""
	cmd := &cobra.Command{
		Use:   "artifact NOTEBOOK HASH -o FILE",
		Short: "Write what a notebook keeps apart to a file",
		Long: `Write what a notebook keeps apart to a file: outputs that are too large for it, whose
hashes "quire show" and "quire exec" name. The file is checked against the hash, and
is there whole or not at all; FILE - is stdout.`,
		Example: "  quire artifact 3f9a 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 -o plot.png",
		Args:    cmdline.Want("NOTEBOOK", "HASH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.artifact(cmd.Context(), args[0], args[1], out)
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "write there; - is stdout")
	settings.Placeholder(cmd.Flags(), "output", "FILE")
	return cmd
}

func (a *app) artifact(ctx context.Context, name, hash, out string) error {
	if err := (event.Artifact{Hash: hash}).Check(); err != nil {
		return fail(exitUsage, "write an artifact of notebook %s: %q is no hash, which has 64 hexadecimal digits: `quire show` names those of a notebook", name, hash)
	}
	if out == "" {
		return fail(exitUsage, "write an artifact of notebook %s: say where to with -o FILE, or -o - for stdout", name)
	}
	if err := namedfile.CheckOut(out); err != nil {
		return fmt.Errorf("write an artifact of notebook %s: %w", name, err)
	}
	return a.onNotebook(ctx, "write an artifact of notebook", name, false, func(c *client.Client, id string) error {
		body, err := c.Open(ctx, client.NotebookPath(id)+"/artifacts/"+hash)
		if err != nil {
			return err
		}
		defer func() { _ = body.Close() }()
		return namedfile.WriteWith(a.stdout, out, func(w io.Writer) error { return copyChecked(w, body, hash) })
	})
}

// copyChecked copies content that must have a hash.
func copyChecked(w io.Writer, r io.Reader, hash string) error {
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum), r)
	if err != nil {
		return fmt.Errorf("after %d bytes: %w", n, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != hash {
		return fail(exitFailed, "what came, %d bytes, has the hash %s: it is not the artifact", n, got)
	}
	return nil
}
