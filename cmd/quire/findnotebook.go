package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/quirehq/quire/core/directory"
)

// fullID is the length of a notebook's id: a shorter name is the beginning of one.
const fullID = 20

// notebookPath is where the API has a notebook.
func notebookPath(id string) string { return "/api/notebooks/" + url.PathEscape(id) }

// notebooks returns all notebooks, or all that were deleted, those changed last first.
func (c *client) notebooks(ctx context.Context, deleted bool) ([]directory.Listing, error) {
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
		if err := c.call(ctx, http.MethodGet, "/api/notebooks?"+query.Encode(), nil, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Notebooks...)
		if page.Next == "" {
			return all, nil
		}
		query.Set("after", page.Next)
	}
}

// resolve returns the id of the notebook that a command line names by its id, or by
// the beginning of that.
func (c *client) resolve(ctx context.Context, name string) (string, error) {
	return c.resolveAmong(ctx, name, false)
}

// resolveAmong is resolve among the notebooks that were deleted or the others. A
// whole id is not looked up: the next request says whether it exists.
func (c *client) resolveAmong(ctx context.Context, name string, deleted bool) (string, error) {
	if name == "" {
		return "", fail(exitUsage, "the id of the notebook is empty")
	}
	if isAddress(name) {
		return "", fail(exitUsage, "that is an address: the id of its notebook is what follows /nb/, and --server names a server")
	}
	if isFileName(name) {
		return "", fail(exitUsage, "that is the name of a file: `quire import` makes a notebook of one, `quire run` executes it")
	}
	if len(name) >= fullID {
		return name, c.reachable(ctx)
	}
	if only := tokenNotebook(c.server.Token); only != "" {
		if !strings.HasPrefix(only, name) {
			return "", fail(exitDenied, "the token is good for notebook %s only", only)
		}
		return only, c.reachable(ctx)
	}
	all, err := c.notebooks(ctx, deleted)
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
		return "", fail(exitDenied, "there is no deleted notebook %q; `quire ls --deleted` lists them", name)
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
	return fail(exitUsage, "notebook %q could be any of %d, such as %s and %s: give more of the id", name, len(found), found[0].ID, found[1].ID)
}

// noNotebook returns the error for a name that no notebook has, but for one that was deleted, perhaps.
func (c *client) noNotebook(ctx context.Context, name string) error {
	gone, _ := c.notebooks(ctx, true) // without an answer none is known
	switch found := withPrefix(gone, name); len(found) {
	case 0:
		return fail(exitDenied, "there is no notebook %q; `quire ls` lists them", name)
	case 1:
		return fail(exitDenied, "notebook %s is deleted; `quire restore %[1]s` restores it", found[0].ID)
	default:
		return severalNotebooks(name, found)
	}
}

// onNotebook calls f with the id of the notebook that a command line names, which
// may be among the deleted ones. Errors begin with what, the action.
func (a *app) onNotebook(ctx context.Context, what, name string, deleted bool, f func(*client, string) error) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	id, err := c.resolveAmong(ctx, name, deleted)
	if err == nil {
		err = f(c, id)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", what, name, err)
	}
	return nil
}

// isFileName reports whether a name is that of a file, and not of a notebook or a cell.
func isFileName(name string) bool {
	return filepath.Ext(name) != "" || strings.ContainsRune(name, filepath.Separator)
}

// reachable reports why the server does not answer, before a session would try
// again and again.
func (c *client) reachable(ctx context.Context) error {
	return c.call(ctx, http.MethodGet, "/api/health", nil, nil)
}
