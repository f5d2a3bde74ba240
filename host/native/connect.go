package native

import (
	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
)

// Connect returns a connection to a room of this process, as an actor with a role.
func Connect(to *room.Room, actor event.Actor, role access.Role) protocol.Conn {
	return &conn{
		room:   to,
		member: &room.Member{Actor: actor, Role: role, Out: room.NewOutbox(outboxLimit)},
	}
}
