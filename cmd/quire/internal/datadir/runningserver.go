package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/file"
)

// ServerFile is the name of the file in which a server announces itself.
const ServerFile = "server.json"

// Running is the announcement of a server to programs of the same user.
type Running struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	PID   int    `json:"pid"`
	// Key is the public half of the server's identity, by which it proves itself; nil in a
	// file of an older server.
	Key Base64 `json:"key,omitempty"`
	// Certificate is the digest of the one that it speaks TLS with, if it does.
	Certificate Base64 `json:"certificate,omitempty"`
	// Python is the one of its runtimes, empty if there is none.
	Python string `json:"python,omitempty"`
}

// Announce writes the announcement, which [Discover] reads.
func Announce(dir string, r Running) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", ServerFile, err)
	}
	return Write(filepath.Join(dir, ServerFile), append(data, '\n'))
}

// Withdraw removes the announcement.
func Withdraw(dir string) error {
	err := os.Remove(filepath.Join(dir, ServerFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Discover returns the server to connect to: the one of the configuration, else the one that
// serves the data directory.
func Discover(c *settings.Config) (Running, error) {
	if c.Server != "" {
		key, certificate := keyOf(c, c.Server)
		return Running{URL: c.Server, Token: c.Token, Key: key, Certificate: certificate}, nil
	}
	if c.Data == "" {
		return Running{}, terminal.Fail(terminal.Usage, "there is no home directory to find data in: set --data or QUIRE_DATA")
	}
	r, err := announced(c)
	if err != nil {
		return Running{}, err
	}
	if c.Token != "" {
		r.Token = c.Token
	}
	return r, nil
}

// announced reads the announcement of the server of the data directory.
func announced(c *settings.Config) (Running, error) {
	path := filepath.Join(c.Data, ServerFile)
	if err := checkOwn(c.Data); err != nil {
		return Running{}, terminal.Fail(terminal.Unavailable, "the data directory cannot be trusted: %w", err)
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Running{}, NoServer(c)
	}
	if err != nil {
		return Running{}, terminal.Fail(terminal.Unavailable, "find the server of %s: %w", c.Data, file.Reason(path, err))
	}
	var r Running
	if err := json.Unmarshal(data, &r); err != nil || r.URL == "" {
		return Running{}, terminal.Fail(terminal.Unavailable, "%s is damaged: restart the server", path)
	}
	if r.Key == nil {
		return Running{}, terminal.Fail(terminal.Unavailable, "the server of %s was started by an older quire, and cannot prove to this one that it is the server: restart it", c.Data)
	}
	return r, nil
}

// keyOf returns the key and the digest of the certificate of a server with a URL, if it is the
// one of the data directory.
func keyOf(c *settings.Config, server string) (key, certificate Base64) {
	if c.Data == "" {
		return nil, nil
	}
	r, err := announced(c)
	if err != nil || r.URL != strings.TrimSuffix(server, "/") {
		return nil, nil
	}
	return r.Key, r.Certificate
}

// NoServer returns the error for a data directory without a server.
func NoServer(c *settings.Config) error {
	return terminal.Fail(terminal.Unavailable, "no server is running for %s: start one with `quire serve`", c.Data)
}
