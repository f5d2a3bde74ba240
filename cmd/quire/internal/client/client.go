// Package client sends requests to a server over HTTP, as the command line does: it finds the server, resolves the names of notebooks,
// and has errors in words for users. Sessions in notebooks are up to others.
package client

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/quirehq/quire/cmd/quire/internal/datadir"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/host/terminal"
)

// Client sends a server the requests that need no session.
type Client struct {
	config *settings.Config
	Server datadir.Running
	HTTP   *http.Client
}

// New returns a client of the server that a configuration names.
func New(config *settings.Config) (*Client, error) {
	server, err := datadir.Discover(config)
	if err != nil {
		return nil, err
	}
	if !IsServerURL(server.URL) {
		return nil, terminal.Fail(terminal.Usage, "%s: %q is not a URL: want one such as http://127.0.0.1:8642", config.Place("server"), server.URL)
	}
	if strings.ContainsFunc(server.Token, unicode.IsControl) {
		return nil, terminal.Fail(terminal.Usage, "%s: the token has a line end or another control character in it: copy it again", config.Place("token"))
	}
	server.URL = strings.TrimSuffix(server.URL, "/")
	return &Client{config: config, Server: server, HTTP: &http.Client{Transport: server.Transport()}}, nil
}

// IsServerURL reports whether a server can be at a URL.
func IsServerURL(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return false
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return u.Port() == "" || err == nil && port > 0
}

// Call sends a request with in as its JSON body, if there is one, and decodes the
// answer into out, if that is asked for.
func (c *Client) Call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
	}
	data, err := c.Send(ctx, method, path, body)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(data, out); err != nil {
		return terminal.Fail(terminal.Unavailable, "%s", c.Foreign(http.StatusText(http.StatusOK)))
	}
	return nil
}

// Send sends a request with a JSON body and returns the body of the answer.
func (c *Client) Send(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	return c.SendAs(ctx, method, path, "application/json", body)
}

// SendAs sends a request with a body of a type and returns the body of the answer.
func (c *Client) SendAs(ctx context.Context, method, path, kind string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.Server.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	if body != nil {
		req.Header.Set("Content-Type", kind)
	}
	if c.Server.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Server.Token)
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return nil, c.problem(resp, data)
	}
	return data, nil
}

// Open requests a body that may be large, which the caller reads and closes.
func (c *Client) Open(ctx context.Context, path string) (io.ReadCloser, error) {
	body, _, err := c.OpenWith(ctx, path)
	return body, err
}

// OpenWith is open, with the headers of the answer.
func (c *Client) OpenWith(ctx context.Context, path string) (io.ReadCloser, http.Header, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Server.URL+path, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("make request: %w", err)
	}
	if c.Server.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Server.Token)
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return nil, nil, c.unreachable(ctx, err)
	}
	if resp.StatusCode >= http.StatusBadRequest {
		data, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // without it there is the status
		_ = resp.Body.Close()
		return nil, nil, c.problem(resp, data)
	}
	return resp.Body, resp.Header, nil
}

// unreachable explains that no answer came. A server that only left its file is
// one that does not run.
func (c *Client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, datadir.ErrNotOurs) {
		return terminal.Fail(terminal.Unavailable, "%w of %s (%s), and was told nothing; start the server with `quire serve`, at another --addr if that program must stay",
			datadir.ErrNotOurs, c.config.Data, c.Server.URL)
	}
	if c.config.Server == "" {
		return datadir.NoServer(c.config)
	}
	return terminal.Fail(terminal.Unavailable, "server %s cannot be reached: %s", c.Server.URL, terminal.Unreached(err))
}

// problem makes an error of an answer that is one, with the exit code for it.
func (c *Client) problem(resp *http.Response, data []byte) error {
	var p struct {
		Detail string `json:"detail"`
	}
	if json.Unmarshal(data, &p) != nil || p.Detail == "" {
		p.Detail = "the server answered " + resp.Status
		if resp.StatusCode < http.StatusInternalServerError { // else a proxy may report that Quire is away
			p.Detail = c.Foreign(resp.Status)
		}
	}
	if resp.StatusCode == http.StatusUnauthorized {
		p.Detail = tokenAdvice(c.Server.Token, p.Detail)
	}
	return terminal.Fail(kindOfStatus(resp.StatusCode), "%s", p.Detail)
}

// Foreign returns the error for an answer that no server of Quire gives.
func (c *Client) Foreign(status string) string {
	return fmt.Sprintf("what answers at %s is no server of Quire: it says %q", c.Server.URL, status)
}

// tokenAdvice returns the advice for a server that does not know the user.
func tokenAdvice(token, detail string) string {
	if token == "" {
		return "the server wants to be shown a token: give one with --token or QUIRE_TOKEN; on its machine `quire token` makes one"
	}
	return detail + "; on the machine of the server `quire token` makes a token, which is given with --token or QUIRE_TOKEN"
}

// TokenNotebook returns the notebook that a token is good for, empty for one that is good for
// all. What a token says of itself only the server can check.
func TokenNotebook(token string) string {
	claims, _, _ := strings.Cut(strings.TrimPrefix(token, "qt_"), ".")
	var said struct {
		Notebook string `json:"notebook"`
	}
	if data, err := base64.RawURLEncoding.DecodeString(claims); err == nil {
		_ = json.Unmarshal(data, &said) // damaged metadata counts as missing
	}
	return said.Notebook
}

func kindOfStatus(status int) terminal.Kind {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden,
		status == http.StatusNotFound, status == http.StatusGone, status == http.StatusMisdirectedRequest:
		return terminal.Denied
	case status == http.StatusBadRequest, status == http.StatusRequestEntityTooLarge, status == http.StatusUnprocessableEntity:
		return terminal.Usage // the command line or its file is not accepted
	case status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		return terminal.Unavailable
	}
	return terminal.Failed
}
