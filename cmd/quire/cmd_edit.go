package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cellname"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/text"
	"github.com/quirehq/quire/host/terminal"
)

type editOptions struct{ set string }

func (a *app) editCommand() *cobra.Command {
	var o editOptions
	cmd := &cobra.Command{
		Use:   "edit NOTEBOOK CELL",
		Short: "Edit a cell's source in your editor",
		Long: `Edit a cell's source in your editor (VISUAL or EDITOR, else vi). What you changed
is merged with what others changed while the editor was open. With --set the
source becomes a text, without an editor.`,
		Example: "  quire edit k3x9ab @2\n  quire edit k3x9ab @2 --set 'x = 1'",
		Args:    cmdline.Want("NOTEBOOK", "CELL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("set") {
				return a.setSource(cmd.Context(), args[0], args[1], o.set)
			}
			return a.editSource(cmd.Context(), args[0], args[1])
		},
	}
	cmdline.StringFlag(cmd.Flags(), &o.set, "set", "TEXT", "what the source becomes; - reads it from stdin")
	return cmd
}

func (a *app) setSource(ctx context.Context, name, cell, source string) error {
	source, err := a.text(source)
	if err != nil {
		return fmt.Errorf("edit cell %s: %w", cell, err)
	}
	return a.inNotebook(ctx, name, func(j *terminal.Session) error {
		c, err := cellname.FindLive(j.Copy(), cell)
		if err != nil {
			return err
		}
		return applySource(ctx, j, c.ID, c.Source(), source)
	})
}

// editSource lets a user edit a cell while the session goes on. Their text is never
// lost: if it cannot be applied, it stays in a file, which the error names.
func (a *app) editSource(ctx context.Context, name, cell string) error {
	if a.config.Editor == settings.DefaultEditor && !a.isTerminal {
		return fail(exitUsage, "edit cell %s: there is no terminal for %s: give the source with --set, or set VISUAL or EDITOR to an editor that needs none", cell, a.config.Editor)
	}
	return a.inNotebook(ctx, name, func(j *terminal.Session) error {
		c, err := cellname.FindLive(j.Copy(), cell)
		if err != nil {
			return err
		}
		base := c.Source()
		file, err := a.scratch(c.ID, base)
		if err != nil {
			return fmt.Errorf("edit cell %s: %w", c.ID, err)
		}
		mine, err := a.edited(ctx, file)
		if err == nil && mine != base {
			err = applySource(ctx, j, c.ID, base, mine)
		}
		if err != nil {
			return fmt.Errorf("edit cell %s: %w; your text is in %s", c.ID, err, file)
		}
		return os.Remove(file)
	})
}

// scratch writes a source to a file for the editor.
func (a *app) scratch(id event.CellID, source string) (string, error) {
	f, err := os.CreateTemp("", "quire-"+string(id)+"-*.txt")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(source)
	return f.Name(), errors.Join(err, f.Close())
}

// applySource applies the change of a user to the source of a cell, which was base when
// they began.
func applySource(ctx context.Context, j *terminal.Session, cell event.CellID, base, mine string) error {
	if base == mine {
		return nil
	}
	return j.Propose(ctx, func(n *notebook.Notebook) (event.Payload, error) {
		c := n.Cell(cell)
		return &event.SourceEdited{Cell: cell, Rev: c.Rev, Edit: merge(base, mine, c.Source())}, nil
	})
}

// What a shell ends with when there is no such command, or it cannot be executed.
const (
	shellCannot  = 126
	shellUnknown = 127
)

// edited lets a user edit a file and returns its contents after that. The editor is a
// command line, as in "code --wait", so a shell reads it.
func (a *app) edited(ctx context.Context, file string) (string, error) {
	cmd := exec.CommandContext(ctx, "sh", "-c", a.config.Editor+` "$1"`, "sh", file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.stdin, a.stdout, a.stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("editor %q %s", a.config.Editor, editorReason(err))
	}
	data, err := namedfile.ReadUpTo(file, namedfile.MostNotebook)
	if err == nil && !utf8.Valid(data) {
		err = errors.New("the source is not UTF-8: have the editor save it as that")
	}
	return string(data), err
}

// editorReason returns the reason why an editor did not edit.
func editorReason(err error) string {
	var end *exec.ExitError
	switch {
	case !errors.As(err, &end):
		return "cannot be started: " + err.Error()
	case end.ExitCode() == shellUnknown, end.ExitCode() == shellCannot:
		return "cannot be started: set VISUAL or EDITOR to one that can"
	case end.ExitCode() >= 0:
		return fmt.Sprintf("ended with exit code %d, and nothing was changed", end.ExitCode())
	}
	return "was killed, and nothing was changed"
}

// merge returns the edit that applies the change of a user to the current text, given
// the text that the user began with. The changes of both sides stay.
func merge(base, mine, current string) text.Edit {
	_, edit := text.Transform(text.Diff(base, current), text.Diff(base, mine))
	return edit
}
