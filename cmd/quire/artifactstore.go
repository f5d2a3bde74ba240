package main

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/server/artifacts"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/blob"
	"github.com/quirehq/quire/internal/ownership"
)

// checkArtifacts notes the errors of the store of artifacts.
func checkArtifacts(c *settings.ArtifactConfig, wrong *settings.Errors) {
	if !inStore(c.Place) {
		return
	}
	if _, err := blob.ParsePlace(c.Place); err != nil {
		wrong.Add("artifacts", "%v", err)
	}
	if c.Keys.Access == "" || c.Keys.Secret == "" {
		wrong.Add("artifacts", "a store needs keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
}

// inStore reports whether the place of artifacts is a store, and not a folder.
func inStore(place string) bool { return strings.Contains(place, "://") }

// openTime is how long a store may take to answer at the start.
const openTime = 20 * time.Second

// openArtifacts opens the store of the artifacts of the data directory. Uploads under way are always
// in the data directory, or in the folder that they are kept in.
func (h *dataDir) openArtifacts(ctx context.Context, c settings.ArtifactConfig) error {
	dir, owner := filepath.Join(h.dir, "artifacts"), artifactOwner(h.secret)
	if !inStore(c.Place) {
		if f := ownership.Way(cmp.Or(c.Place, dir)); f != nil {
			return f
		}
		disk, err := blob.OpenDisk(ctx, cmp.Or(c.Place, dir), owner)
		h.artifacts = artifacts.Storage{Bytes: disk, Index: h.db, Loose: h.db}
		return err
	}
	place, err := blob.ParsePlace(c.Place)
	if err != nil {
		return err
	}
	place.Region = cmp.Or(place.Region, c.Region)
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	store, err := blob.OpenS3(ctx, place, blob.Keys(c.Keys), filepath.Join(dir, "arriving"), owner)
	if err != nil {
		return err
	}
	h.artifacts = artifacts.Storage{Bytes: store, Index: h.db, Loose: h.db}
	h.closeArtifacts = store.Close
	return nil
}

// artifactOwner returns the name of the owner that the store of artifacts gets. It is
// derived from the secret, which cannot be derived from it.
func artifactOwner(secret []byte) string {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("quire artifacts\x00"))
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// close closes the data directory.
func (h *dataDir) close() error {
	if h.closeArtifacts != nil {
		h.closeArtifacts()
	}
	if h.audit != nil {
		return errors.Join(h.audit.Close(), h.db.Close())
	}
	return h.db.Close()
}

// openArtifacts returns a function that opens the artifacts of a notebook of the server.
func (a *app) openArtifacts(ctx context.Context, notebook string) terminal.OpenArtifact {
	return func(which event.Artifact) (io.ReadCloser, error) {
		c, err := a.client()
		if err != nil {
			return nil, err
		}
		return c.Open(context.WithoutCancel(ctx), client.NotebookPath(notebook)+"/artifacts/"+which.Hash)
	}
}

// artifactsFrom returns a function that opens the artifacts of a source.
func artifactsFrom(ctx context.Context, from artifact.Source) terminal.OpenArtifact {
	return func(which event.Artifact) (io.ReadCloser, error) { return from.Open(context.WithoutCancel(ctx), which) }
}
