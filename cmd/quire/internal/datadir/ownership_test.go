//go:build unix

package datadir

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/internal/ownership"
)

// dataWith makes a data directory with a mode, and in it a file or a folder with another.
func dataWith(t *testing.T, mode os.FileMode, name string, its os.FileMode) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	err := os.Mkdir(dir, 0o700)
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "quire.lock"), nil, 0o600))
	path := filepath.Join(dir, name)
	if strings.HasSuffix(name, "/") {
		err = errors.Join(err, os.Mkdir(path, 0o700))
	} else if name != "" {
		err = errors.Join(err, os.WriteFile(path, nil, 0o600))
	}
	if name != "" {
		err = errors.Join(err, os.Chmod(path, its))
	}
	if err = errors.Join(err, os.Chmod(dir, mode)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestADataDirectoryThatOthersCanChangeIsRefused(t *testing.T) {
	for _, c := range []struct {
		mode os.FileMode
		name string
		its  os.FileMode
		want string // of the refusal, empty if it is taken
	}{
		{0o700, "", 0, ""},
		{0o755, "", 0, ""},
		{0o777, "", 0, "chmod go-w"},
		{0o757, "", 0, "chmod go-w"},
		{0o777 | os.ModeSticky, "", 0, "chmod go-w"},
		{0o700, "secret", 0o600, ""},
		{0o700, "secret", 0o644, "remove it too"},
		{0o700, "secret", 0o604, "chmod go-rwx"},
		{0o700, "secret", 0o602, "chmod go-w"},
		{0o700, "sessions.json", 0o644, "chmod go-rwx"},
		{0o700, "server.json", 0o644, "chmod go-rwx"},
		{0o755, "quire.db", 0o644, ""},
		{0o700, "quire.db", 0o646, "chmod go-w"},
		{0o700, "quire.db-wal", 0o606, "chmod go-w"},
		{0o755, "artifacts/", 0o755, ""},
		{0o700, "artifacts/", 0o777, "chmod go-w"},
		{0o700, "limits/", 0o703, "chmod go-w"},
	} {
		dir := dataWith(t, c.mode, c.name, c.its)
		err := Take(dir, slog.New(slog.DiscardHandler))
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%o with %s %o: got %v, want %q", c.mode, c.name, c.its, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%o with %s %o: got %v", c.mode, c.name, c.its, err)
		}
		if f := ownership.Private(dir); f != nil {
			t.Errorf("%o with %s %o: got %v after it was tightened", c.mode, c.name, c.its, f)
		}
	}
}

func TestADirectoryOfOtherFilesIsLeftAsItIs(t *testing.T) {
	for name, want := range map[string]bool{"index.html": false, "artifacts/": false, ".cache/": true, "lost+found/": true} {
		dir := dataWith(t, 0o755, name, 0o755)
		if err := os.Remove(filepath.Join(dir, "quire.lock")); err != nil {
			t.Fatal(err)
		}
		err := Take(dir, slog.New(slog.DiscardHandler))
		if taken := err == nil; taken != want || !taken && !strings.Contains(err.Error(), "is no data directory: it has "+strings.TrimSuffix(name, "/")) {
			t.Errorf("%s: got %v, want it taken: %t", name, err, want)
		}
		info, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		if untouched := info.Mode().Perm() == 0o755; untouched == want {
			t.Errorf("%s: the directory has mode %o, want it closed: %t", name, info.Mode().Perm(), want)
		}
	}
}

func TestADataDirectoryOfAnotherUserIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	for _, name := range []string{"", "secret", "quire.db", "artifacts/"} {
		dir := dataWith(t, 0o700, name, 0o700)
		if err := os.Chown(filepath.Join(dir, name), 12345, 12345); err != nil {
			t.Fatal(err)
		}
		err := Take(dir, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), "another user (12345)") {
			t.Errorf("%q: got %v, want that it is another user's", name, err)
		}
	}
}

func TestCommandsBelieveNoDataDirectoryThatOthersCanChange(t *testing.T) {
	var c settings.Config
	c.Data = dataWith(t, 0o700, "", 0)
	if err := Announce(c.Data, Running{URL: "http://127.0.0.1:1", Token: "t", PID: 1, Key: Base64("key")}); err != nil {
		t.Fatal(err)
	}
	if _, err := Discover(&c); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{c.Data: 0o777, filepath.Join(c.Data, ServerFile): 0o644, filepath.Dir(c.Data): 0o777} {
		info, err := os.Stat(path)
		if err == nil {
			err = os.Chmod(path, mode)
		}
		if err != nil {
			t.Fatal(err)
		}
		if r, err := Discover(&c); err == nil || !strings.Contains(err.Error(), "chmod") {
			t.Errorf("%s: got %+v and %v, want a refusal", path, r, err)
		}
		if err := os.Chmod(path, info.Mode()); err != nil {
			t.Fatal(err)
		}
	}
}
