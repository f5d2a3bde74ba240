package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/text"
)

// load is the work of a group of clients: each types into a cell of its own of a shared notebook,
// and keeps a window of edits in flight until all others have them. The peers in baselines were
// measured in the same way.
type load struct {
	notebooks, clients, edits, window int
	pace                              time.Duration // between edits of a client; 0 for as fast as the window allows
}

// result is the result of a load.
type result struct {
	took       time.Duration
	edits      int
	deliveries int
	latencies  []time.Duration // from the sending of an edit to its arrival at another client
	cpu        time.Duration
}

// group is the clients of one notebook.
type group struct {
	load    load
	clients []*client

	mu        sync.Mutex
	sent      map[mark]*flight
	latencies []time.Duration
	done      int
	finished  chan struct{}
}

// mark is text by which other clients recognise an edit.
type mark struct{ client, n int }

// flight is an edit that some clients do not have yet.
type flight struct {
	at   time.Time
	left int
}

// client is a raw client: it does not fold, so only the server is measured.
type client struct {
	group *group
	index int
	conn  protocol.Conn
	room  chan struct{} // a token for each edit that may be in flight
}

// drive runs a load against a server.
func drive(ctx context.Context, s *server, l load) (result, error) {
	groups := make([]*group, l.notebooks)
	for i := range groups {
		g, err := newGroup(ctx, s, l)
		if err != nil {
			return result{}, err
		}
		groups[i] = g
		defer g.close()
	}
	before, start := s.cpu(), time.Now()
	var all errgroup.Group
	for _, g := range groups {
		all.Go(func() error { return g.run(ctx) })
	}
	err := all.Wait()
	r := result{took: time.Since(start), edits: l.notebooks * l.clients * l.edits, cpu: s.cpu() - before}
	for _, g := range groups {
		r.latencies = append(r.latencies, g.latencies...)
	}
	r.deliveries = len(r.latencies)
	return r, err
}

func newGroup(ctx context.Context, s *server, l load) (*group, error) {
	id, err := s.notebook(ctx)
	if err != nil {
		return nil, err
	}
	g := &group{load: l, sent: map[mark]*flight{}, finished: make(chan struct{})}
	for i := range l.clients {
		c := &client{group: g, index: i, room: make(chan struct{}, l.window)}
		if c.conn, err = s.connect(ctx, id); err != nil {
			return nil, err
		}
		g.clients = append(g.clients, c)
		if err := c.begin(ctx); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func (g *group) close() {
	for _, c := range g.clients {
		_ = c.conn.Close()
	}
}

// begin says hello and creates the client's cell.
func (c *client) begin(ctx context.Context) error {
	hello := &protocol.Hello{Version: protocol.Version, Client: c.id()}
	data, err := protocol.EncodeToRoom(hello)
	if err != nil {
		return err
	}
	if err := c.conn.Send(ctx, data); err != nil {
		return err
	}
	if data, err = c.conn.Receive(ctx); err != nil || !bytes.HasPrefix(data, []byte(`{"kind":"welcome"`)) {
		return fmt.Errorf("no welcome: %s (%w)", data, err)
	}
	return c.push(ctx, &event.CellCreated{Cell: c.cell(), Kind: event.KindCode, Order: "U"}, 1)
}

func (c *client) id() event.ClientID { return event.ClientID(fmt.Sprintf("client%03d", c.index)) }

func (c *client) cell() event.CellID { return event.CellID(fmt.Sprintf("cell%d", c.index)) }

func (c *client) push(ctx context.Context, p event.Payload, n int) error {
	id := event.ID{Client: c.id(), N: uint64(n)}
	data, err := protocol.EncodeToRoom(&protocol.Push{Events: []event.Draft{{ID: id, Payload: p}}})
	if err != nil {
		return err
	}
	return c.conn.Send(ctx, data)
}

// run lets all clients type and returns when all have received everything.
func (g *group) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all errgroup.Group
	for _, c := range g.clients {
		all.Go(func() error { return c.receive(ctx) })
		all.Go(func() error { return c.typeAll(ctx) })
	}
	select {
	case <-g.finished:
	case <-time.After(2 * time.Minute):
		return fmt.Errorf("%d edits of %d arrived in two minutes", g.done, g.load.clients*g.load.edits)
	}
	cancel()
	_ = all.Wait() // they end with the connection
	return nil
}

// typeAll sends the client's edits, as the window and the pace allow.
func (c *client) typeAll(ctx context.Context) error {
	at := 0
	c.rest()
	for n := range c.group.load.edits {
		select {
		case c.room <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		word := fmt.Sprintf("@%d:%d;", c.index, n)
		edit := &event.SourceEdited{Cell: c.cell(), Rev: event.Rev(n), Edit: text.Insert(at, word)}
		at += len(word)
		c.group.depart(mark{c.index, n})
		if err := c.push(ctx, edit, n+2); err != nil {
			return err
		}
		c.rest()
	}
	return nil
}

// rest makes a client with a pace wait, for that time on average.
func (c *client) rest() {
	if pace := c.group.load.pace; pace > 0 {
		time.Sleep(pace/2 + rand.N(pace))
	}
}

func (g *group) depart(m mark) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sent[m] = &flight{at: time.Now(), left: len(g.clients) - 1}
}

// receive finds the marks of other clients in frames of the room.
func (c *client) receive(ctx context.Context) error {
	for {
		data, err := c.conn.Receive(ctx)
		if err != nil {
			return err
		}
		if bytes.HasPrefix(data, []byte(`{"kind":"refused"`)) {
			return fmt.Errorf("refused: %s", data)
		}
		c.group.arrive(c.index, marks(data))
	}
}

// marks returns the marks in a frame.
func marks(data []byte) []mark {
	var found []mark
	for {
		i := bytes.IndexByte(data, '@')
		if i < 0 {
			return found
		}
		data = data[i+1:]
		colon, end := bytes.IndexByte(data, ':'), bytes.IndexByte(data, ';')
		if colon < 0 || end < colon {
			continue
		}
		who, err1 := strconv.Atoi(string(data[:colon]))
		n, err2 := strconv.Atoi(string(data[colon+1 : end]))
		if err1 == nil && err2 == nil {
			found = append(found, mark{who, n})
		}
	}
}

func (g *group) arrive(at int, found []mark) {
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, m := range found {
		f := g.sent[m]
		if f == nil || m.client == at {
			continue
		}
		g.latencies = append(g.latencies, now.Sub(f.at))
		if f.left--; f.left > 0 {
			continue
		}
		delete(g.sent, m)
		<-g.clients[m.client].room
		if g.done++; g.done == g.load.clients*g.load.edits {
			close(g.finished)
		}
	}
}
