package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
)

func TestAServerIsFoundByItsDataDirectoryUntilItWithdraws(t *testing.T) {
	dir := t.TempDir()
	c := &settings.Config{Data: dir}
	here := running{URL: "http://127.0.0.1:1", Token: "secret", PID: 7, Key: rawBytes("key")}
	if err := announce(dir, here); err != nil {
		t.Fatal(err)
	}
	got, err := discover(c)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(here, got); diff != "" {
		t.Errorf("server (-want +got):\n%s", diff)
	}
	info, err := os.Stat(filepath.Join(dir, serverFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, %v, want it for nobody else", info.Mode(), err)
	}
	for range 2 {
		if err := withdraw(dir); err != nil {
			t.Fatal(err)
		}
	}
	wantCode(t, exitUnavailable, discoverError(c))
}

func discoverError(c *settings.Config) error {
	_, err := discover(c)
	return err
}

// wantCode checks with which code an error makes the process exit.
func wantCode(t *testing.T, want int, err error) {
	t.Helper()
	var f *failure
	if !errors.As(err, &f) || f.code != want {
		t.Errorf("got %v, want an error with exit code %d", err, want)
	}
}

func TestWhatIsAskedForCountsMoreThanWhatIsFound(t *testing.T) {
	dir := t.TempDir()
	if err := announce(dir, running{URL: "http://found", Token: "found", Key: rawBytes("key")}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		config settings.Config
		want   running
	}{
		{"another token", settings.Config{Data: dir, Token: "mine"}, running{URL: "http://found", Token: "mine", Key: rawBytes("key")}},
		{"another server, which must not see the token of this one", settings.Config{Data: dir, Server: "http://there"}, running{URL: "http://there"}},
		{"this server by its URL, which must prove itself", settings.Config{Data: dir, Server: "http://found/", Token: "mine"}, running{URL: "http://found/", Token: "mine", Key: rawBytes("key")}},
	} {
		got, err := discover(&c.config)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", c.name, err, diff)
		}
	}
}

func TestADamagedWordOfAServerIsNoServer(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, serverFile), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantCode(t, exitUnavailable, discoverError(&settings.Config{Data: dir}))
	wantCode(t, exitUsage, discoverError(&settings.Config{}))
}

func TestTheSecretIsMadeOnceAndForNobodyElse(t *testing.T) {
	dir := t.TempDir()
	first, err := loadSecret(dir)
	if err != nil || len(first) != secretSize {
		t.Fatalf("got %d bytes, %v, want %d", len(first), err, secretSize)
	}
	second, err := loadSecret(dir)
	if err != nil || string(second) != string(first) {
		t.Errorf("got another secret, %v", err)
	}
	other, err := loadSecret(t.TempDir())
	if err != nil || string(other) == string(first) {
		t.Errorf("got the same secret for another directory, %v", err)
	}
	path := filepath.Join(dir, secretFile)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, %v, want it for nobody else", info.Mode(), err)
	}
	for _, damaged := range []string{"", "zz", "00", string(make([]byte, 64))} {
		if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := loadSecret(dir); err == nil {
			t.Errorf("got no error for the secret %q", damaged)
		}
	}
}

func TestAFileIsReplacedWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, text := range []string{"one", "two"} {
		if err := writeFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("got %q, %v, want %q", got, err, text)
		}
	}
	if err := writeFile(filepath.Join(dir, "none", "file"), nil, 0o600); err == nil {
		t.Error("got no error for a directory that is not there")
	}
	target := filepath.Join(dir, "directory")
	if err := os.MkdirAll(filepath.Join(target, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(target, []byte("x"), 0o600); err == nil {
		t.Error("got no error for a target that is a directory")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("got %v, %v, want no file of a failed attempt left", entries, err)
	}
}
