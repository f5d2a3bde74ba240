package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/quirehq/quire/host/server/signin"
)

// Files of a data directory with lists: the sign-ins and the tokens.
const (
	sessionsFile = "sessions.json"
	tokensFile   = "tokens.json"
)

// dataList keeps a list as JSON in a file of the data directory. Its secrets are digests, and the
// file is readable by its owner alone all the same.
type dataList[T any] struct {
	path    string
	removal string // the effect of the removal of the file
}

// Sessions returns the list that implements [signin.SessionStore].
func Sessions(dir string) dataList[signin.Session] {
	return dataList[signin.Session]{filepath.Join(dir, sessionsFile), "signs all browsers out"}
}

// Tokens returns the list that implements [signin.TokenStore].
func Tokens(dir string) dataList[signin.Issued] {
	return dataList[signin.Issued]{filepath.Join(dir, tokensFile), "ends all tokens"}
}

// Load returns the list, which is empty if there is no file.
func (l dataList[T]) Load() ([]T, error) {
	data, err := os.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []T
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s is damaged: remove it, which %s", l.path, l.removal)
	}
	return list, nil
}

// Save replaces the list.
func (l dataList[T]) Save(list []T) error {
	data, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		return err
	}
	return Write(l.path, append(data, '\n'))
}
