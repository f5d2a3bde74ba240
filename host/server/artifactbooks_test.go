package server_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"testing"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/server/artifacts"
	"github.com/quirehq/quire/internal/blob"
	"github.com/quirehq/quire/internal/sqlite"
)

// artifactBooks is the index of a database that knows every notebook. The directory
// of these tests is another one, in memory.
type artifactBooks struct{ *sqlite.DB }

func (b artifactBooks) AddArtifact(ctx context.Context, notebook string, a event.Artifact, at event.Time, limit int64) (bool, error) {
	if err := b.know(ctx, notebook); err != nil {
		return false, err
	}
	return b.DB.AddArtifact(ctx, notebook, a, at, limit)
}

func (b artifactBooks) CopyArtifacts(ctx context.Context, from, to string, at event.Time) error {
	if err := b.know(ctx, to); err != nil {
		return err
	}
	return b.DB.CopyArtifacts(ctx, from, to, at)
}

func (b artifactBooks) know(ctx context.Context, notebook string) error {
	err := b.CreateNotebook(ctx, directory.Notebook{ID: notebook, Owner: "owner"})
	if errors.Is(err, directory.ErrExists) {
		return nil
	}
	return err
}

// withArtifacts gives a server artifacts in a folder. The same folder gives the same.
func withArtifacts(t *testing.T, dir string) func(*server.Config) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Config{Dir: filepath.Join(dir, "db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.UpsertPerson(t.Context(), directory.Person{ID: "owner"}); err != nil {
		t.Fatal(err)
	}
	disk, err := blob.OpenDisk(t.Context(), filepath.Join(dir, "artifacts"), "test")
	if err != nil {
		t.Fatal(err)
	}
	return func(c *server.Config) {
		c.Artifacts = artifacts.Storage{Bytes: disk, Index: artifactBooks{db}, Loose: db}
	}
}

// newArtifactWorld starts a server with artifacts and a notebook b1.
func newArtifactWorld(t *testing.T, changes ...func(*server.Config)) *world {
	t.Helper()
	w := newWorld(t, append([]func(*server.Config){withArtifacts(t, t.TempDir())}, changes...)...)
	w.book("b1")
	return w
}

// artifactOf returns the artifact that bytes are.
func artifactOf(data string) event.Artifact {
	sum := sha256.Sum256([]byte(data))
	return event.Artifact{Hash: hex.EncodeToString(sum[:]), Size: int64(len(data))}
}

// upload makes an artifact of a notebook.
func (w *world) upload(t *testing.T, book, data string) event.Artifact {
	t.Helper()
	var a event.Artifact
	w.do(t, uploadOf(book, data)).want(t, 201).into(t, &a)
	if want := artifactOf(data); a != want {
		t.Errorf("got %v, want %v", a, want)
	}
	return a
}

func uploadOf(book, data string) request {
	return request{
		method: "POST", path: "/api/notebooks/" + book + "/artifacts", token: ownerToken, body: data,
		header: map[string]string{"Content-Type": "text/html"}, // which does not matter
	}
}

func download(book string, a event.Artifact, query string) request {
	return request{method: "GET", path: "/api/notebooks/" + book + "/artifacts/" + a.Hash + query, token: ownerToken}
}

// png is the beginning of a picture of one pixel.
const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"
