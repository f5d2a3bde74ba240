package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/faulttiming"
	"github.com/quirehq/quire/cmd/quire/internal/serverlink"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/ws"
)

// newClientID returns an id for one session.
func newClientID() event.ClientID { return event.ClientID(newID(clientIDLen)) }

// open joins the notebook that a command line names, and returns its id as well.
func (a *app) open(ctx context.Context, name string) (j *terminal.Session, id string, err error) {
	c, err := a.client()
	if err != nil {
		return nil, "", err
	}
	if id, err = c.Resolve(ctx, name); err != nil {
		return nil, "", err
	}
	j, err = terminal.Join(ctx, newClientID(), a.dialer(id))
	return j, id, err
}

// inNotebook calls f with a session in the notebook that a command line names.
func (a *app) inNotebook(ctx context.Context, name string, f func(*terminal.Session) error) error {
	return a.inNotebookOf(ctx, name, func(_ string, j *terminal.Session) error { return f(j) })
}

// inNotebookOf is inNotebook for a function that needs the id of the notebook as well.
func (a *app) inNotebookOf(ctx context.Context, name string, f func(id string, j *terminal.Session) error) error {
	j, id, err := a.open(ctx, name)
	if err == nil {
		defer j.Leave()
		err = f(id, j)
	}
	if err != nil {
		return fmt.Errorf("notebook %s: %w", name, err)
	}
	return nil
}

// syncURL is where the room of a notebook is.
func syncURL(server, notebook string) string {
	return server + "/api/notebooks/" + url.PathEscape(notebook) + "/sync"
}

// dialer connects to the room of a notebook. Each call looks for the server:
// one that is found by its data directory may come back under another address.
func (a *app) dialer(notebook string) serverlink.Dialer {
	return func(ctx context.Context) (protocol.Conn, error) {
		c, err := a.client()
		if err != nil {
			return nil, err
		}
		options := faulttiming.Of(a.environ).Socket()
		options.Open = c.Server.Opener()
		return ws.Dial(ctx, syncURL(c.Server.URL, notebook), c.Server.Token, options)
	}
}

// Lengths of the ids that commands make.
const (
	cellIDLen   = 8
	clientIDLen = 12
	runIDLen    = 12
)

// newID returns a name of n random letters and digits, at most 26.
func newID(n int) string { return strings.ToLower(rand.Text()[:n]) }

// client returns a client of the server that the configuration names.
func (a *app) client() (*client.Client, error) { return client.New(&a.config) }

// onNotebook calls f with the id of the notebook that a command line names, which
// may be among the deleted ones. Errors begin with what, the action.
func (a *app) onNotebook(ctx context.Context, what, name string, deleted bool, f func(*client.Client, string) error) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	id, err := c.ResolveAmong(ctx, name, deleted)
	if err == nil {
		err = f(c, id)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", what, name, err)
	}
	return nil
}
