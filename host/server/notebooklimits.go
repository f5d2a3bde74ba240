package server

import (
	"errors"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
)

// LimitValues are what runtimes may use, each as the command line has it: a size such
// as "2G", a time such as "30m" or a number. What is empty is not limited.
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
	Own  LimitValues `json:"own"`  // that the notebook has of its own
	Most LimitValues `json:"most"` // that the server has for all, above which none can be

	// Brought is who has connected the runtime that is there. It has the limits that it was
	// started with, which the server does not know. Missing if the server has started it, and without one.
	Brought event.Actor `json:"brought,omitempty"`
}

// Limiter keeps the limits of notebooks. A [Launcher] that is one as well starts
// runtimes with them.
type Limiter interface {
	// Limits returns those of a notebook.
	Limits(notebook string) (NotebookLimits, error)
	// SetLimits replaces those that a notebook has of its own, from the next start
	// of its runtime on. What is no limit, or is above the server's, is refused with
	// an error that wraps ErrLimit and is made for people.
	SetLimits(notebook string, own LimitValues) error
}

// ErrLimit says that a notebook cannot have a limit.
var ErrLimit = errors.New("the limit cannot be set")

// limiter returns what keeps limits.
func (s *Server) limiter() (Limiter, error) {
	l, ok := s.cfg.Launcher.(Limiter)
	if !ok {
		return nil, problem.New(protocol.CodeUnavailable, "this server does not start runtimes, which get their limits where they are started")
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

// limitsNow returns the limits of a notebook, and for which runtime they do not hold.
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
