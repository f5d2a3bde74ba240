package command_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/command"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
	"github.com/quirehq/quire/core/text"
)

// testRoom is a room's sequencer with its members. Messages move only when a test says so.
type testRoom struct {
	*room.Sequencer
	t     testing.TB
	peers []*peer
}

func newRoom(t testing.TB) *testRoom {
	t.Helper()
	now := event.Time(1_000)
	s, err := room.OpenSequencer(t.Context(), room.Config{
		Log: roomtest.NewMemory(), Now: func() event.Time { now++; return now },
	})
	if err != nil {
		t.Fatal(err)
	}
	return &testRoom{Sequencer: s, t: t}
}

// peer is a replica with an executor, in a room or alone.
type peer struct {
	*command.Executor
	t       testing.TB
	replica *replica.Replica
	room    *testRoom
	member  *room.Member
	made    int // number of ids
}

// alone returns a peer that was never connected.
func alone(t testing.TB) *peer { return newPeer(t, replica.New("ada")) }

func newPeer(t testing.TB, r *replica.Replica) *peer {
	p := &peer{t: t, replica: r}
	p.Executor = command.NewExecutor(r, func() string {
		p.made++
		return fmt.Sprintf("%s%d", r.Hello().Client, p.made)
	})
	return p
}

// join connects a replica to the room.
func (r *testRoom) join(client event.ClientID, role access.Role) *peer {
	r.t.Helper()
	return r.seat(replica.New(client), role)
}

func (r *testRoom) seat(copied *replica.Replica, role access.Role) *peer {
	r.t.Helper()
	p := newPeer(r.t, copied)
	p.room = r
	p.connect(role)
	r.peers = append(r.peers, p)
	p.receive()
	return p
}

// connect sends hello.
func (p *peer) connect(role access.Role) {
	hello := p.replica.Hello()
	actor := event.NewActor(event.ActorPerson, string(hello.Client))
	if hello.Runtime != "" {
		actor = hello.Takes.Actor(hello.Runtime)
	}
	p.member = &room.Member{Actor: actor, Role: role, Out: room.NewOutbox(1 << 24)}
	p.room.Join(p.t.Context(), p.member, hello)
}

// send delivers the replica's messages to the room.
func (p *peer) send() {
	p.t.Helper()
	for _, msg := range p.replica.Outgoing() {
		p.room.Receive(p.t.Context(), p.member, msg)
	}
	if err := p.room.Commit(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// receive delivers the room's messages to the replica, and reports them to the executor.
func (p *peer) receive() {
	p.t.Helper()
	messages, _ := p.member.Out.Drain()
	for _, data := range messages {
		msg, err := protocol.DecodeToClient(data)
		if err != nil {
			p.t.Fatal(err)
		}
		up, err := p.replica.Receive(msg)
		if err != nil {
			p.t.Fatal(err)
		}
		p.report(up)
	}
}

// report reports the changes of others to the executor. The runs are all this peer's.
func (p *peer) report(up replica.Update) {
	for _, e := range up.Edits {
		if e.Run == "" {
			p.Rebase(e.Cell, e.Edit)
		} else {
			p.Offered(e)
		}
	}
	for _, made := range up.Made {
		p.OfferedCell(made.Cell)
	}
}

// deliverAll delivers all messages, and requires equal notebooks everywhere.
func (r *testRoom) deliverAll() {
	r.t.Helper()
	for range 2 {
		for _, p := range r.peers {
			p.send()
		}
		for _, p := range r.peers {
			p.receive()
		}
	}
	want := show(r.Notebook())
	for _, p := range r.peers {
		if diff := cmp.Diff(want, show(p.view())); diff != "" || p.replica.Pending() > 0 {
			r.t.Fatalf("%s is not as the room, with %d pending (-want +got):\n%s", p.member.Actor, p.replica.Pending(), diff)
		}
	}
}

func (p *peer) view() *notebook.Notebook { return p.replica.View() }

// do executes commands that must succeed, and returns the result of the last.
func (p *peer) do(commands ...command.Command) command.Done {
	p.t.Helper()
	var done command.Done
	for _, c := range commands {
		var err error
		if done, err = p.Do(c); err != nil {
			p.t.Fatal(err)
		}
	}
	return done
}

// propose makes events that no command makes.
func (p *peer) propose(payloads ...event.Payload) {
	p.t.Helper()
	for _, payload := range payloads {
		if _, _, err := p.replica.Do(payload); err != nil {
			p.t.Fatal(err)
		}
	}
}

// types edits a cell by itself.
func (p *peer) types(cell event.CellID, edit text.Edit) { p.typesOn(cell, edit, false) }

func (p *peer) typesOn(cell event.CellID, edit text.Edit, join bool) {
	p.t.Helper()
	if _, err := p.Edit(cell, edit, join); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) source(cell event.CellID) string { return p.view().Cell(cell).Source() }

// wantSource requires the text of a cell in the view.
func (p *peer) wantSource(cell event.CellID, want string) {
	p.t.Helper()
	if got := p.source(cell); got != want {
		p.t.Errorf("source of %s: got %q, want %q", cell, got, want)
	}
}

// wantShown requires the view to be shown as a text.
func (p *peer) wantShown(want string) {
	p.t.Helper()
	if diff := cmp.Diff(strings.TrimSpace(want), show(p.view())); diff != "" {
		p.t.Errorf("view (-want +got):\n%s", diff)
	}
}

// create adds code cells with these names, whose sources are the names.
func (p *peer) create(names ...event.CellID) {
	p.t.Helper()
	for _, name := range names {
		key, err := p.view().Between(len(p.view().Cells()))
		if err != nil {
			p.t.Fatal(err)
		}
		p.propose(&event.CellCreated{Cell: name, Kind: event.KindCode, Order: key, Source: string(name)})
	}
}

// show formats a notebook, a line for a cell that is not deleted. Code in the notebook's language with no other
// property is only its name and its source.
func show(n *notebook.Notebook) string {
	var b strings.Builder
	if n.Title() != "" || len(n.Metadata()) > 0 {
		fmt.Fprintf(&b, "title %q%s\n", n.Title(), showMetadata(n.Metadata()))
	}
	for _, id := range n.Cells() {
		showCell(&b, n, n.Cell(id))
	}
	return strings.TrimSpace(b.String())
}

func showCell(b *strings.Builder, n *notebook.Notebook, c *notebook.Cell) {
	fmt.Fprintf(b, "%s %q", c.ID, c.Source())
	if c.Kind != event.KindCode {
		fmt.Fprintf(b, " %s", c.Kind)
	}
	if c.Language != "" {
		fmt.Fprintf(b, " in %s", c.Language)
	}
	for _, hidden := range []struct {
		part string
		is   bool
	}{{"source", c.HideSource}, {"outputs", c.HideOutputs}, {"context", c.HideContext}} {
		if hidden.is {
			fmt.Fprintf(b, " no %s", hidden.part)
		}
	}
	b.WriteString(showMetadata(c.Metadata))
	for _, id := range c.Outputs {
		fmt.Fprintf(b, " out %q", n.Output(id).Value().Text)
	}
	if c.Count > 0 {
		fmt.Fprintf(b, " count %d", c.Count)
	}
	b.WriteByte('\n')
}

func showMetadata(m map[string]json.RawMessage) string {
	s := ""
	for _, key := range slices.Sorted(maps.Keys(m)) {
		s += fmt.Sprintf(" %s=%s", key, m[key])
	}
	return s
}

// printed is an output of a text.
func printed(s string) event.Output {
	return event.Output{Kind: event.OutputStream, Stream: event.Stdout, Text: s}
}
