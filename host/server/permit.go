package server

import (
	"context"
	"errors"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/replica"
)

// permit reports why a call may not go on, and finds the notebook that it is about.
// A notebook that somebody may not see does not exist for them.
func (s *Server) permit(c *call, n need) error {
	switch {
	case n.who == anyone:
		return nil
	case !c.who.known():
		return problem(codeUnauthenticated, errCredentials.Error())
	case n.who == people && c.who.person == "", n.who == people && c.who.notebook != "":
		return problem(replica.CodeForbidden, "the token is good for one notebook only")
	case n.who == serverOwner && !c.who.owner:
		return problem(replica.CodeForbidden, "only the owner of this server may do this")
	case n.who == inNotebook:
		return s.permitNotebook(c, n)
	}
	return nil
}

func (s *Server) permitNotebook(c *call, n need) error {
	ctx, id := c.r.Context(), c.r.PathValue("id")
	role, err := s.roleOf(ctx, c.who, id)
	if err != nil {
		return err
	}
	if !role.May(access.Read) {
		return directory.ErrNotFound
	}
	if c.book, err = s.cfg.Directory.Notebook(ctx, id); err != nil {
		return err
	}
	if c.book.Deleted != 0 && !n.gone {
		return problem(replica.CodeNotFound, "the notebook was deleted; its owner can restore it")
	}
	if !role.May(n.action) {
		return problem(replica.CodeForbidden, "a "+string(role)+" of this notebook may not do this")
	}
	c.role = role
	return nil
}

// roleOf returns what somebody is in a notebook, which may be nothing.
func (s *Server) roleOf(ctx context.Context, p principal, id string) (access.Role, error) {
	switch {
	case p.notebook != "":
		if p.notebook != id {
			return "", nil
		}
		return p.role, nil
	case p.owner:
		return access.Owner, nil
	}
	role, err := s.cfg.Access.Role(ctx, id, p.person)
	if errors.Is(err, directory.ErrNotFound) {
		return "", nil
	}
	return role, err
}
