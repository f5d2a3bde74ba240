// Package artifactstore opens the store of artifacts that a server is set to have: a folder, or a bucket of a service that speaks the
// protocol of Amazon S3, whose keys no program of a notebook gets.
package artifactstore

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/host/server/artifacts"
	"github.com/quirehq/quire/internal/blob"
	"github.com/quirehq/quire/internal/ownership"
	"github.com/quirehq/quire/internal/sqlite"
)

// Check notes the errors of the store of artifacts.
func Check(c *settings.ArtifactConfig, wrong *settings.Errors) {
	if !IsStore(c.Place) {
		return
	}
	if _, err := blob.ParsePlace(c.Place); err != nil {
		wrong.Add("artifacts", "%v", err)
	}
	if c.Keys.Access == "" || c.Keys.Secret == "" {
		wrong.Add("artifacts", "a store needs keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
}

// IsStore reports whether the place of artifacts is a store, and not a folder.
func IsStore(place string) bool { return strings.Contains(place, "://") }

// openTime is how long a store may take to answer at the start.
const openTime = 20 * time.Second

// Open opens the store of the artifacts of a data directory, whose secret names the owner of the store. Uploads under way are
// always in the data directory, or in the folder that they are kept in. Leave is to be called once, when nothing uses the store.
func Open(ctx context.Context, dir string, secret []byte, index *sqlite.DB, c settings.ArtifactConfig) (store artifacts.Storage, leave func(), err error) {
	dir, owner := filepath.Join(dir, "artifacts"), ownerOf(secret)
	if !IsStore(c.Place) {
		if f := ownership.Way(cmp.Or(c.Place, dir)); f != nil {
			return store, nil, f
		}
		disk, err := blob.OpenDisk(ctx, cmp.Or(c.Place, dir), owner)
		return artifacts.Storage{Bytes: disk, Index: index, Loose: index}, func() {}, err
	}
	place, err := blob.ParsePlace(c.Place)
	if err != nil {
		return store, nil, err
	}
	place.Region = cmp.Or(place.Region, c.Region)
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	s3, err := blob.OpenS3(ctx, place, blob.Keys(c.Keys), filepath.Join(dir, "arriving"), owner)
	if err != nil {
		return store, nil, err
	}
	return artifacts.Storage{Bytes: s3, Index: index, Loose: index}, s3.Close, nil
}

// ownerOf returns the name of the owner that the store of artifacts gets. It is
// derived from the secret, which cannot be derived from it.
func ownerOf(secret []byte) string {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("quire artifacts\x00"))
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// WithoutKeys returns an environment without the keys of the store, with which a
// program that a notebook runs could read the artifacts of all others.
func WithoutKeys(place string, environ []string) []string {
	if !IsStore(place) {
		return environ
	}
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return name == "AWS_ACCESS_KEY_ID" || name == "AWS_SECRET_ACCESS_KEY" || name == "AWS_SESSION_TOKEN"
	})
}
