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

// tokensFile is where a data directory keeps which tokens were made.
const tokensFile = "tokens.json"

// tokens keeps them in the data directory that it is the path of. Only digests are in the
// file, and it is for its owner only all the same.
type tokens string

// Load implements [server.Tokens].
func (t tokens) Load() ([]server.Issued, error) {
	path := filepath.Join(string(t), tokensFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []server.Issued
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s is damaged: remove it, which ends all tokens", path)
	}
	return list, nil
}

// Save implements [server.Tokens].
func (t tokens) Save(list []server.Issued) error {
	data, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(string(t), tokensFile), append(data, '\n'), 0o600)
}
