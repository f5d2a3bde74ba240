// Package mcp offers notebooks to coding agents by the Model Context Protocol.
//
// A Server has the tools of core/tool, each with the notebook as an argument, tools that list and create notebooks, and
// notebooks and cells as resources that an agent reads and follows. It joins a notebook when it is first named, as one
// session that all calls share, and leaves it when it has not been used for a while. The package knows no server of
// Quire: it gets its sessions through an interface.
// spec/assistants.md has the rules.
package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
)

// Notebooks are those that an agent can reach. Errors are in words that say what to do.
type Notebooks interface {
	// List returns all notebooks, those changed last first.
	List(ctx context.Context) ([]directory.Listing, error)
	// Create creates a notebook.
	Create(ctx context.Context, title string) (directory.Listing, error)
	// Open joins the notebook with an id. The session outlives ctx. Updated is called after each change of the
	// replica, by a goroutine that holds it, and does not block.
	Open(ctx context.Context, id string, updated func()) (Joined, error)
}

// Joined is a running session in a notebook.
type Joined struct {
	*replica.Session
	Ended <-chan struct{} // closed when the session has ended for good
	Leave func()          // ends the session and waits for that; called once
}

// Config configures a server. Notebooks, NewID and Allow are required.
type Config struct {
	Notebooks Notebooks
	// NewID returns a unique id for a cell or a run.
	NewID func() string
	// Allow has the classes of the tools that are offered.
	Allow []event.ToolClass
	// Name of the agent, which its caret shows; "Agent" if it is empty.
	Name string
	// Version is that of the program, for clients to show.
	Version string
	// Idle is the time after which an unused notebook is left; 10 minutes if it is 0.
	Idle time.Duration
	// Reached is called when the connection to a notebook is lost, and when it is back; it may be nil.
	Reached func(notebook string, online bool)
}

// Server offers notebooks to one agent.
type Server struct {
	cfg   Config
	mcp   *sdk.Server
	books *books
	calls sync.WaitGroup // calls in progress
	quit  chan struct{}  // closed when the agent has gone
}

// New returns a server.
func New(cfg Config) (*Server, error) {
	if cfg.Notebooks == nil || cfg.NewID == nil || len(cfg.Allow) == 0 {
		return nil, errors.New("mcp: notebooks, ids and at least one class of tools are required")
	}
	cfg.Name = cmp.Or(cfg.Name, "Agent")
	cfg.Idle = cmp.Or(cfg.Idle, 10*time.Minute)
	if cfg.Reached == nil {
		cfg.Reached = func(string, bool) {}
	}
	s := &Server{cfg: cfg, quit: make(chan struct{})}
	s.books = newBooks(&s.cfg, s.updated)
	options := &sdk.ServerOptions{Instructions: instructions, Capabilities: &sdk.ServerCapabilities{}}
	if s.allows(event.ToolReads) {
		options.SubscribeHandler, options.UnsubscribeHandler = s.subscribe, s.unsubscribe
	}
	s.mcp = sdk.NewServer(&sdk.Implementation{Name: "quire", Title: "Quire", Version: cfg.Version}, options)
	s.addTools()
	if s.allows(event.ToolReads) {
		s.addResources()
	}
	return s, nil
}

const instructions = `Quire notebooks, on which people and agents work at the same time.
Find one with list_notebooks, and its cells with list_cells. Read a cell before you change it; edit_cell replaces a text in it.
run_cell waits for the end of the run and returns the outputs with the trace of an error. Other people see each change as you make it.`

func (s *Server) allows(class event.ToolClass) bool { return slices.Contains(s.cfg.Allow, class) }

// Run serves the agent that writes requests to r and reads from w, until that closes r, ctx ends or a write fails. Calls
// in progress are cancelled then, and waited for. It is called once.
func (s *Server) Run(ctx context.Context, r io.Reader, w io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var end sync.Once
	quit := func() { end.Do(func() { close(s.quit) }) }
	stop := context.AfterFunc(ctx, quit)
	defer stop()
	var others sync.WaitGroup
	others.Go(func() { s.books.sweep(ctx) })
	err := s.mcp.Run(ctx, &sdk.IOTransport{Reader: &input{r, quit}, Writer: output{w}})
	quit()
	cancel()
	s.calls.Wait()
	others.Wait()
	s.books.close()
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("serve the agent: %w", err)
	}
	return nil
}

// until returns a context that also ends when the agent has gone, and notes a call in progress until done is called.
func (s *Server) until(ctx context.Context) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	s.calls.Add(1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-s.quit:
			cancel(errors.New("the agent has gone"))
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-ended
		s.calls.Done()
	}
}

// input is the stream of requests. Its end cancels the calls, for which the protocol's own code waits.
type input struct {
	io.Reader
	ended func()
}

// Read implements [io.Reader].
func (i *input) Read(p []byte) (int, error) {
	n, err := i.Reader.Read(p)
	if err != nil {
		i.ended()
	}
	return n, err
}

// Close implements [io.Closer]. The stream is its owner's.
func (*input) Close() error { return nil }

// output is the stream of answers.
type output struct{ io.Writer }

// Close implements [io.Closer]. The stream is its owner's.
func (output) Close() error { return nil }
