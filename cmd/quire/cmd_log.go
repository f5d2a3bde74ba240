package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/terminal"
)

// logPage is how many events are asked for at once.
const logPage = 5_000

type logOptions struct {
	json  bool
	after uint64
}

func (a *app) logCommand() *cobra.Command {
	var o logOptions
	cmd := &cobra.Command{
		Use:   "log NOTEBOOK",
		Short: "Print the events of a notebook, one a line",
		Args:  want("NOTEBOOK"),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.log(cmd.Context(), args[0], o) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "write the events as they are stored")
	cmd.Flags().Uint64Var(&o.after, "after", 0, "begin behind the event with this number")
	settings.Placeholder(cmd.Flags(), "after", "NUMBER")
	return cmd
}

func (a *app) log(ctx context.Context, name string, o logOptions) error {
	return a.onNotebook(ctx, "read log of notebook", name, false, func(c *client, id string) error {
		return c.events(ctx, id, event.Seq(o.after), func(line []byte) (bool, error) {
			if o.json {
				_, err := fmt.Fprintf(a.stdout, "%s\n", line)
				return err == nil, err
			}
			e, err := event.Decode(line)
			if err == nil {
				_, err = fmt.Fprintln(a.stdout, terminal.EventLine(&e, time.Local))
			}
			return err == nil, err
		})
	})
}

// events calls yield with each event after a number in its JSON form, for as long
// as that wants more.
func (c *client) events(ctx context.Context, id string, after event.Seq, yield func(line []byte) (bool, error)) error {
	for {
		query := url.Values{"limit": {strconv.Itoa(logPage)}, "after": {strconv.FormatUint(uint64(after), 10)}}
		page, err := c.send(ctx, http.MethodGet, notebookPath(id)+"/log?"+query.Encode(), nil)
		if err != nil || len(page) == 0 {
			return err
		}
		for line := range bytes.Lines(page) {
			after++
			if more, err := yield(bytes.TrimSuffix(line, []byte("\n"))); !more || err != nil {
				return err
			}
		}
	}
}
