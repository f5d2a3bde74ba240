package datadir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConnectionsAreKeptInAFileForItsOwnerOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	c := Connections{Dir: dir}
	if got, err := c.List(); err != nil || len(got) != 0 {
		t.Errorf("got %v and %v, want none at first", got, err)
	}
	for name, address := range map[string]string{
		"shop": "postgres://me:s3cret@host:5432/db?sslpassword=s3cret", "file": "sqlite:/tmp/a.db", "bare": "postgresql://host/db",
	} {
		if err := c.Set(name, address); err != nil {
			t.Fatal(err)
		}
		if got, err := c.URL(name); err != nil || got != address {
			t.Errorf("got %q and %v, want %q", got, err, address)
		}
	}
	got, err := c.List()
	want := []Connection{{"bare", "postgresql://host/db"}, {"file", "sqlite:/tmp/a.db"}, {"shop", "postgres://me@host:5432/db"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("got %v (-want +got):\n%s", err, diff)
	}
	path := filepath.Join(dir, connectionsFile)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v and %v, want a file for its owner only", info, err)
	}
	if err := c.Remove("file"); err != nil {
		t.Error(err)
	}
	if err := c.Remove("file"); err == nil {
		t.Error("got no error of a connection that is removed twice")
	}
	if _, err := c.URL("file"); err == nil || !strings.Contains(err.Error(), "memory, bare, shop") {
		t.Errorf("got %v, want those there are", err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := c.URL("shop"); err == nil || !strings.Contains(err.Error(), "chmod") {
		t.Errorf("got %v, want a file that others read to be refused", err)
	}
}

func TestErrorsOfConnectionsHaveNoSecret(t *testing.T) {
	c := Connections{Dir: t.TempDir()}
	for _, bad := range [][2]string{
		{"shop", "mysql://me:s3cret@host/db"},
		{"shop", "postgres://me:s3cret@[::1/db"},
		{"shop", "postgres://me:s3cret%zz@host/db"},
		{"shop", "host=x password=s3cret"},
		{"Shop", "postgres://me:s3cret@host/db"},
		{"memory", "postgres://me:s3cret@host/db"},
		{"a.b", "sqlite:s3cret"},
		{"", "sqlite:s3cret"},
		{"shop", "s3cret"},
	} {
		if err := c.Set(bad[0], bad[1]); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: got %v", bad[0], err)
		}
	}
	if err := os.WriteFile(filepath.Join(c.Dir, connectionsFile), []byte(`{"a": "postgres://s3cret", "b": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.List(); err == nil || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("got %v, want what to do", err)
	}
}
