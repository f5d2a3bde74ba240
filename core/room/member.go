package room

import (
	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

// Member is a connection to a room. Its host sets the exported fields once, from facts
// that the server knows: nothing here comes from the client.
type Member struct {
	Actor event.Actor
	Role  access.Role
	// Brings says that the owner lets this editor attach runtimes, as owners may.
	Brings bool
	Out    *Outbox
	// Present says that the member may not see the past: it gets snapshots without it, and
	// the events after them.
	Present bool

	client         event.ClientID
	granted        event.Actor     // the actor of the connection, also when Actor is the runtime that it attached
	runtime        event.RuntimeID // the runtime that it serves as, if any
	takes          event.Takes     // the kind of that
	claims         bool            // the runtime claims runs
	joined         bool
	start          event.Seq // the last number that the client had when it joined
	sent           event.Seq // the last number that was added to Out
	behind         bool      // Out was full: the events after sent come from the log
	waiting        bool      // Out will report when it is drained
	missedPresence bool      // Out had no space for some presence

	rebasers  map[event.CellID]*rebaser
	presence  protocol.Presence
	announced bool // its presence was published
}

// Client returns the client id of the member's hello.
func (m *Member) Client() event.ClientID { return m.client }

func (m *Member) send(msg protocol.ToClient) {
	data, err := protocol.EncodeToClient(msg)
	if err != nil {
		data, _ = protocol.EncodeToClient(&protocol.Closed{Code: protocol.CodeInternal, Message: "an answer could not be encoded"})
	}
	m.Out.addAlways(item{data: data})
}

// trySend sends an answer, of which a member can cause any number. It reports false when
// the member does not read its answers.
func (m *Member) trySend(msg protocol.ToClient) bool {
	if m.Out.full() {
		return false
	}
	m.send(msg)
	return true
}

// peer returns the member as others see it.
func (m *Member) peer() protocol.Peer {
	return protocol.Peer{Client: m.client, Actor: m.Actor, Presence: m.presence}
}
