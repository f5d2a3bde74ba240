package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quirehq/quire/internal/file"
	"github.com/quirehq/quire/internal/ownership"
)

// secretFiles are the files of a data directory that grant a reader the permissions of its owner, there, in databases or at services.
var secretFiles = []string{SecretFile, keptTokenFile, tokensFile, sessionsFile, ServerFile, OpenFile, connectionsFile, providersFile}

// Secrets returns the secret files that a data directory has.
func Secrets(dir string) []string {
	var paths []string
	for _, name := range secretFiles {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// checkOwn refuses a data directory that another user can change, or whose secrets they
// can read: its contents may be theirs, or known to them.
func checkOwn(dir string) error {
	if f := ownership.Way(dir); f != nil {
		return f
	}
	for _, path := range Secrets(dir) {
		if f := ownership.Way(path); f != nil {
			return f
		}
		if f := ownership.Private(path); f != nil {
			return leaked(f)
		}
	}
	return nil
}

// leaked adds the further advice for a secret that was readable.
func leaked(f *ownership.Fault) error {
	if filepath.Base(f.Path) != SecretFile {
		return f
	}
	return errors.Join(f, errors.New("if another user may have read it, remove it too: the next start of the server makes a new one, and all tokens and sign-ins end"))
}

// Check returns the reason why no server takes a data directory, nil also for one that is not there yet. Files that other users can
// change, and secrets that they can read, are refused. So is a directory with files that has none of a data directory's: it was
// named by mistake.
func Check(dir string) error {
	_, err := check(dir)
	return err
}

// check is Check, and returns the entries of the directory.
func check(dir string) ([]fs.DirEntry, error) {
	entries, unread := os.ReadDir(dir)
	if name := foreign(entries); name != "" {
		return nil, fmt.Errorf("%s is no data directory: it has %s, and none of the files of one: name another with --data, or an empty one", dir, name)
	}
	if err := checkOwn(dir); err != nil {
		return nil, err
	}
	if errors.Is(unread, fs.ErrNotExist) {
		if target, err := os.Readlink(dir); err == nil {
			return nil, fmt.Errorf("data directory %s is a link to %s, which is not there: make that directory, or name another with --data", dir, target)
		}
		return nil, nil
	}
	if unread != nil {
		return nil, fmt.Errorf("data directory %s cannot be read: %w", dir, file.Reason(dir, unread))
	}
	return entries, nil
}

// Take restricts a data directory to its owner before a server uses it, if [Check] finds no fault. Other files that other users can
// read are closed to them, with a line in the log.
func Take(dir string, logger *slog.Logger) error {
	entries, err := check(dir)
	if err != nil || entries == nil {
		return err
	}
	paths := []string{dir}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if f := ownership.Way(path); f != nil {
			return f
		}
		if !entry.Type().IsRegular() && !entry.IsDir() {
			continue // the target of a link has a mode for a purpose of its own
		}
		paths = append(paths, path)
	}
	for _, path := range paths {
		f := ownership.Private(path)
		if f == nil {
			continue
		}
		if err := ownership.Tighten(path); err != nil {
			return err
		}
		logger.Warn("closed to other users, who could read it", "path", path)
	}
	return nil
}

// foreign returns an entry of a directory that is no data directory, and nothing for one that is,
// or that may become one.
func foreign(entries []fs.DirEntry) string {
	found := ""
	for _, entry := range entries {
		name := entry.Name()
		switch {
		case name == "quire.db", name == "quire.lock", slices.Contains(secretFiles, name):
			return ""
		case name != "lost+found" && !strings.HasPrefix(name, "."): // a file system has the former
			found = name
		}
	}
	return found
}
