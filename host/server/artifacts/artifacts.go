// Package artifacts keeps the bytes that notebooks have outside their logs: it stores them,
// notes which notebook has which, serves them and collects those that no log mentions.
//
// It promises that bytes which a log mentions stay for as long as the notebook does, and that a
// browser executes none of the served bytes. Permission to read or upload is left to the caller.
package artifacts

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

// Storage says where artifacts are stored, and which notebook has which. Without Bytes there
// are none.
type Storage struct {
	Bytes Bytes
	Index Index
	Loose Loose
}

// Bytes stores bytes by their hash, the same bytes once. Its rules, AR1 to AR4, are in
// spec/artifacts.md. The error for an unknown hash is fs.ErrNotExist.
type Bytes interface {
	// Put stores all of r, durably. Ready is called when the hash is known, before bytes of
	// that hash are looked for or stored; its error is returned by Put.
	Put(ctx context.Context, r io.Reader, ready func(event.Artifact) error) (event.Artifact, error)
	// Open opens bytes for reading until ctx ends, and returns how many there are.
	Open(ctx context.Context, hash string) (io.ReadSeekCloser, int64, error)
	Delete(ctx context.Context, hash string) error
	// List calls yield with every hash and the time at which its bytes were put.
	List(ctx context.Context, yield func(hash string, put time.Time) error) error
}

// Index knows which notebook has which artifacts. The error for an artifact that a notebook
// does not have is directory.ErrNotFound.
type Index interface {
	// AddArtifact reports false, and adds nothing, if the notebook would have more than limit bytes.
	AddArtifact(ctx context.Context, notebook string, a event.Artifact, at event.Time, limit int64) (bool, error)
	Artifact(ctx context.Context, notebook, hash string) (event.Artifact, error)
	ArtifactBytes(ctx context.Context, notebook string) (int64, error)
	// MentionArtifacts notes, for ever, that the log may mention artifacts: all of them or none.
	MentionArtifacts(ctx context.Context, notebook string, artifacts []event.Artifact) error
	// CopyArtifacts gives a notebook the artifacts that the log of another mentions.
	CopyArtifacts(ctx context.Context, from, to string, at event.Time) error
}

// Loose knows the artifacts that no log mentions.
type Loose interface {
	// LooseArtifacts returns some of those that were uploaded before a time.
	LooseArtifacts(ctx context.Context, before event.Time) ([]directory.Artifact, error)
	// DropArtifact takes one from its notebook, if it is still loose and still as old.
	DropArtifact(ctx context.Context, a directory.Artifact, before event.Time) error
	// HoldsArtifact reports whether any notebook, deleted or not, has the bytes.
	HoldsArtifact(ctx context.Context, hash string) (bool, error)
}

// Limits bound artifacts.
type Limits struct {
	Artifact int64         // bytes of one
	Notebook int64         // bytes of all of a notebook
	Uploads  int           // of a notebook at once
	Keep     time.Duration // for one that no log mentions to stay
	Collect  time.Duration // between two collections of those
}

// Metrics count artifacts.
type Metrics struct {
	Received, Sent Counter // bytes
	Collected      Counter // artifacts
}

// Counter is a figure that grows.
type Counter interface{ Add(float64) }

// Config has the dependencies and limits of a [Service].
type Config struct {
	Storage
	Limits  Limits
	Metrics Metrics
	Logger  *slog.Logger
	Now     func() event.Time
}

// Service has the artifacts of all notebooks.
type Service struct {
	cfg   Config
	holds holds

	mu       sync.Mutex
	arriving map[string]int // uploads under way, by notebook
}

// New returns the artifacts of a storage.
func New(cfg Config) *Service { return &Service{cfg: cfg, arriving: map[string]int{}} }

// errNone is the answer of a server that stores no artifacts.
func errNone() error {
	return problem.New(protocol.CodeUnavailable, "this server keeps no artifacts")
}

// Put stores the bytes of a reader as an artifact of a notebook.
func (s *Service) Put(ctx context.Context, notebook string, r io.Reader) (event.Artifact, error) {
	if s.cfg.Bytes == nil {
		return event.Artifact{}, errNone()
	}
	release := func() {}
	made, err := s.cfg.Bytes.Put(ctx, r, func(made event.Artifact) error {
		release = s.holds.share(made.Hash) // until the index has it
		return s.fits(ctx, notebook, made)
	})
	defer func() { release() }()
	if err != nil {
		return event.Artifact{}, s.unstored(err)
	}
	added, err := s.cfg.Index.AddArtifact(ctx, notebook, made, s.cfg.Now(), s.cfg.Limits.Notebook)
	if err == nil && !added {
		err = s.tooMuch(made.Size)
	}
	if err != nil {
		return event.Artifact{}, err
	}
	s.cfg.Metrics.Received.Add(float64(made.Size))
	return made, nil
}

// fits refuses an artifact for which the notebook has no space left, before it is stored.
func (s *Service) fits(ctx context.Context, notebook string, made event.Artifact) error {
	has, err := s.cfg.Index.ArtifactBytes(ctx, notebook)
	if err != nil || made.Size <= s.cfg.Limits.Notebook-has {
		return err
	}
	_, err = s.cfg.Index.Artifact(ctx, notebook, made.Hash)
	if errors.Is(err, directory.ErrNotFound) {
		return s.tooMuch(made.Size)
	}
	return err // nil if the notebook has it already
}

func (s *Service) tooMuch(size int64) error {
	return problem.WithStatus(http.StatusRequestEntityTooLarge, protocol.CodeInvalid, fmt.Sprintf(
		"with %d bytes more the artifacts of this notebook would be larger than the %d bytes that this server lets a notebook have", size, s.cfg.Limits.Notebook))
}

// unstored returns the error for a client whose upload could not be stored.
func (s *Service) unstored(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		s.cfg.Logger.Error("artifact not kept", "error", err)
		return problem.New(protocol.CodeUnavailable, "the disk on which the server keeps artifacts is full; try again when there is space")
	}
	return err
}

// Find returns an artifact of a notebook.
func (s *Service) Find(ctx context.Context, notebook, hash string) (event.Artifact, error) {
	if s.cfg.Bytes == nil {
		return event.Artifact{}, errNone()
	}
	found, err := s.cfg.Index.Artifact(ctx, notebook, hash)
	if errors.Is(err, directory.ErrNotFound) {
		err = problem.New(protocol.CodeNotFound, "the notebook has no such artifact")
	}
	return found, err
}

// Mention notes that the log of a notebook is about to mention artifacts. A room calls it before
// it appends the event. The error is room.ErrNoArtifact if the notebook does not have one.
func (s *Service) Mention(ctx context.Context, notebook string, list []event.Artifact) error {
	if s.cfg.Bytes == nil {
		return room.ErrNoArtifact
	}
	err := s.cfg.Index.MentionArtifacts(ctx, notebook, list)
	if errors.Is(err, directory.ErrNotFound) {
		return fmt.Errorf("%w: %w", room.ErrNoArtifact, err)
	}
	if err != nil {
		s.cfg.Logger.Error("artifacts not noted", "notebook", notebook, "error", err)
	}
	return err
}

// Copy gives a notebook the artifacts that the log of another mentions.
func (s *Service) Copy(ctx context.Context, from, to string) error {
	if s.cfg.Bytes == nil {
		return nil
	}
	return s.cfg.Index.CopyArtifacts(ctx, from, to, s.cfg.Now())
}
