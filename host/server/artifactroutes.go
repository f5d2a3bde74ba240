package server

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/csp"
	"github.com/quirehq/quire/host/server/problem"
	"github.com/quirehq/quire/host/server/transfer"
)

// anyType is the type of a body of which the type does not matter. Its endpoint
// bounds it.
const anyType = "*/*"

func (s *Server) uploadArtifact() endpoint {
	e := typed(http.StatusCreated, func(c *call, _ none) (event.Artifact, error) {
		limit := s.artifacts.limits.Artifact
		if c.r.ContentLength > limit {
			return event.Artifact{}, s.artifacts.tooLarge()
		}
		left, ok := s.artifacts.arrive(c.book.ID)
		if !ok {
			return event.Artifact{}, problem.TooMany(c.w, problem.RetrySoon, fmt.Sprintf("the notebook has %d uploads under way; try again when one has ended", s.artifacts.limits.Uploads))
		}
		defer left()
		body := &upload{r: http.MaxBytesReader(c.w, c.r.Body, limit), deadlines: transfer.DeadlinesOf(c.w)}
		made, err := s.artifacts.put(c.r.Context(), c.book.ID, body)
		if err == nil || body.err == nil {
			return made, err
		}
		if _, large := errors.AsType[*http.MaxBytesError](body.err); large {
			return made, s.artifacts.tooLarge()
		}
		return made, problem.New(protocol.CodeInvalid, "the upload ended before all of it was there; send it again")
	})
	e.accepts = []string{anyType}
	return e
}

// upload is a body that may take as long as it likes while it comes.
type upload struct {
	r         io.Reader
	deadlines transfer.Deadlines
	err       error // that the client, not we, made
}

// Read implements [io.Reader].
func (u *upload) Read(p []byte) (int, error) {
	u.deadlines.Extend()
	n, err := u.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		u.err = err
	}
	return n, err
}

func (s *Server) downloadArtifact() endpoint {
	return ranged(func(c *call) error {
		found, err := s.artifacts.find(c.r.Context(), c.book.ID, c.r.PathValue("hash"))
		if err != nil {
			return err
		}
		return s.artifacts.send(c, delivery{Artifact: found, asked: c.r.FormValue("type"), name: c.r.FormValue("name"), keep: 365 * 24 * time.Hour})
	})
}

func (s *Server) linkArtifact(c *call, in NewArtifactLink) (ArtifactLink, error) {
	found, err := s.artifacts.find(c.r.Context(), c.book.ID, c.r.PathValue("hash"))
	if err != nil {
		return ArtifactLink{}, err
	}
	if len(in.Type) > maxTypeName {
		return ArtifactLink{}, problem.New(protocol.CodeInvalid, fmt.Sprintf("type must have at most %d bytes", maxTypeName))
	}
	l := linked{Notebook: c.book.ID, Hash: found.Hash, Type: in.Type, Name: transfer.FileName(in.Name)}
	l.Expires = s.cfg.Now().Add(s.cfg.Limits.Link).Unix()
	link, err := signLink(s.cfg.Signer, forArtifact, l)
	return ArtifactLink{URL: csp.ArtifactsPath + link, Expires: time.Unix(l.Expires, 0).UTC()}, err
}

// maxTypeName is how long the name of a type may be.
const maxTypeName = 255

// followLink answers with what a link leads to. Outputs are shown in an origin of
// their own, and load pictures, sounds and fonts like strangers: the link is what
// lets them.
func (s *Server) followLink() endpoint {
	e := ranged(func(c *call) error {
		l, err := readLink[linked](s.cfg.Signer, forArtifact, c.r.PathValue("link"), s.cfg.Now())
		if err != nil {
			return err
		}
		ctx := c.r.Context()
		found, err := s.artifacts.find(ctx, l.Notebook, l.Hash)
		if err != nil {
			return err
		}
		if book, err := s.cfg.Directory.Notebook(ctx, l.Notebook); err != nil || book.Deleted != 0 {
			return errors.Join(err, directory.ErrNotFound)
		}
		left := time.Unix(l.Expires, 0).Sub(s.cfg.Now())
		return s.artifacts.send(c, delivery{Artifact: found, asked: l.Type, name: l.Name, keep: left, strangers: true})
	})
	e.missing = true
	return e
}

// ranged is an endpoint of bytes, of which a request may want a part.
func ranged(serve func(*call) error) endpoint {
	return endpoint{status: http.StatusOK, gives: anyType, ranged: true, serve: serve}
}
