package client

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/host/terminal"
)

// FullID is the length of a notebook's id: a shorter name is the beginning of one.
const FullID = 20

// NotebookPath is where the API has a notebook.
func NotebookPath(id string) string { return "/api/notebooks/" + url.PathEscape(id) }

// Notebooks returns all notebooks, or all that were deleted, those changed last first.
func (c *Client) Notebooks(ctx context.Context, deleted bool) ([]directory.Listing, error) {
	var all []directory.Listing
	query := url.Values{}
	if deleted {
		query.Set("deleted", "true")
	}
	for {
		var page struct {
			Notebooks []directory.Listing `json:"notebooks"`
			Next      string              `json:"next"`
		}
		if err := c.Call(ctx, http.MethodGet, "/api/notebooks?"+query.Encode(), nil, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Notebooks...)
		if page.Next == "" {
			return all, nil
		}
		query.Set("after", page.Next)
	}
}

// Resolve returns the id of the notebook that a command line names by its id, or by
// the beginning of that.
func (c *Client) Resolve(ctx context.Context, name string) (string, error) {
	return c.ResolveAmong(ctx, name, false)
}

// ResolveAmong is resolve among the notebooks that were deleted or the others. A
// whole id is not looked up: the next request says whether it exists.
func (c *Client) ResolveAmong(ctx context.Context, name string, deleted bool) (string, error) {
	if name == "" {
		return "", terminal.Fail(terminal.Usage, "the id of the notebook is empty")
	}
	if namedfile.IsAddress(name) {
		return "", terminal.Fail(terminal.Usage, "that is an address: the id of its notebook is what follows /nb/, and --server names a server")
	}
	if namedfile.IsFileName(name) {
		return "", terminal.Fail(terminal.Usage, "that is the name of a file: `quire import` makes a notebook of one, `quire run` executes it")
	}
	if len(name) >= FullID {
		return name, c.Reachable(ctx)
	}
	if only := TokenNotebook(c.Server.Token); only != "" {
		if !strings.HasPrefix(only, name) {
			return "", terminal.Fail(terminal.Denied, "the token is good for notebook %s only", only)
		}
		return only, c.Reachable(ctx)
	}
	all, err := c.Notebooks(ctx, deleted)
	if err != nil {
		return "", err
	}
	found := withPrefix(all, name)
	if len(found) == 0 && !deleted {
		return "", c.noNotebook(ctx, name)
	}
	switch len(found) {
	case 1:
		return found[0].ID, nil
	case 0:
		return "", terminal.Fail(terminal.Denied, "there is no deleted notebook %q; `quire ls --deleted` lists them", name)
	}
	return "", severalNotebooks(name, found)
}

func withPrefix(all []directory.Listing, name string) (found []directory.Listing) {
	for _, n := range all {
		if strings.HasPrefix(n.ID, name) {
			found = append(found, n)
		}
	}
	return found
}

func severalNotebooks(name string, found []directory.Listing) error {
	return terminal.Fail(terminal.Usage, "notebook %q could be any of %d, such as %s and %s: give more of the id", name, len(found), found[0].ID, found[1].ID)
}

// noNotebook returns the error for a name that no notebook has, but for one that was deleted, perhaps.
func (c *Client) noNotebook(ctx context.Context, name string) error {
	gone, _ := c.Notebooks(ctx, true) // without an answer none is known
	switch found := withPrefix(gone, name); len(found) {
	case 0:
		return terminal.Fail(terminal.Denied, "there is no notebook %q; `quire ls` lists them", name)
	case 1:
		return terminal.Fail(terminal.Denied, "notebook %s is deleted; `quire restore %[1]s` restores it", found[0].ID)
	default:
		return severalNotebooks(name, found)
	}
}

// Reachable reports why the server does not answer, before a session would try
// again and again.
func (c *Client) Reachable(ctx context.Context) error {
	return c.Call(ctx, http.MethodGet, "/api/health", nil, nil)
}
