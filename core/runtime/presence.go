package runtime

import (
	"fmt"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

// updated handles the changes of a message of the room, before any waiting call does.
func (rt *Runtime) updated(r *replica.Replica, _ replica.Update) {
	for _, no := range r.Refused() {
		rt.refusal = no.Message
		switch no.Code {
		case protocol.CodeInvalid, protocol.CodeForbidden, protocol.CodeInternal:
			rt.cfg.Trouble(fmt.Errorf("%s was refused (%s): %s", no.Draft.Payload.Type(), no.Code, no.Message))
		}
	}
	rt.dropSpooled(r.Confirmed().Seen(rt.cfg.Client))
	if r.Online() && !rt.online {
		rt.online = true
		r.SetPresence(rt.presence)
	}
}

// connectionLost notes that the presence must be sent again on the next connection.
func (rt *Runtime) connectionLost(err error) {
	_ = rt.session.With(func(*replica.Replica) error {
		rt.online = false
		return nil
	})
	rt.cfg.Trouble(err)
}

// setBusy publishes whether a run executes.
func (rt *Runtime) setBusy(busy bool) {
	_ = rt.session.With(func(r *replica.Replica) error {
		rt.presence.Busy = busy
		r.SetPresence(rt.presence)
		return nil
	})
}

// usersConnected reports whether other members are connected.
func (rt *Runtime) usersConnected(r *replica.Replica) bool {
	for client := range r.Peers() {
		if client != rt.cfg.Client {
			return true
		}
	}
	return false
}
