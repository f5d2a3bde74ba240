package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
	"github.com/quirehq/quire/host/server/signin"
)

// freshFor is the time after a sign-in in which a browser may create credentials that outlast it.
const freshFor = 10 * time.Minute

// permit refuses a call that its route does not allow, and finds the notebook of the call. A
// notebook that a principal may not see does not exist for it.
func (s *Server) permit(c *call, n need) error {
	switch {
	case n.who == anyone:
		return nil
	case n.who == byLink:
		return s.permitExport(c, n)
	case c.who.Half:
		return problem.New(problem.Unauthenticated, signin.ErrHalf.Error())
	case !c.who.Known():
		return problem.New(problem.Unauthenticated, signin.ErrNone.Error())
	case n.who == people && c.who.Person == "", n.who == people && c.who.Notebook != "":
		return problem.New(protocol.CodeForbidden, "the token is good for one notebook only")
	case n.who == serverOwner && !c.who.Owner:
		return problem.New(protocol.CodeForbidden, "only the owner of this server may do this")
	case n.fresh && c.who.Cookie && s.cfg.Now().Sub(c.who.Began) > freshFor:
		return problem.New(protocol.CodeForbidden, "a browser may do this for ten minutes after it has signed in: sign in again with `quire link`, or do it there")
	case n.who == inNotebook:
		return s.permitNotebook(c, n)
	}
	return nil
}

func (s *Server) permitNotebook(c *call, n need) error {
	ctx, id := c.r.Context(), c.r.PathValue("id")
	role, err := s.cfg.roleOf(ctx, c.who, id)
	if err != nil {
		return err
	}
	if c.book, err = s.cfg.Directory.Notebook(ctx, id); err != nil {
		return err // that a notebook was purged is told to all principals: its roles are gone
	}
	if !role.May(access.Read) {
		return directory.ErrNotFound
	}
	if s.purges.under(id) {
		return problem.New(protocol.CodeUnavailable, "the notebook is being removed for good")
	}
	if c.book.Deleted != 0 && !n.gone {
		return problem.New(protocol.CodeNotFound, "the notebook was deleted; its owner can restore it")
	}
	if !role.May(n.action) {
		return problem.New(protocol.CodeForbidden, "the role "+string(role)+" may not do this in this notebook")
	}
	if n.past && !s.maySeePast(role) {
		return problem.New(protocol.CodeForbidden, "on this server the history of a notebook is for the role "+string(s.cfg.HistoryFor)+" and those that may do more: yours is "+string(role))
	}
	if n.person && c.who.Notebook != "" {
		return problem.New(protocol.CodeForbidden, "the token is good for one notebook only")
	}
	c.role = role
	if c.who.Actor.Kind().Serves() {
		return s.permitRuntime(c)
	}
	return nil
}

// maySeePast reports whether a role may see the history of a notebook.
func (s *Server) maySeePast(role access.Role) bool { return role.AtLeast(s.cfg.HistoryFor) }

// shownTo returns the part of a notebook that a role may see.
func (s *Server) shownTo(role access.Role, book *notebook.Notebook) *notebook.Notebook {
	if s.maySeePast(role) {
		return book
	}
	return book.Present()
}

// permitRuntime refuses the token of a runtime that has been displaced or stopped. A runtime that
// has not started yet may connect.
func (s *Server) permitRuntime(c *call) error {
	ctx := c.r.Context()
	opened, err := s.rooms.Use(ctx, c.book.ID)
	if err != nil {
		return err
	}
	defer s.rooms.Release(opened)
	var reason string
	if err := opened.View(ctx, func(n *notebook.Notebook) { reason = endOf(n, c.who) }); err != nil {
		return err
	}
	if reason != "" {
		return problem.New(protocol.CodeForbidden, reason)
	}
	return nil
}

// endOf returns the reason why a runtime is over, empty if it is not. A runtime that the room
// stopped, because it did not connect in time, may still connect.
func endOf(n *notebook.Notebook, p signin.Principal) string {
	id := event.RuntimeID(p.Actor.Name())
	for _, t := range event.Kinds() {
		rt := n.Runtime(t)
		if rt != nil && rt.ID == id && rt.State == notebook.RuntimeStopped && rt.Actor == p.Actor {
			return fmt.Sprintf("runtime %s was stopped (%s); the next run starts another", id, rt.Reason)
		}
	}
	if rt := n.Runtime(p.Actor.Kind().Takes()); rt != nil && rt.ID != id && p.Issued != 0 && rt.Started > p.Issued {
		return fmt.Sprintf("runtime %s has taken the place of runtime %s", rt.ID, id)
	}
	return ""
}

// roleOf returns the role of a principal in a notebook, empty if it has none.
func (c *Config) roleOf(ctx context.Context, p signin.Principal, id string) (access.Role, error) {
	switch {
	case p.Notebook != "":
		if p.Notebook != id {
			return "", nil
		}
		return p.Role, nil
	case p.Owner:
		return access.Owner, nil
	}
	role, err := c.Access.Role(ctx, id, p.Person)
	if errors.Is(err, directory.ErrNotFound) {
		return "", nil
	}
	return role, err
}
