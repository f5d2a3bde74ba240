package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// serverFile is where a server leaves word of itself in its data directory.
const serverFile = "server.json"

// running is what a server says of itself to programs of the same user.
type running struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	PID   int    `json:"pid"`
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
func (c *config) discover() (running, error) {
	if c.Server != "" {
		return running{URL: c.Server, Token: c.Token}, nil
	}
	if c.Data == "" {
		return running{}, fail(exitUsage, "there is no home directory to find data in: set --data or QUIRE_DATA")
	}
	data, err := os.ReadFile(filepath.Join(c.Data, serverFile))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return running{}, c.noServer()
		}
		return running{}, fail(exitUnavailable, "find the server of %s: %w", c.Data, err)
	}
	var r running
	if err := json.Unmarshal(data, &r); err != nil || r.URL == "" {
		return running{}, fail(exitUnavailable, "%s is damaged: start the server anew", filepath.Join(c.Data, serverFile))
	}
	if c.Token != "" {
		r.Token = c.Token
	}
	return r, nil
}

func (c *config) noServer() error {
	return fail(exitUnavailable, "no server is running for %s: start one with `quire serve`", c.Data)
}
