package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/host/server/problem"
)

// Artifacts says where artifacts are kept, and which notebook has which. Without
// Bytes there are none.
type Artifacts struct {
	Bytes ArtifactBytes
	Index ArtifactIndex
	Loose LooseArtifacts
}

// ArtifactBytes keeps bytes by their hash, the same bytes once. Its rules, AR1 to AR4,
// are in spec/artifacts.md. A hash under which there is nothing is fs.ErrNotExist.
type ArtifactBytes interface {
	// Put keeps all of r, durably. Ready is called when the hash is known and before
	// anything is looked for under it or kept there; its error is Put's.
	Put(ctx context.Context, r io.Reader, ready func(event.Artifact) error) (event.Artifact, error)
	// Open opens bytes for reading until ctx ends, and returns how many there are.
	Open(ctx context.Context, hash string) (io.ReadSeekCloser, int64, error)
	Delete(ctx context.Context, hash string) error
	// List calls yield with every hash and when its bytes were put.
	List(ctx context.Context, yield func(hash string, put time.Time) error) error
}

// ArtifactIndex knows which notebook has which artifacts. What it lacks is
// directory.ErrNotFound.
type ArtifactIndex interface {
	// AddArtifact reports false when with it the notebook had more than limit bytes.
	AddArtifact(ctx context.Context, notebook string, a event.Artifact, at event.Time, limit int64) (bool, error)
	Artifact(ctx context.Context, notebook, hash string) (event.Artifact, error)
	ArtifactBytes(ctx context.Context, notebook string) (int64, error)
	// MentionArtifacts notes, for ever, that the log may mention them: all or none.
	MentionArtifacts(ctx context.Context, notebook string, artifacts []event.Artifact) error
	// CopyArtifacts gives a notebook what the log of another mentions.
	CopyArtifacts(ctx context.Context, from, to string, at event.Time) error
}

// LooseArtifacts knows of artifacts that no log mentions.
type LooseArtifacts interface {
	// LooseArtifacts returns some of those that were uploaded before a time.
	LooseArtifacts(ctx context.Context, before event.Time) ([]directory.Artifact, error)
	// DropArtifact takes one from its notebook, if it is loose and as old still.
	DropArtifact(ctx context.Context, a directory.Artifact, before event.Time) error
	// HoldsArtifact reports whether any notebook has the bytes, deleted or not.
	HoldsArtifact(ctx context.Context, hash string) (bool, error)
}

// artifacts are the artifacts of all notebooks.
type artifacts struct {
	Artifacts
	limits  Limits
	log     *slog.Logger
	metrics *Metrics
	now     func() event.Time
	holds   holds

	mu       sync.Mutex
	arriving map[string]int // how many there are for a notebook
}

func newArtifacts(cfg Config) *artifacts {
	return &artifacts{
		Artifacts: cfg.Artifacts, limits: cfg.Limits, log: cfg.Logger, metrics: cfg.Metrics,
		now: cfg.stamp, arriving: map[string]int{},
	}
}

// errNoArtifacts is the answer of a server that keeps none.
func errNoArtifacts() error {
	return problem.New(protocol.CodeUnavailable, "this server keeps no artifacts")
}

// put keeps the bytes of a reader as an artifact of a notebook.
func (a *artifacts) put(ctx context.Context, notebook string, r io.Reader) (event.Artifact, error) {
	if a.Bytes == nil {
		return event.Artifact{}, errNoArtifacts()
	}
	release := func() {}
	made, err := a.Bytes.Put(ctx, r, func(made event.Artifact) error {
		release = a.holds.keep(made.Hash) // until the notebook has it
		return a.fits(ctx, notebook, made)
	})
	defer func() { release() }()
	if err != nil {
		return event.Artifact{}, a.unkept(err)
	}
	added, err := a.Index.AddArtifact(ctx, notebook, made, a.now(), a.limits.NotebookArtifacts)
	if err == nil && !added {
		err = a.tooMuch(made.Size)
	}
	if err != nil {
		return event.Artifact{}, err
	}
	a.metrics.received.Add(float64(made.Size))
	return made, nil
}

// fits refuses what the notebook has no room for before it is kept.
func (a *artifacts) fits(ctx context.Context, notebook string, made event.Artifact) error {
	has, err := a.Index.ArtifactBytes(ctx, notebook)
	if err != nil || made.Size <= a.limits.NotebookArtifacts-has {
		return err
	}
	_, err = a.Index.Artifact(ctx, notebook, made.Hash)
	if errors.Is(err, directory.ErrNotFound) {
		return a.tooMuch(made.Size)
	}
	return err // nothing if the notebook has it already
}

func (a *artifacts) tooMuch(size int64) error {
	return problem.WithStatus(http.StatusRequestEntityTooLarge, protocol.CodeInvalid, fmt.Sprintf(
		"with %d bytes more the artifacts of this notebook would be larger than the %d bytes that this server lets a notebook have", size, a.limits.NotebookArtifacts))
}

func (a *artifacts) tooLarge() error {
	return problem.WithStatus(http.StatusRequestEntityTooLarge, protocol.CodeInvalid, fmt.Sprintf(
		"an artifact may have at most %d bytes on this server", a.limits.Artifact))
}

// unkept makes an error for people of one with which nothing was kept.
func (a *artifacts) unkept(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		a.log.Error("artifact not kept", "error", err)
		return problem.New(protocol.CodeUnavailable, "the disk on which the server keeps artifacts is full; try again when there is space")
	}
	return err
}

// find returns an artifact of a notebook.
func (a *artifacts) find(ctx context.Context, notebook, hash string) (event.Artifact, error) {
	if a.Bytes == nil {
		return event.Artifact{}, errNoArtifacts()
	}
	found, err := a.Index.Artifact(ctx, notebook, hash)
	if errors.Is(err, directory.ErrNotFound) {
		err = problem.New(protocol.CodeNotFound, "the notebook has no such artifact")
	}
	return found, err
}

// mention is what the room of a notebook calls before an event mentions artifacts.
func (a *artifacts) mention(notebook string) func(context.Context, []event.Artifact) error {
	return func(ctx context.Context, list []event.Artifact) error {
		if a.Bytes == nil {
			return room.ErrNoArtifact
		}
		err := a.Index.MentionArtifacts(ctx, notebook, list)
		if errors.Is(err, directory.ErrNotFound) {
			return fmt.Errorf("%w: %w", room.ErrNoArtifact, err)
		}
		if err != nil {
			a.log.Error("artifacts not noted", "notebook", notebook, "error", err)
		}
		return err
	}
}

// arrive counts an upload in, unless the notebook has as many under way as it may.
func (a *artifacts) arrive(notebook string) (left func(), ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.arriving[notebook] >= a.limits.Uploads {
		return nil, false
	}
	a.arriving[notebook]++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.arriving[notebook]--; a.arriving[notebook] == 0 {
			delete(a.arriving, notebook)
		}
	}, true
}
