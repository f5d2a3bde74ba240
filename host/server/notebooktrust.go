package server

import (
	"context"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
)

// Trust sets whether a notebook is trusted.
type Trust struct {
	Trusted bool `json:"trusted" jsonschema:"whether its programs run without a sandbox, as other programs of the server's user do"`
}

// NotebookTrust says whether a notebook is trusted, and how its programs run from the next start of
// its runtime on.
type NotebookTrust struct {
	Own       bool `json:"own"`       // it was created here, and its trust was never set
	Trusted   bool `json:"trusted"`   // by its owner, or because it is their own
	Sandboxed bool `json:"sandboxed"` // its programs run in a sandbox, because it is not trusted or all do
}

// Truster stores which notebooks are trusted. A [rooms.Launcher] may implement it, and then runs the
// programs of the others in a sandbox, if it can. Trust belongs to one notebook: neither a file nor
// a copy of the notebook has it.
type Truster interface {
	// Trust returns the trust of a notebook.
	Trust(notebook string) (NotebookTrust, error)
	// SetTrust sets whether a notebook is trusted. For an imported notebook it is called before
	// the notebook has a cell.
	SetTrust(notebook string, trusted bool) error
}

// truster returns the store of trust.
func (s *Server) truster() (Truster, error) {
	t, ok := s.cfg.Launcher.(Truster)
	if !ok {
		return nil, problem.New(protocol.CodeUnavailable, "this server does not launch runtimes: trust is decided where they are started")
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

// untrusted wraps prepare for a notebook from elsewhere, which is not trusted.
func (s *Server) untrusted(prepare func(context.Context, string) error) func(context.Context, string) error {
	return func(ctx context.Context, id string) error {
		if t, err := s.truster(); err == nil { // without a truster no program is restricted
			if err := t.SetTrust(id, false); err != nil {
				return err
			}
		}
		return prepare(ctx, id)
	}
}
