package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// client asks a server for what is not done in a session.
type client struct {
	config *config
	server running
	http   *http.Client
}

// client returns a client of the server that the configuration names.
func (a *app) client() (*client, error) {
	server, err := a.config.discover()
	if err != nil {
		return nil, err
	}
	if !isServerURL(server.URL) {
		return nil, fail(exitUsage, "server %q is not a URL: want one such as http://127.0.0.1:8642", server.URL)
	}
	server.URL = strings.TrimSuffix(server.URL, "/")
	return &client{config: &a.config, server: server, http: &http.Client{}}, nil
}

// isServerURL reports whether a server can be at a URL.
func isServerURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// call sends a request with in as its JSON body, if there is one, and decodes the
// answer into out, if that is asked for.
func (c *client) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
	}
	data, err := c.send(ctx, method, path, body)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fail(exitUnavailable, "%s %s: the answer is not what was expected: %w", method, path, err)
	}
	return nil
}

// send sends a request with a JSON body and returns the body of the answer.
func (c *client) send(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	return c.sendAs(ctx, method, path, "application/json", body)
}

// sendAs sends a request with a body of a type and returns the body of the answer.
func (c *client) sendAs(ctx context.Context, method, path, kind string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.server.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	if body != nil {
		req.Header.Set("Content-Type", kind)
	}
	if c.server.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.server.Token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return nil, problem(resp, data)
	}
	return data, nil
}

// open asks for what may be large, which the caller reads and closes.
func (c *client) open(ctx context.Context, path string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.server.URL+path, nil)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	if c.server.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.server.Token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	if resp.StatusCode >= http.StatusBadRequest {
		data, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // without it there is the status
		_ = resp.Body.Close()
		return nil, problem(resp, data)
	}
	return resp.Body, nil
}

// unreachable explains that no answer came. A server that only left its file is
// one that does not run.
func (c *client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if c.config.Server == "" {
		return c.config.noServer()
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without the URL, which is named already
	}
	return fail(exitUnavailable, "server %s cannot be reached: %w", c.server.URL, err)
}

// problem makes an error of an answer that is one, with the exit code for it.
func problem(resp *http.Response, data []byte) error {
	var p struct {
		Detail string `json:"detail"`
	}
	if json.Unmarshal(data, &p) != nil || p.Detail == "" {
		p.Detail = "the server answered " + resp.Status
	}
	return fail(codeOfStatus(resp.StatusCode), "%s", p.Detail)
}

func codeOfStatus(status int) int {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden,
		status == http.StatusNotFound, status == http.StatusMisdirectedRequest:
		return exitDenied
	case status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		return exitUnavailable
	}
	return exitFailed
}
