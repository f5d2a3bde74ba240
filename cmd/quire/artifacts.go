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
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/server/artifacts"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/blob"
	"github.com/quirehq/quire/internal/ownership"
)

// artifactTexts say where a server keeps artifacts and how large they may be, as it
// was set.
type artifactTexts struct {
	Place    string // a folder, or a place in a store
	Size     string // of one
	Notebook string // of all of a notebook
	Region   string // of a place that does not say it
	Keys     blob.Keys
}

// artifactTextsOf returns what the environment says. What is called AWS is what all
// programs that use such a store read.
func artifactTextsOf(getenv func(string) string) artifactTexts {
	return artifactTexts{
		Place:    getenv("QUIRE_ARTIFACTS"),
		Size:     cmp.Or(getenv("QUIRE_ARTIFACT_SIZE"), "1G"),
		Notebook: cmp.Or(getenv("QUIRE_NOTEBOOK_ARTIFACTS"), "10G"),
		Region:   cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION")),
		Keys: blob.Keys{
			Access: getenv("AWS_ACCESS_KEY_ID"), Secret: getenv("AWS_SECRET_ACCESS_KEY"), Session: getenv("AWS_SESSION_TOKEN"),
		},
	}
}

// addTo adds the flags to those of a command.
func (t *artifactTexts) addTo(flags *pflag.FlagSet) {
	stringFlag(flags, &t.Place, "artifacts", "PLACE", "where large outputs and files are kept (QUIRE_ARTIFACTS): a folder, or s3://BUCKET/PREFIX?endpoint=URL&region=NAME; default: artifacts in the data directory")
	stringFlag(flags, &t.Size, "artifact-size", "SIZE", "how large one of them may be (QUIRE_ARTIFACT_SIZE); default: 1G")
	stringFlag(flags, &t.Notebook, "notebook-artifacts", "SIZE", "how large all of a notebook's may be together (QUIRE_NOTEBOOK_ARTIFACTS); default: 10G")
}

// set sets what a server keeps to, and notes what is wrong with it.
func (t *artifactTexts) set(l *server.Limits, wrong *configErrors) {
	var err error
	if l.Artifact, err = parseSize(t.Size); err != nil {
		wrong.add("artifact-size", "QUIRE_ARTIFACT_SIZE", "%v", err)
	}
	if l.NotebookArtifacts, err = parseSize(t.Notebook); err != nil {
		wrong.add("notebook-artifacts", "QUIRE_NOTEBOOK_ARTIFACTS", "%v", err)
	}
	if !t.inStore() {
		return
	}
	if _, err := blob.ParsePlace(t.Place); err != nil {
		wrong.add("artifacts", "QUIRE_ARTIFACTS", "%v", err)
	}
	if t.Keys.Access == "" || t.Keys.Secret == "" {
		wrong.add("artifacts", "QUIRE_ARTIFACTS", "a store needs keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
}

// inStore reports whether artifacts are in a store, and not in a folder.
func (t *artifactTexts) inStore() bool { return strings.Contains(t.Place, "://") }

// withoutKeys returns an environment without the keys of the store, with which a
// program that a notebook runs could read the artifacts of all others.
func (t *artifactTexts) withoutKeys(environ []string) []string {
	if !t.inStore() {
		return environ
	}
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return name == "AWS_ACCESS_KEY_ID" || name == "AWS_SECRET_ACCESS_KEY" || name == "AWS_SESSION_TOKEN"
	})
}

// openTime is how long a store may take to answer at the start.
const openTime = 20 * time.Second

// openArtifacts opens the store of the artifacts of the data directory. Uploads under way are always
// in the data directory, or in the folder that they are kept in.
func (h *dataDir) openArtifacts(ctx context.Context, t artifactTexts) error {
	dir, owner := filepath.Join(h.dir, "artifacts"), artifactOwner(h.secret)
	if !t.inStore() {
		if f := ownership.Way(cmp.Or(t.Place, dir)); f != nil {
			return f
		}
		disk, err := blob.OpenDisk(ctx, cmp.Or(t.Place, dir), owner)
		h.artifacts = artifacts.Storage{Bytes: disk, Index: h.db, Loose: h.db}
		return err
	}
	place, err := blob.ParsePlace(t.Place)
	if err != nil {
		return err
	}
	place.Region = cmp.Or(place.Region, t.Region)
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	store, err := blob.OpenS3(ctx, place, t.Keys, filepath.Join(dir, "arriving"), owner)
	if err != nil {
		return err
	}
	h.artifacts = artifacts.Storage{Bytes: store, Index: h.db, Loose: h.db}
	h.closeArtifacts = store.Close
	return nil
}

// artifactOwner returns what the place of the artifacts is told of whose it is. It
// follows from the secret, and nothing follows from it.
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
		return errors.Join(h.audit.close(), h.db.Close())
	}
	return h.db.Close()
}

// openArtifacts returns what opens the artifacts of a notebook of the server.
func (a *app) openArtifacts(ctx context.Context, notebook string) terminal.OpenArtifact {
	return func(which event.Artifact) (io.ReadCloser, error) {
		c, err := a.client()
		if err != nil {
			return nil, err
		}
		return c.open(context.WithoutCancel(ctx), notebookPath(notebook)+"/artifacts/"+which.Hash)
	}
}

// artifactsFrom returns what opens the artifacts that a source has.
func artifactsFrom(ctx context.Context, from artifact.Source) terminal.OpenArtifact {
	return func(which event.Artifact) (io.ReadCloser, error) { return from.Open(context.WithoutCancel(ctx), which) }
}
