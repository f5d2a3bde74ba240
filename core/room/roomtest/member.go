package roomtest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room"
)

// Member is a member of a Sequencer.
type Member struct {
	*room.Member
	Of     *Sequencer
	Client event.ClientID
	N      uint64 // the counter of its last event
}

// AddPerson connects a person who has nothing of the log, and takes the welcome.
func (s *Sequencer) AddPerson(client event.ClientID, role access.Role) *Member {
	s.T.Helper()
	member := s.Connect("person:"+event.Actor(client), role, protocol.Hello{Client: client})
	member.Take()
	return member
}

// AddRuntime connects a runtime with its own token, and starts it.
func (s *Sequencer) AddRuntime(id event.RuntimeID) (*Member, event.Epoch) {
	s.T.Helper()
	actor := event.NewActor(event.ActorRuntime, string(id))
	member := s.Connect(actor, access.Runtime, protocol.Hello{Client: event.ClientID("of-" + id), Runtime: id})
	member.Push(&event.RuntimeStarted{Runtime: id, Takes: event.TakesCode})
	s.MustCommit()
	member.Take()
	return member, s.Notebook().Runtime(event.TakesCode).Epoch
}

// Connect connects a member.
func (s *Sequencer) Connect(actor event.Actor, role access.Role, h protocol.Hello) *Member {
	s.T.Helper()
	if h.Version == 0 {
		h.Version = protocol.Version
	}
	return s.Seat(&room.Member{Actor: actor, Role: role, Out: room.NewOutbox(1 << 20)}, h)
}

// ConnectOwn connects a member who may connect runtimes of its own.
func (s *Sequencer) ConnectOwn(actor event.Actor, role access.Role, h protocol.Hello) *Member {
	s.T.Helper()
	h.Version = protocol.Version
	return s.Seat(&room.Member{Actor: actor, Role: role, Brings: true, Out: room.NewOutbox(1 << 20)}, h)
}

// Seat connects a member that the test has made.
func (s *Sequencer) Seat(m *room.Member, h protocol.Hello) *Member {
	member := &Member{Member: m, Of: s, Client: h.Client, N: s.Notebook().Seen(h.Client)}
	s.Join(s.T.Context(), m, &h)
	return member
}

// Push sends the room events under the member's next ids.
func (m *Member) Push(payloads ...event.Payload) {
	var push protocol.Push
	for _, p := range payloads {
		m.N++
		push.Events = append(push.Events, event.Draft{ID: event.ID{Client: m.Client, N: m.N}, Payload: p})
	}
	m.Of.Receive(m.Of.T.Context(), m.Member, &push)
}

// Send sends the room a message.
func (m *Member) Send(msg protocol.ToRoom) { m.Of.Receive(m.Of.T.Context(), m.Member, msg) }

// CallVariables sends the room a call of the runtime for its variables.
func (m *Member) CallVariables(id uint64) {
	m.Send(&protocol.Call{ID: id, Method: protocol.MethodVariables})
}

// Take returns the messages for the member.
func (m *Member) Take() []protocol.ToClient {
	m.Of.T.Helper()
	messages, _ := m.Out.Drain()
	return DecodeAll(m.Of.T, messages)
}

// Closed reports whether the room has ended the connection.
func (m *Member) Closed() bool {
	_, done := m.Out.Drain()
	return done
}

// DecodeAll decodes messages to a client.
func DecodeAll(t *testing.T, messages [][]byte) []protocol.ToClient {
	t.Helper()
	var decoded []protocol.ToClient
	for _, data := range messages {
		msg, err := protocol.DecodeToClient(data)
		if err != nil {
			t.Fatal(err)
		}
		decoded = append(decoded, msg)
	}
	return decoded
}

// Only returns the messages of one kind.
func Only[M protocol.ToClient](messages []protocol.ToClient) []M {
	var of []M
	for _, msg := range messages {
		if m, ok := msg.(M); ok {
			of = append(of, m)
		}
	}
	return of
}

// Codes returns the codes of the refusals among messages.
func Codes(messages []protocol.ToClient) []protocol.Code {
	var got []protocol.Code
	for _, m := range Only[*protocol.Refused](messages) {
		got = append(got, m.Code)
	}
	return got
}

// WantCodes compares the codes of the refusals among messages.
func WantCodes(t *testing.T, messages []protocol.ToClient, want ...protocol.Code) {
	t.Helper()
	if got := Codes(messages); !slices.Equal(got, want) {
		t.Errorf("refusals: got %v, want %v", got, want)
	}
}

// WantAnswers compares the answers for a member, each with its JSON or the code of its error.
func WantAnswers(t *testing.T, s *Member, want ...string) {
	t.Helper()
	var got []string
	for _, a := range Only[*protocol.Answer](s.Take()) {
		text := fmt.Sprintf("%d %s", a.ID, a.Result)
		if a.Error != nil {
			text = fmt.Sprintf("%d %s", a.ID, a.Error.Code)
			if a.Error.Message == "" || a.Result != nil {
				t.Errorf("got %+v, want a message and no result", a)
			}
		}
		got = append(got, text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// Feed has a replica receive messages, and returns its updates as one.
func Feed(t *testing.T, r *replica.Replica, messages []protocol.ToClient) replica.Update {
	t.Helper()
	var all replica.Update
	for _, msg := range messages {
		up, err := r.Receive(msg)
		if err != nil {
			t.Fatal(err)
		}
		all.Changes = append(all.Changes, up.Changes...)
		all.Edits = append(all.Edits, up.Edits...)
		all.Committed = append(all.Committed, up.Committed...)
	}
	return all
}
