package server

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
)

// NewNotebook requests a notebook, or another title for one.
type NewNotebook struct {
	Title string `json:"title" jsonschema:"1 to 1024 bytes"`
}

// newID returns an unguessable name for a notebook.
func newID() string { return strings.ToLower(rand.Text()[:20]) }

func (s *Server) createNotebook(c *call, in NewNotebook) (directory.Listing, error) {
	return s.create(c, &event.NotebookTitled{Title: in.Title})
}

// create creates a notebook whose log begins with the payloads, the first of them its title. If it
// fails, no user sees a part of the notebook.
func (s *Server) create(c *call, payloads ...event.Payload) (directory.Listing, error) {
	return s.createWith(c, func(context.Context, string) error { return nil }, payloads...)
}

// createWith is create for payloads that mention artifacts: prepare is called with the notebook's id
// before they are appended, and gives the notebook its artifacts.
func (s *Server) createWith(c *call, prepare func(context.Context, string) error, payloads ...event.Payload) (directory.Listing, error) {
	titled, err := rehearse(payloads)
	if err != nil {
		return directory.Listing{}, err
	}
	now := s.cfg.stamp()
	n := directory.Notebook{ID: newID(), Title: titled, Owner: c.who.Person, Created: now, Updated: now}
	// A client that leaves must not leave a part of a notebook behind.
	ctx := context.WithoutCancel(c.r.Context())
	if err := s.cfg.Directory.CreateNotebook(ctx, n); err != nil {
		return directory.Listing{}, err
	}
	if err = prepare(ctx, n.ID); err == nil {
		err = s.submit(ctx, n.ID, c.who.Actor, payloads...)
	}
	if err != nil {
		return directory.Listing{}, errors.Join(err, s.cfg.Directory.DeleteNotebook(ctx, n.ID, now))
	}
	c.w.Header().Set("Location", "/api/notebooks/"+n.ID)
	return directory.Listing{Notebook: n, Role: access.Owner}, nil
}

// rehearse folds payloads into an empty notebook, to find a refusal before there is anything to
// undo, and returns the title.
func rehearse(payloads []event.Payload) (title string, err error) {
	n := notebook.New()
	for i, p := range payloads {
		if err := p.Check(); err != nil {
			return "", problem.New(protocol.CodeInvalid, err.Error())
		}
		id := event.ID{Client: "room", N: uint64(i + 1)}
		if _, err := n.Admit(&event.Event{Seq: n.Seq() + 1, ID: id, Payload: p}, nil); err != nil {
			return "", err
		}
	}
	return n.Title(), nil
}

// submit appends events to a notebook for an actor, in one batch.
func (s *Server) submit(ctx context.Context, id string, actor event.Actor, payloads ...event.Payload) error {
	opened, err := s.rooms.Use(ctx, id)
	if err != nil {
		return err
	}
	defer s.rooms.Release(opened)
	return opened.Submit(ctx, actor, payloads...)
}

func (s *Server) notebook(c *call, _ none) (directory.Listing, error) {
	return directory.Listing{Notebook: c.book, Role: c.role}, nil
}

func (s *Server) renameNotebook(c *call, in NewNotebook) (directory.Listing, error) {
	titled := &event.NotebookTitled{Title: in.Title}
	if err := titled.Check(); err != nil {
		return directory.Listing{}, problem.New(protocol.CodeInvalid, err.Error())
	}
	if err := s.submit(c.r.Context(), c.book.ID, c.who.Actor, titled); err != nil {
		return directory.Listing{}, err
	}
	c.book.Title, c.book.Updated = in.Title, s.cfg.stamp()
	return s.notebook(c, none{})
}

// deleteNotebook closes the room too: its members connect again and are told that it was deleted.
func (s *Server) deleteNotebook(c *call, _ none) (none, error) {
	if err := s.cfg.Directory.DeleteNotebook(c.r.Context(), c.book.ID, s.cfg.stamp()); err != nil {
		return none{}, err
	}
	s.rooms.Shut(c.book.ID)
	return none{}, nil
}

func (s *Server) restoreNotebook(c *call, _ none) (directory.Listing, error) {
	if err := s.cfg.Directory.RestoreNotebook(c.r.Context(), c.book.ID); err != nil {
		return directory.Listing{}, err
	}
	c.book.Deleted = 0
	return s.notebook(c, none{})
}
