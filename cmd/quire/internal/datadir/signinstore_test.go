package datadir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/host/server/signin"
)

func TestSessionsAreKeptInAFileForItsOwnerOnly(t *testing.T) {
	dir := t.TempDir()
	s := Sessions(dir)
	if got, err := s.Load(); err != nil || got != nil {
		t.Errorf("got %v and %v, want none at first", got, err)
	}
	for _, want := range [][]signin.Session{{{Digest: "ab", Ends: 1}, {Digest: "cd", Ends: 2}}, {{Digest: "cd", Ends: 2}}, {}} {
		if err := s.Save(want); err != nil {
			t.Fatal(err)
		}
		got, err := Sessions(dir).Load()
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("got %v (-want +got):\n%s", err, diff)
		}
	}
	path := filepath.Join(dir, sessionsFile)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v and %v, want a file for its owner only", info, err)
	}
	if err := os.WriteFile(path, []byte("["), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("got %v, want what to do", err)
	}
}

func TestSessionsOfAnOlderServerAreReadAsTheyWere(t *testing.T) {
	dir := t.TempDir()
	older := `[{"digest":"ab","ends":1,"half":"cd","began":2}]`
	if err := os.WriteFile(filepath.Join(dir, sessionsFile), []byte(older), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Sessions(dir).Load()
	if diff := cmp.Diff([]signin.Session{{Digest: "ab", Ends: 1, Half: "cd", Began: 2}}, got); err != nil || diff != "" {
		t.Errorf("got %v (-want +got):\n%s", err, diff)
	}
}
