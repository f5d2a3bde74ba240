package main

import (
	"context"
	"net/http"
	"net/url"

	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/internal/ws"
)

// syncURL is where the room of a notebook is.
func syncURL(server, notebook string) string {
	return server + "/api/notebooks/" + url.PathEscape(notebook) + "/sync"
}

// dialer connects to the room of a notebook.
func (c *client) dialer(notebook string) dialer {
	return func(ctx context.Context) (replica.Conn, error) {
		return ws.Dial(ctx, syncURL(c.server.URL, notebook), c.server.Token, ws.Options{})
	}
}

// upgrade takes a connection to a room.
func upgrade(w http.ResponseWriter, r *http.Request) (replica.Conn, error) {
	return ws.Accept(w, r, ws.Options{})
}
