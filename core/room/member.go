package room

import (
	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

// Member is a connection to a room. Who makes it sets the exported fields, once
// and from what the server knows: nothing here comes from the client.
type Member struct {
	Actor event.Actor
	Role  access.Role
	// Brings says that the notebook's owner lets an editor connect runtimes, as owners may.
	Brings bool
	Out    *Outbox
	// Present says that the member may not see what was, but only what is: it gets snapshots
	// without the past, and of the log what comes after them.
	Present bool

	client         event.ClientID
	granted        event.Actor     // who was let in with the role, also when Actor is the runtime that they brought
	runtime        event.RuntimeID // which it serves as, empty if none
	claims         bool            // it is to be given runs
	joined         bool
	start          event.Seq // what the client had when it joined
	sent           event.Seq // the last number that was put into Out
	behind         bool      // Out was full: what follows sent comes from the log
	waiting        bool      // a call when Out is drained is under way
	missedPresence bool      // it was not told of some presence, for want of space

	rebasers  map[event.CellID]*rebaser
	presence  protocol.Presence
	announced bool // whether others were told of the presence
}

// Client returns the client that the member said hello as.
func (m *Member) Client() event.ClientID { return m.client }

func (m *Member) send(msg protocol.ToClient) {
	data, err := protocol.EncodeToClient(msg)
	if err != nil {
		data, _ = protocol.EncodeToClient(&protocol.Closed{Code: protocol.CodeInternal, Message: "an answer could not be encoded"})
	}
	m.Out.addAlways(item{data: data})
}

// trySend is tell for what a member can have as much of as it likes. It reports
// false when the member does not take its answers.
func (m *Member) trySend(msg protocol.ToClient) bool {
	if m.Out.full() {
		return false
	}
	m.send(msg)
	return true
}

// peer is the member as others see it.
func (m *Member) peer() protocol.Peer {
	return protocol.Peer{Client: m.client, Actor: m.Actor, Presence: m.presence}
}
