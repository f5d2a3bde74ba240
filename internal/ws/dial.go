package ws

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/coder/websocket"

	"github.com/quirehq/quire/core/replica"
)

// Dial opens a connection to a room. The URL is that of its sync route, with the
// scheme http, https, ws or wss; the token is sent as a bearer's, unless it is empty.
//
// When the server refuses, the error is a *replica.Closed with what it said; any
// other error may pass when one tries again.
func Dial(ctx context.Context, url, token string, opt Options) (replica.Conn, error) {
	opt.setDefaults(maxFromRoom)
	header := http.Header{}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	var d dialer
	client := &http.Client{
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DialContext: d.dial, DisableKeepAlives: true},
		// A redirect would send the token to where it was not meant to go.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	socket, resp, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: client, HTTPHeader: header})
	if err != nil {
		if closed := refusal(resp); closed != nil {
			return nil, closed
		}
		return nil, fmt.Errorf("connect to %s: %w", url, err)
	}
	return newConn(socket, d.wire, opt, false), nil
}

// dialer keeps the wire that it opened.
type dialer struct {
	net.Dialer
	wire *wire
}

func (d *dialer) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	raw, err := d.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	d.wire = newWire(raw)
	return d.wire, nil
}

// refusal returns what a server that will not open a socket says, or nil if it
// said nothing that helps.
func refusal(resp *http.Response) *replica.Closed {
	if resp == nil {
		return nil
	}
	var code replica.Code
	switch s := resp.StatusCode; {
	case s == http.StatusUnauthorized, s == http.StatusForbidden, s == http.StatusMisdirectedRequest:
		code = replica.CodeForbidden
	case s == http.StatusNotFound:
		code = replica.CodeNotFound
	case s == http.StatusTooManyRequests, s >= http.StatusInternalServerError:
		code = replica.CodeUnavailable
	default:
		return nil
	}
	return &replica.Closed{Code: code, Message: detail(resp)}
}

// detail returns the sentence of an RFC 9457 problem, or else the status.
func detail(resp *http.Response) string {
	var problem struct {
		Detail string `json:"detail"`
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	if err == nil && json.Unmarshal(data, &problem) == nil && problem.Detail != "" {
		return problem.Detail
	}
	return "the server answered " + resp.Status
}
