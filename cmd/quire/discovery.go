package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/internal/file"
)

// serverFile is where a server leaves word of itself in its data directory.
const serverFile = "server.json"

// running is what a server says of itself to programs of the same user.
type running struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	PID   int    `json:"pid"`
	// Key is the public half of the server's identity, by which it proves itself; nil in a
	// file of an older server.
	Key rawBytes `json:"key,omitempty"`
	// Certificate is the digest of the one that it speaks TLS with, if it does.
	Certificate rawBytes `json:"certificate,omitempty"`
	// Python is the one of its runtimes, empty if there is none.
	Python string `json:"python,omitempty"`
}

// announce writes the file that discover reads.
func announce(dir string, r running) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", serverFile, err)
	}
	return writeFile(filepath.Join(dir, serverFile), append(data, '\n'), 0o600)
}

// withdraw removes the file.
func withdraw(dir string) error {
	err := os.Remove(filepath.Join(dir, serverFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// discover returns the server to talk to: the one that was asked for, else the one
// that serves the data directory.
func discover(c *settings.Config) (running, error) {
	if c.Server != "" {
		key, certificate := keyOf(c, c.Server)
		return running{URL: c.Server, Token: c.Token, Key: key, Certificate: certificate}, nil
	}
	if c.Data == "" {
		return running{}, fail(exitUsage, "there is no home directory to find data in: set --data or QUIRE_DATA")
	}
	r, err := announced(c)
	if err != nil {
		return running{}, err
	}
	if c.Token != "" {
		r.Token = c.Token
	}
	return r, nil
}

// announced reads what the server of the data directory says of itself.
func announced(c *settings.Config) (running, error) {
	path := filepath.Join(c.Data, serverFile)
	if err := checkOwn(c.Data); err != nil {
		return running{}, fail(exitUnavailable, "the data directory cannot be trusted: %w", err)
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return running{}, noServer(c)
	}
	if err != nil {
		return running{}, fail(exitUnavailable, "find the server of %s: %w", c.Data, file.Reason(path, err))
	}
	var r running
	if err := json.Unmarshal(data, &r); err != nil || r.URL == "" {
		return running{}, fail(exitUnavailable, "%s is damaged: start the server anew", path)
	}
	if r.Key == nil {
		return running{}, fail(exitUnavailable, "the server of %s was started by an older quire, and cannot prove to this one that it is the server: stop it and start it anew", c.Data)
	}
	return r, nil
}

// keyOf returns the key and the digest of the certificate of a server that was asked for by
// its URL, if it is the one of the data directory.
func keyOf(c *settings.Config, server string) (key, certificate rawBytes) {
	if c.Data == "" {
		return nil, nil
	}
	r, err := announced(c)
	if err != nil || r.URL != strings.TrimSuffix(server, "/") {
		return nil, nil
	}
	return r.Key, r.Certificate
}

func noServer(c *settings.Config) error {
	return fail(exitUnavailable, "no server is running for %s: start one with `quire serve`", c.Data)
}
