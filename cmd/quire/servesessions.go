package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/quirehq/quire/host/server"
)

// sessionsFile is where a data directory keeps who is signed in.
const sessionsFile = "sessions.json"

// sessions keeps them in the data directory that it is the path of. Only digests are
// in the file, and it is for its owner only all the same.
type sessions string

// Load implements [server.Sessions].
func (s sessions) Load() ([]server.Session, error) {
	path := filepath.Join(string(s), sessionsFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []server.Session
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s is damaged: remove it, which signs all browsers out", path)
	}
	return list, nil
}

// Save implements [server.Sessions].
func (s sessions) Save(list []server.Session) error {
	data, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(string(s), sessionsFile), append(data, '\n'), 0o600)
}
