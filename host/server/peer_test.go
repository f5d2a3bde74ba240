package server_test

import (
	"fmt"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/internal/ws"
)

// peer is a client of a room that sends exactly the messages of a test.
type peer struct {
	protocol.Conn
	t       *testing.T
	client  event.ClientID
	n       uint64
	welcome *protocol.Welcome
	rest    []event.Event // of the frame that was received last
}

// open opens a socket and says nothing yet.
func (w *world) open(t *testing.T, book, token string) *peer {
	t.Helper()
	conn, err := ws.Dial(soon(t), w.url+"/api/notebooks/"+book+"/sync", token, ws.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &peer{Conn: conn, t: t}
}

// join opens a socket and becomes a member.
func (w *world) join(t *testing.T, book, token string, client event.ClientID) *peer {
	t.Helper()
	return w.joinAs(t, book, token, protocol.Hello{Client: client})
}

func (w *world) joinAs(t *testing.T, book, token string, h protocol.Hello) *peer {
	t.Helper()
	p := w.open(t, book, token)
	p.hello(h)
	p.welcome = next[*protocol.Welcome](p)
	return p
}

func (p *peer) hello(h protocol.Hello) {
	p.t.Helper()
	p.client = h.Client
	if h.Version == 0 {
		h.Version = protocol.Version
	}
	p.send(&h)
}

func (p *peer) send(m protocol.ToRoom) {
	p.t.Helper()
	data, err := protocol.EncodeToRoom(m)
	if err != nil {
		p.t.Fatal(err)
	}
	p.raw(data)
}

func (p *peer) raw(data []byte) {
	p.t.Helper()
	if err := p.Send(soon(p.t), data); err != nil {
		p.t.Fatal(err)
	}
}

// push states events and returns their ids.
func (p *peer) push(payloads ...event.Payload) []event.ID {
	p.t.Helper()
	push := &protocol.Push{}
	var ids []event.ID
	for _, payload := range payloads {
		p.n++
		id := event.ID{Client: p.client, N: p.n}
		ids = append(ids, id)
		push.Events = append(push.Events, event.Draft{ID: id, Payload: payload})
	}
	p.send(push)
	return ids
}

// receive returns the next message, and nil once the connection has ended. Events
// come one at a time, however they were framed.
func (p *peer) receive() protocol.ToClient {
	p.t.Helper()
	if len(p.rest) > 0 {
		return p.first()
	}
	data, err := p.Receive(soon(p.t))
	if err != nil {
		return nil
	}
	msg, err := protocol.DecodeToClient(data)
	if err != nil {
		p.t.Fatal(err)
	}
	if events, ok := msg.(*protocol.Events); ok {
		p.rest = events.Events
		return p.first()
	}
	return msg
}

func (p *peer) first() *protocol.Events {
	one := p.rest[:1]
	p.rest = p.rest[1:]
	return &protocol.Events{Events: one}
}

// next returns the next message of a type, leaving out others.
func next[M protocol.ToClient](p *peer) M {
	p.t.Helper()
	for {
		msg := p.receive()
		if msg == nil {
			p.t.Fatalf("got the end of the connection, want a %T", *new(M))
		}
		if m, ok := msg.(M); ok {
			return m
		}
		if c, ok := msg.(*protocol.Closed); ok {
			p.t.Fatalf("got closed (%s): %s, want a %T", c.Code, c.Message, *new(M))
		}
	}
}

// ended waits until the connection has, and returns the last message if it said why.
func (p *peer) ended() protocol.ToClient {
	p.t.Helper()
	var last protocol.ToClient
	for {
		msg := p.receive()
		if msg == nil {
			return last
		}
		last = msg
	}
}

// outcome waits until an event is committed or refused.
func (p *peer) outcome(id event.ID) (event.Event, *protocol.Refused) {
	p.t.Helper()
	for {
		switch msg := p.receive().(type) {
		case nil:
			p.t.Fatalf("got the end of the connection, want news of event %s", id)
		case *protocol.Refused:
			if msg.ID == id {
				return event.Event{}, msg
			}
		case *protocol.Events:
			for _, e := range msg.Events {
				if e.ID == id {
					return e, nil
				}
			}
		}
	}
}

// committed waits for the event with an id, and fails if it is refused.
func (p *peer) committed(id event.ID) event.Event {
	p.t.Helper()
	e, no := p.outcome(id)
	if no != nil {
		p.t.Fatalf("event %s was refused (%s): %s", id, no.Code, no.Message)
	}
	return e
}

// titled states a title and waits until it is on disk.
func (p *peer) titled(title string) event.Event {
	p.t.Helper()
	return p.committed(p.push(&event.NotebookTitled{Title: title})[0])
}

// helloOf is the hello of a runtime.
func helloOf(client event.ClientID, id event.RuntimeID) protocol.Hello {
	return protocol.Hello{Client: client, Runtime: id}
}

// helloOfAssistant is the hello of an assistant.
func helloOfAssistant(client event.ClientID, id event.RuntimeID) protocol.Hello {
	return protocol.Hello{Client: client, Runtime: id, Takes: event.TakesAI}
}

// refused waits for the refusal of an event, and fails if it is committed.
func (p *peer) refused(id event.ID) *protocol.Refused {
	p.t.Helper()
	_, no := p.outcome(id)
	if no == nil {
		p.t.Fatalf("event %s was not refused", id)
	}
	return no
}

// titledRefused states a title, which must be refused as forbidden.
func (p *peer) titledRefused() {
	p.t.Helper()
	no := p.refused(p.push(&event.NotebookTitled{Title: "x"})[0])
	if got, want := no.Code, protocol.CodeForbidden; got != want {
		p.t.Errorf("got code %q, want %q", got, want)
	}
}

func eventClient(i int) event.ClientID { return event.ClientID(fmt.Sprint("c", i)) }

func metadata(key string, value []byte) *event.NotebookMetadataSet {
	return &event.NotebookMetadataSet{Key: key, Value: value}
}
