package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/quirehq/quire/core/directory"
)

// resolve returns the id of the notebook that an agent names. An open one needs no request.
func (s *Server) resolve(ctx context.Context, name string) (string, error) {
	if s.books.has(name) {
		return name, nil
	}
	all, err := s.cfg.Notebooks.List(ctx)
	if err != nil {
		return "", err
	}
	return find(all, name)
}

// find returns the id of the notebook with an id, else of the one with a title, whatever its case, else of the one
// whose id begins so.
func find(all []directory.Listing, name string) (string, error) {
	for _, match := range []func(*directory.Listing) bool{
		func(n *directory.Listing) bool { return n.ID == name },
		func(n *directory.Listing) bool {
			return strings.EqualFold(strings.TrimSpace(n.Title), strings.TrimSpace(name))
		},
		func(n *directory.Listing) bool { return strings.HasPrefix(n.ID, name) },
	} {
		var found []string
		for i := range all {
			if match(&all[i]) {
				found = append(found, all[i].ID)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return "", fmt.Errorf("notebook %q could be any of %d, such as %s and %s: give the id", name, len(found), found[0], found[1])
		}
	}
	return "", fmt.Errorf("there is no notebook %q; list_notebooks has the ids and titles, and create_notebook creates one", name)
}
