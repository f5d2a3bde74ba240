package main

import (
	"context"
	"net/url"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/internal/ws"
)

// syncURL is where the room of a notebook is.
func syncURL(server, notebook string) string {
	return server + "/api/notebooks/" + url.PathEscape(notebook) + "/sync"
}

// dialer connects to the room of a notebook. It looks for the server anew each time:
// one that is found by its data directory may come back under another address.
func (a *app) dialer(notebook string) dialer {
	return func(ctx context.Context) (protocol.Conn, error) {
		c, err := a.client()
		if err != nil {
			return nil, err
		}
		options := timingOf(a.environ).socket()
		options.Open = c.server.Opener()
		return ws.Dial(ctx, syncURL(c.server.URL, notebook), c.server.Token, options)
	}
}
