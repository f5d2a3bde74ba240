package client

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/host/terminal"
)

// logPage is how many events are asked for at once.
const logPage = 5_000

// Events calls yield with each event after a number in its JSON form, for as long
// as that wants more.
func (c *Client) Events(ctx context.Context, id string, after event.Seq, yield func(line []byte) (bool, error)) error {
	for {
		query := url.Values{"limit": {strconv.Itoa(logPage)}, "after": {strconv.FormatUint(uint64(after), 10)}}
		page, err := c.Send(ctx, http.MethodGet, NotebookPath(id)+"/log?"+query.Encode(), nil)
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

// FoldTo folds the log of a notebook up to a number.
func (c *Client) FoldTo(ctx context.Context, id string, at event.Seq) (*notebook.Notebook, error) {
	n := notebook.New()
	var changes []notebook.Change
	err := c.Events(ctx, id, 0, func(line []byte) (bool, error) {
		e, err := event.Decode(line)
		if err != nil {
			return false, err
		}
		changes, _ = n.Apply(&e, changes[:0]) // a moot event changes nothing
		return n.Seq() < at, nil
	})
	if err == nil && n.Seq() < at {
		err = terminal.Fail(terminal.Denied, "there is no event %d: the last is %d", at, n.Seq())
	}
	return n, err
}
