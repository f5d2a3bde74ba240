package server

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/artifacts"
	"github.com/quirehq/quire/host/server/csp"
	"github.com/quirehq/quire/host/server/problem"
	"github.com/quirehq/quire/host/server/transfer"
)

// anyType is the type of a body whose type does not matter. Its endpoint bounds the body.
const anyType = "*/*"

func (s *Server) uploadArtifact() endpoint {
	e := typed(http.StatusCreated, func(c *call, _ none) (event.Artifact, error) {
		return s.artifacts.Upload(c.w, c.r, c.book.ID)
	})
	e.accepts = []string{anyType}
	return e
}

func (s *Server) downloadArtifact() endpoint {
	return ranged(func(c *call) error {
		found, err := s.artifacts.Find(c.r.Context(), c.book.ID, c.r.PathValue("hash"))
		if err != nil {
			return err
		}
		return s.artifacts.Send(c.w, c.r, artifacts.Delivery{Artifact: found, Type: c.r.FormValue("type"), Name: c.r.FormValue("name"), Keep: 365 * 24 * time.Hour})
	})
}

// NewArtifactLink asks for a link to an artifact.
type NewArtifactLink struct {
	Type string `json:"type,omitempty" jsonschema:"of the content, such as image/png; it is served as that if the bytes look like it"`
	Name string `json:"name,omitempty" jsonschema:"of the file, if it is saved"`
}

// ArtifactLink is a link by which anyone can read an artifact until it expires.
type ArtifactLink struct {
	URL     string    `json:"url" jsonschema:"a path on this server"`
	Expires time.Time `json:"expires"`
}

// linked is the content of a link to an artifact. Its signature makes it trustworthy.
type linked struct {
	Notebook string `json:"n"`
	Hash     string `json:"h"`
	Type     string `json:"t,omitempty"`
	Name     string `json:"f,omitempty"`
	Expires  int64  `json:"e"` // seconds since 1970
}

func (l linked) until() int64 { return l.Expires }

// forArtifact is the purpose that links to artifacts are signed for.
const forArtifact = "artifact"

// maxTypeName bounds the name of a type.
const maxTypeName = 255

func (s *Server) linkArtifact(c *call, in NewArtifactLink) (ArtifactLink, error) {
	found, err := s.artifacts.Find(c.r.Context(), c.book.ID, c.r.PathValue("hash"))
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

// followLink answers with the artifact of a link. Outputs are shown in an opaque origin, from
// which they load pictures, sounds and fonts as a stranger would: the link authorises them.
func (s *Server) followLink() endpoint {
	e := ranged(func(c *call) error {
		l, err := readLink[linked](s.cfg.Signer, forArtifact, c.r.PathValue("link"), s.cfg.Now())
		if err != nil {
			return err
		}
		ctx := c.r.Context()
		found, err := s.artifacts.Find(ctx, l.Notebook, l.Hash)
		if err != nil {
			return err
		}
		if book, err := s.cfg.Directory.Notebook(ctx, l.Notebook); err != nil || book.Deleted != 0 {
			return errors.Join(err, directory.ErrNotFound)
		}
		left := time.Unix(l.Expires, 0).Sub(s.cfg.Now())
		return s.artifacts.Send(c.w, c.r, artifacts.Delivery{Artifact: found, Type: l.Type, Name: l.Name, Keep: left, Open: true})
	})
	e.missing = true
	return e
}

// ranged is an endpoint of bytes, of which a request may ask for a range.
func ranged(serve func(*call) error) endpoint {
	return endpoint{status: http.StatusOK, gives: anyType, ranged: true, serve: serve}
}
