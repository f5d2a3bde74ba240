package native

import (
	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
)

// Connect returns a connection to a room of this process, as an actor with a role.
func Connect(room *replica.Room, actor event.Actor, role access.Role) replica.Conn {
	return &conn{
		room:   room,
		member: &replica.Member{Actor: actor, Role: role, Out: replica.NewOutbox(outboxLimit)},
	}
}
