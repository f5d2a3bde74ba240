package server

import (
	"context"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
)

// Trust asks for what the programs of a notebook may do.
type Trust struct {
	Trusted bool `json:"trusted" jsonschema:"whether they run as other programs of the server's user do"`
}

// NotebookTrust says what the programs of a notebook may do, from the next start of its
// runtime on.
type NotebookTrust struct {
	Own       bool `json:"own"`       // it was made here, and nothing was said of its trust
	Trusted   bool `json:"trusted"`   // by its owner, or since it is their own
	Sandboxed bool `json:"sandboxed"` // they run in a sandbox, because of that or since all do
}

// Truster keeps which notebooks are trusted. A [Launcher] that is one as well shuts the
// programs of the others in, where it can. What it keeps is of one notebook: no file and no
// copy of the notebook has it.
type Truster interface {
	// Trust returns what holds for a notebook.
	Trust(notebook string) (NotebookTrust, error)
	// SetTrust says whether a notebook is trusted. It is called before a notebook that
	// comes from elsewhere has a cell.
	SetTrust(notebook string, trusted bool) error
}

// truster returns what keeps trust.
func (s *Server) truster() (Truster, error) {
	t, ok := s.cfg.Launcher.(Truster)
	if !ok {
		return nil, problem.New(protocol.CodeUnavailable, "this server does not start runtimes, which do what they may where they are started")
	}
	return t, nil
}

func (s *Server) notebookTrust(c *call, _ none) (NotebookTrust, error) {
	t, err := s.truster()
	if err != nil {
		return NotebookTrust{}, err
	}
	return t.Trust(c.book.ID)
}

func (s *Server) setNotebookTrust(c *call, in Trust) (NotebookTrust, error) {
	t, err := s.truster()
	if err != nil {
		return NotebookTrust{}, err
	}
	if err := t.SetTrust(c.book.ID, in.Trusted); err != nil {
		return NotebookTrust{}, err
	}
	return t.Trust(c.book.ID)
}

// fromElsewhere has a new notebook not be trusted, and then prepares it.
func (s *Server) fromElsewhere(prepare func(context.Context, string) error) func(context.Context, string) error {
	return func(ctx context.Context, id string) error {
		if t, err := s.truster(); err == nil { // else there is nothing to keep from its programs
			if err := t.SetTrust(id, false); err != nil {
				return err
			}
		}
		return prepare(ctx, id)
	}
}

// copying prepares a copy of the notebook of a call, which is trusted if that was made here by
// who copies it: trust that was given is of one notebook.
func (s *Server) copying(c *call, prepare func(context.Context, string) error) (func(context.Context, string) error, error) {
	t, err := s.truster()
	if err != nil {
		return prepare, nil
	}
	of, err := t.Trust(c.book.ID)
	if err != nil {
		return nil, err
	}
	if of.Own && c.role == access.Owner {
		return prepare, nil
	}
	return s.fromElsewhere(prepare), nil
}
