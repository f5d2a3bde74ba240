package runtime

import (
	"fmt"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

// updated looks at what a message of the room brought, before all who wait do.
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

// connectionLost notes that the connection was lost: the next one knows of no presence.
func (rt *Runtime) connectionLost(err error) {
	_ = rt.session.With(func(*replica.Replica) error {
		rt.online = false
		return nil
	})
	rt.cfg.Trouble(err)
}

// setBusy tells everybody whether something runs.
func (rt *Runtime) setBusy(busy bool) {
	_ = rt.session.With(func(r *replica.Replica) error {
		rt.presence.Busy = busy
		r.SetPresence(rt.presence)
		return nil
	})
}

// usersConnected reports whether anybody else is connected.
func (rt *Runtime) usersConnected(r *replica.Replica) bool {
	for client := range r.Peers() {
		if client != rt.cfg.Client {
			return true
		}
	}
	return false
}
