package blob_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quirehq/quire/internal/blob"
	"github.com/quirehq/quire/internal/blob/blobtest"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childPut); dir != "" {
		putInput(dir)
	}
	if os.Getenv(childStore) != "" {
		serveStore()
	}
	goleak.VerifyTestMain(m)
}

func TestDiskKeepsTheRulesOfArtifacts(t *testing.T) {
	blobtest.Suite(t, func(t *testing.T) (blobtest.Store, func() int) {
		dir := t.TempDir()
		return openDisk(t, dir), func() int { return files(t, filepath.Join(dir, "arriving")) }
	})
}

func TestS3KeepsTheRulesOfArtifacts(t *testing.T) {
	place, tests := startStore(t), 0
	blobtest.Suite(t, func(t *testing.T) (blobtest.Store, func() int) {
		tests++
		own, dir := place, t.TempDir()
		own.Prefix = fmt.Sprintf("%stest-%d/", place.Prefix, tests)
		return openS3(t, own, dir), func() int { return files(t, dir) }
	})
}

func openDisk(t *testing.T, dir string) *blob.Disk {
	t.Helper()
	d, err := blob.OpenDisk(t.Context(), dir, "ada")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// files returns the number of files in a folder.
func files(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func openS3(t *testing.T, place blob.Place, dir string) *blob.S3 {
	t.Helper()
	s, err := blob.OpenS3(t.Context(), place, blob.Keys{Access: "a", Secret: "s"}, dir, "ada")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestAR2WhatWasArrivingWhenTheProcessEndedIsRemovedAtTheNextStart(t *testing.T) {
	dir := t.TempDir()
	d := openDisk(t, dir)
	a, err := d.Put(t.Context(), strings.NewReader("whole"), nil)
	if err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(dir, "arriving", "arriving-1")
	if err := os.WriteFile(half, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	next := openDisk(t, dir)
	if got := files(t, filepath.Join(dir, "arriving")); got != 0 {
		t.Errorf("got %d files that are arriving, want none", got)
	}
	r, _, err := next.Open(t.Context(), a.Hash)
	if err != nil {
		t.Fatalf("what was whole: %v", err)
	}
	_ = r.Close()
}

func TestFilesAreForTheirOwnerOnly(t *testing.T) {
	dir := t.TempDir()
	if _, err := openDisk(t, dir).Put(t.Context(), strings.NewReader("x"), nil); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: got mode %v, want none for others", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFilesThatAreNoArtifactsAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	d := openDisk(t, dir)
	for _, name := range []string{"aa/note", "zz", "note"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := d.List(t.Context(), func(hash string, _ time.Time) error {
		t.Errorf("got %s", hash)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAR4AnotherServersPlaceIsRefused(t *testing.T) {
	dir, place := t.TempDir(), startStore(t)
	openDisk(t, dir)
	openDisk(t, dir)
	openS3(t, place, t.TempDir())
	openS3(t, place, t.TempDir())
	_, disk := blob.OpenDisk(t.Context(), dir, "bob")
	_, s3 := blob.OpenS3(t.Context(), place, blob.Keys{Access: "a", Secret: "s"}, t.TempDir(), "bob")
	for _, err := range []error{disk, s3} {
		if err == nil || !strings.Contains(err.Error(), "another server") {
			t.Errorf("got %v, want that it is another server's", err)
		}
	}
}
