package mcp

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quirehq/quire/core/celltext"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
)

const (
	scheme     = "notebook://"
	cellPart   = "/cell/"
	plain      = "text/plain"
	notifyTime = 250 * time.Millisecond // the least time between two notifications about a notebook
)

// watch is a resource that the agent follows.
type watch struct {
	cell  event.CellID // empty for the notebook as a whole
	times int          // how often it is followed
	shown string       // its text when the agent was last told
}

// addResources adds the notebooks and their cells.
func (s *Server) addResources() {
	s.mcp.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: scheme + "{notebook}", Name: "notebook", MIMEType: plain,
		Description: "All cells of a notebook with their outputs.",
	}, s.readResource)
	s.mcp.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: scheme + "{notebook}" + cellPart + "{cell}", Name: "cell", MIMEType: plain,
		Description: "A cell with its outputs.",
	}, s.readResource)
	s.mcp.AddReceivingMiddleware(s.withNotebooks)
}

// withNotebooks adds the notebooks to the list of resources: they come and go without this server.
func (s *Server) withNotebooks(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, r)
		listed, ok := result.(*sdk.ListResourcesResult)
		if err != nil || !ok {
			return result, err
		}
		all, err := s.cfg.Notebooks.List(ctx)
		if err != nil {
			return nil, inWords(err)
		}
		for _, n := range all {
			listed.Resources = append(listed.Resources, &sdk.Resource{URI: scheme + n.ID, Name: n.ID, Title: n.Title, MIMEType: plain})
		}
		return listed, nil
	}
}

// inWords is an error of the protocol that has the words of err.
func inWords(err error) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
}

// parse returns the notebook and the cell that the address of a resource names.
func parse(address string) (name string, cell event.CellID, err error) {
	rest, ok := strings.CutPrefix(address, scheme)
	name, part, _ := strings.Cut(rest, cellPart)
	name, wrong := url.PathUnescape(name)
	if !ok || wrong != nil || name == "" || strings.Contains(name, "/") {
		return "", "", fmt.Errorf("%q is no address of a notebook: they are %sID and %[2]sID%[3]sCELL", address, scheme, cellPart)
	}
	return name, event.CellID(part), nil
}

// readResource returns the text of a notebook or a cell.
func (s *Server) readResource(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	ctx, done := s.until(ctx)
	defer done()
	name, cell, err := parse(r.Params.URI)
	if err != nil {
		return nil, inWords(err)
	}
	k, err := s.enter(ctx, name)
	if err != nil {
		return nil, inWords(err)
	}
	defer s.books.release(k)
	text, err := k.read(cell)
	if err != nil {
		return nil, inWords(err)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: plain, Text: text}}}, nil
}

// read returns the text of a cell or of all. The agent then has seen the sources.
func (k *book) read(cell event.CellID) (text string, err error) {
	seen := map[event.CellID]string{}
	err = k.With(func(r *replica.Replica) error {
		n := r.View()
		text, err = textOf(n, cell)
		for _, id := range n.Cells() {
			if c := n.Cell(id); !c.HideContext && (cell == "" || cell == id) {
				seen[id] = c.Source()
			}
		}
		return err
	})
	if err == nil {
		k.set.Saw(seen)
	}
	return text, err
}

// textOf returns the text of a cell, or of a notebook with all cells that agents may see.
func textOf(n *notebook.Notebook, cell event.CellID) (string, error) {
	if cell != "" {
		c := n.Cell(cell)
		switch {
		case c == nil || c.Deleted:
			return "", fmt.Errorf("there is no cell %q; list_cells has the ids", cell)
		case c.HideContext:
			return "", fmt.Errorf("cell %s is hidden from assistants: a person can show it", cell)
		}
		text, _ := celltext.Cell(n, c, celltext.Limits{})
		return text, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d cells in %q\n", len(n.Cells()), n.Title())
	for _, id := range n.Cells() {
		c := n.Cell(id)
		if c.HideContext {
			fmt.Fprintf(&b, "\n%s %s (hidden from assistants)\n", c.ID, c.Kind)
			continue
		}
		text, _ := celltext.Cell(n, c, celltext.Limits{})
		b.WriteString("\n" + text + "\n")
	}
	return b.String(), nil
}

// subscribe follows a resource. Its notebook stays open meanwhile.
func (s *Server) subscribe(ctx context.Context, r *sdk.SubscribeRequest) error {
	ctx, done := s.until(ctx)
	defer done()
	name, cell, err := parse(r.Params.URI)
	if err != nil {
		return inWords(err)
	}
	k, err := s.enter(ctx, name)
	if err != nil {
		return inWords(err)
	}
	text, err := k.read(cell)
	if err != nil {
		s.books.release(k)
		return inWords(err)
	}
	s.books.watch(k, r.Params.URI, watch{cell: cell, shown: text})
	return nil
}

// unsubscribe follows a resource no more.
func (s *Server) unsubscribe(_ context.Context, r *sdk.UnsubscribeRequest) error {
	s.books.unwatch(r.Params.URI)
	return nil
}

// watch notes that the agent follows a resource. The watch has the place of its caller as a user.
func (b *books) watch(k *book, address string, w watch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if old := k.watches[address]; old != nil {
		w.times = old.times
	}
	w.times++
	k.watches[address] = &w
}

// unwatch notes that a resource is followed once less.
func (b *books) unwatch(address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, k := range b.open {
		w := k.watches[address]
		if w == nil {
			continue
		}
		k.users--
		k.used = time.Now()
		if w.times--; w.times == 0 {
			delete(k.watches, address)
		}
		return
	}
}

// notify tells the agent which of the resources that it follows have changed, until ctx ends.
func (b *books) notify(ctx context.Context, k *book) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-pause.C:
		case <-ctx.Done():
			return
		}
		select {
		case <-k.changed:
		case <-ctx.Done():
			return
		}
		for _, address := range b.stale(k) {
			b.tell(ctx, address)
		}
		pause.Reset(notifyTime)
	}
}

// stale returns the followed resources whose text is another than the agent was told of.
func (b *books) stale(k *book) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var addresses []string
	for address, w := range k.watches {
		now := ""
		_ = k.With(func(r *replica.Replica) (err error) {
			now, err = textOf(r.View(), w.cell)
			return err // a cell that is gone has no text, which is a change
		})
		if now != w.shown {
			w.shown = now
			addresses = append(addresses, address)
		}
	}
	return addresses
}

// updated tells the agent that a resource has changed.
func (s *Server) updated(ctx context.Context, address string) {
	_ = s.mcp.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: address}) // an agent that has gone is noticed by Run
}
