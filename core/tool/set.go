package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/quirehq/quire/core/celltext"
	"github.com/quirehq/quire/core/command"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

// Config configures a set. Session and NewID are required.
type Config struct {
	// Session is the replica on which the tools work. Its role decides what the room allows.
	Session *replica.Session
	// NewID returns a unique id for a cell or a run.
	NewID func() string
	// Point shows the agent's caret in a cell, at a place in UTF-16 code units; it may be nil.
	Point func(cell event.CellID, at int)
	// Cell is the ai cell whose run calls the tools: new cells follow it. Empty for an agent outside.
	Cell event.CellID
	// Limits bound the text of a cell in results.
	Limits celltext.Limits
}

// Set calls tools on one notebook. Its methods may be called from any goroutine; calls that change the notebook are
// made in the order of their commits.
type Set struct {
	cfg Config

	mu   sync.Mutex
	seen map[event.CellID]string // the source of each cell as the agent last saw it
	last event.CellID            // the cell that the agent created last
}

// New returns the tools of an agent on a notebook.
func New(cfg Config) *Set {
	return &Set{cfg: cfg, seen: map[event.CellID]string{}}
}

// Call calls a tool. A call that fails, such as one with arguments that the tool does not take, gives a Result that
// says so to the model. The error is the cause of ctx, when that has ended.
func (s *Set) Call(ctx context.Context, name string, written json.RawMessage) (Result, error) {
	d, ok := definitionOf(name)
	if !ok {
		return failed(fmt.Errorf("there is no tool %q; the tools are %s", name, strings.Join(names(), ", "))), nil
	}
	a, err := d.decode(written)
	if err != nil {
		return failed(err), nil
	}
	result, err := d.call(ctx, s, a)
	var refused *replica.RefusedError
	switch {
	case err == nil:
		return result, nil
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case errors.As(err, &refused):
		return failed(fmt.Errorf("the notebook refused it (%s): %s", refused.Refusal.Code, refused.Refusal.Message)), nil
	}
	return failed(err), nil
}

// Check returns the error of a call that no notebook could take: an unknown tool or malformed arguments.
func Check(name string, written json.RawMessage) error {
	d, ok := definitionOf(name)
	if !ok {
		return fmt.Errorf("there is no tool %q; the tools are %s", name, strings.Join(names(), ", "))
	}
	_, err := d.decode(written)
	return err
}

// Saw notes the sources that the agent has seen otherwise, so that write_cell merges with what others do since.
func (s *Set) Saw(sources map[event.CellID]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, source := range sources {
		s.seen[id] = source
	}
}

func failed(err error) Result { return Result{Text: err.Error(), Failed: true} }

func names() []string {
	var all []string
	for _, d := range definitions() {
		all = append(all, d.name)
	}
	return all
}

// with reads or changes the replica.
func (s *Set) with(f func(r *replica.Replica) error) error { return s.cfg.Session.With(f) }

// live returns a cell of a notebook that is not deleted. The error says what to do.
func live(n *notebook.Notebook, id event.CellID) (*notebook.Cell, error) {
	c := n.Cell(id)
	switch {
	case c == nil:
		return nil, fmt.Errorf("there is no cell %q; list_cells has the ids", id)
	case c.Deleted:
		return nil, fmt.Errorf("cell %s was deleted", id)
	}
	return c, nil
}

// change makes changes in the view, as one message, and waits until they are committed.
func (s *Set) change(ctx context.Context, f func(x *command.Executor, n *notebook.Notebook) (command.Done, error)) (command.Done, error) {
	var done command.Done
	err := s.with(func(r *replica.Replica) (err error) {
		done, err = f(command.NewExecutor(r, s.cfg.NewID), r.View())
		return err
	})
	if err != nil {
		return done, err
	}
	return done, s.cfg.Session.AwaitCommit(ctx, done.IDs...)
}

// point shows the agent's caret.
func (s *Set) point(cell event.CellID, at int) {
	if s.cfg.Point != nil {
		s.cfg.Point(cell, at)
	}
}

// PointBy returns what shows the caret of an agent that has a session of its own, under a name.
func PointBy(session *replica.Session, name string) func(event.CellID, int) {
	return func(cell event.CellID, at int) {
		_ = session.With(func(r *replica.Replica) error {
			r.SetPresence(protocol.Presence{Name: name, Cell: cell, Anchor: at, Head: at})
			return nil
		})
	}
}

func (s *Set) saw(cell event.CellID, source string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[cell] = source
}

func (s *Set) hasSeen(cell event.CellID) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	source, ok := s.seen[cell]
	return source, ok
}
