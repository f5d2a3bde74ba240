package ws

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/coder/websocket"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

// Dial opens a connection to a room. The URL is that of its sync route, with the scheme http,
// https, ws or wss; a non-empty token is sent as a bearer token.
//
// If the server refuses, the error is or wraps a *protocol.Closed with its reason; any other error
// may be temporary.
func Dial(ctx context.Context, url, token string, opt Options) (protocol.Conn, error) {
	opt.setDefaults(maxFromRoom)
	header := http.Header{}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	d := dialer{open: opt.Open}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DialContext: d.dial, DisableKeepAlives: true}
	if d.open == nil {
		d.open = new(net.Dialer).DialContext
	} else { // it opens the connection to the server itself, including TLS
		transport.Proxy, transport.DialTLSContext = nil, d.dial
	}
	client := &http.Client{
		Transport: transport,
		// A redirect would send the token to another address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	socket, resp, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: client, HTTPHeader: header})
	if err != nil {
		if refused := refusal(resp); refused != nil {
			return nil, refused
		}
		return nil, fmt.Errorf("connect to %s: %w", url, err)
	}
	return newConn(socket, d.wire, opt, false), nil
}

// dialer records the connection that it opened.
type dialer struct {
	open func(ctx context.Context, network, addr string) (net.Conn, error)
	wire *monitoredConn
}

func (d *dialer) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	raw, err := d.open(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	d.wire = newMonitoredConn(raw)
	return d.wire, nil
}

// refusal returns the reason of a server that refuses a socket, nil if the answer has none.
func refusal(resp *http.Response) error {
	if resp == nil {
		return nil
	}
	var code protocol.Code
	switch s := resp.StatusCode; {
	case s == http.StatusUnauthorized, s == http.StatusForbidden, s == http.StatusMisdirectedRequest:
		code = protocol.CodeForbidden
	case s == http.StatusNotFound:
		code = protocol.CodeNotFound
	case s == http.StatusGone:
		code = protocol.CodePurged
	case s == http.StatusTooManyRequests, s >= http.StatusInternalServerError:
		code = protocol.CodeUnavailable
	default:
		return nil
	}
	closed := &protocol.Closed{Code: code, Message: detail(resp)}
	if after := wait(resp); after > 0 && code == protocol.CodeUnavailable {
		return &replica.WaitError{Closed: closed, After: after}
	}
	return closed
}

// maxWait bounds the pause that a server can request.
const maxWait = time.Minute

// wait returns the pause before the next attempt that a server requests.
func wait(resp *http.Response) time.Duration {
	seconds, err := strconv.ParseUint(resp.Header.Get("Retry-After"), 10, 32)
	if err != nil {
		return 0 // none, or a date
	}
	return min(time.Duration(seconds)*time.Second, maxWait)
}

// detail returns the detail of an RFC 9457 problem, or else the status.
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
