package server

import (
	"errors"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
)

// LimitValues are the limits of runtimes, in the form of the command line: a size such as "2G", a
// time such as "30m" or a number. An empty one is no limit.
type LimitValues struct {
	Memory         string `json:"memory,omitempty"`
	CPU            string `json:"cpu,omitempty"`
	RunTime        string `json:"runTime,omitempty"`
	Disk           string `json:"disk,omitempty"`
	FileSize       string `json:"fileSize,omitempty"`
	Files          string `json:"files,omitempty"`
	Processes      string `json:"processes,omitempty"`
	Output         string `json:"output,omitempty"`
	NotebookOutput string `json:"notebookOutput,omitempty"`
}

// NotebookLimits are the limits of a notebook's runtimes.
type NotebookLimits struct {
	Own  LimitValues `json:"own"`  // of this notebook
	Most LimitValues `json:"most"` // of all notebooks of the server, which those of one cannot exceed

	// Brought is the actor who connected the current runtime. That runtime has the limits with
	// which it was started, and the server does not know them. It is missing if there is no
	// runtime, or the server launched it.
	Brought event.Actor `json:"brought,omitempty"`
}

// Limiter stores the limits of notebooks. A [rooms.Launcher] may implement it, and then launches
// runtimes with them.
type Limiter interface {
	// Limits returns the limits of a notebook.
	Limits(notebook string) (NotebookLimits, error)
	// SetLimits replaces the own limits of a notebook, from the next start of its runtime on. An
	// invalid limit, or one that exceeds the server's, is refused with an error that wraps
	// ErrLimit and is made for users.
	SetLimits(notebook string, own LimitValues) error
}

// ErrLimit says that a limit is invalid or too high.
var ErrLimit = errors.New("the limit cannot be set")

// limiter returns the store of limits.
func (s *Server) limiter() (Limiter, error) {
	l, ok := s.cfg.Launcher.(Limiter)
	if !ok {
		return nil, problem.New(protocol.CodeUnavailable, "this server does not launch runtimes: they get their limits where they are started")
	}
	return l, nil
}

func (s *Server) notebookLimits(c *call, _ none) (NotebookLimits, error) {
	l, err := s.limiter()
	if err != nil {
		return NotebookLimits{}, err
	}
	return s.limitsNow(l, c.book.ID)
}

// limitsNow returns the limits of a notebook, and the author of a runtime that does not have them.
func (s *Server) limitsNow(l Limiter, id string) (NotebookLimits, error) {
	now, err := l.Limits(id)
	now.Brought = s.rooms.BroughtBy(id)
	return now, err
}

func (s *Server) setNotebookLimits(c *call, own LimitValues) (NotebookLimits, error) {
	l, err := s.limiter()
	if err != nil {
		return NotebookLimits{}, err
	}
	err = l.SetLimits(c.book.ID, own)
	if errors.Is(err, ErrLimit) {
		return NotebookLimits{}, problem.New(protocol.CodeInvalid, err.Error())
	}
	if err != nil {
		return NotebookLimits{}, err
	}
	return s.limitsNow(l, c.book.ID)
}
