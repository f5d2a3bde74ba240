package datadir

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/host/terminal"
)

func TestAServerIsFoundByItsDataDirectoryUntilItWithdraws(t *testing.T) {
	dir := t.TempDir()
	c := &settings.Config{Data: dir}
	here := Running{URL: "http://127.0.0.1:1", Token: "secret", PID: 7, Key: Base64("key")}
	if err := Announce(dir, here); err != nil {
		t.Fatal(err)
	}
	got, err := Discover(c)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(here, got); diff != "" {
		t.Errorf("server (-want +got):\n%s", diff)
	}
	info, err := os.Stat(filepath.Join(dir, ServerFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, %v, want it for nobody else", info.Mode(), err)
	}
	for range 2 {
		if err := Withdraw(dir); err != nil {
			t.Fatal(err)
		}
	}
	wantKind(t, terminal.Unavailable, discoverError(c))
}

func discoverError(c *settings.Config) error {
	_, err := Discover(c)
	return err
}

// wantKind checks the kind of an error.
func wantKind(t *testing.T, want terminal.Kind, err error) {
	t.Helper()
	var f *terminal.Error
	if !errors.As(err, &f) || f.Kind != want {
		t.Errorf("got %v, want an error of kind %d", err, want)
	}
}

func TestWhatIsAskedForCountsMoreThanWhatIsFound(t *testing.T) {
	dir := t.TempDir()
	if err := Announce(dir, Running{URL: "http://found", Token: "found", Key: Base64("key")}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		config settings.Config
		want   Running
	}{
		{"another token", settings.Config{Data: dir, Token: "mine"}, Running{URL: "http://found", Token: "mine", Key: Base64("key")}},
		{"another server, which must not see the token of this one", settings.Config{Data: dir, Server: "http://there"}, Running{URL: "http://there"}},
		{"this server by its URL, which must prove itself", settings.Config{Data: dir, Server: "http://found/", Token: "mine"}, Running{URL: "http://found/", Token: "mine", Key: Base64("key")}},
	} {
		got, err := Discover(&c.config)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", c.name, err, diff)
		}
	}
}

func TestADamagedWordOfAServerIsNoServer(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ServerFile), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantKind(t, terminal.Unavailable, discoverError(&settings.Config{Data: dir}))
	wantKind(t, terminal.Usage, discoverError(&settings.Config{}))
}

func TestTheSecretIsMadeOnceAndForNobodyElse(t *testing.T) {
	dir := t.TempDir()
	first, err := LoadSecret(dir)
	if err != nil || len(first) != SecretSize {
		t.Fatalf("got %d bytes, %v, want %d", len(first), err, SecretSize)
	}
	second, err := LoadSecret(dir)
	if err != nil || string(second) != string(first) {
		t.Errorf("got another secret, %v", err)
	}
	other, err := LoadSecret(t.TempDir())
	if err != nil || string(other) == string(first) {
		t.Errorf("got the same secret for another directory, %v", err)
	}
	path := filepath.Join(dir, SecretFile)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, %v, want it for nobody else", info.Mode(), err)
	}
	for _, damaged := range []string{"", "zz", "00", string(make([]byte, 64))} {
		if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadSecret(dir); err == nil {
			t.Errorf("got no error for the secret %q", damaged)
		}
	}
}

func TestAFileIsReplacedWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, text := range []string{"one", "two"} {
		if err := Write(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("got %q, %v, want %q", got, err, text)
		}
	}
	if err := Write(filepath.Join(dir, "none", "file"), nil); err == nil {
		t.Error("got no error for a directory that is not there")
	}
	target := filepath.Join(dir, "directory")
	if err := os.MkdirAll(filepath.Join(target, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(target, []byte("x")); err == nil {
		t.Error("got no error for a target that is a directory")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("got %v, %v, want no file of a failed attempt left", entries, err)
	}
}
