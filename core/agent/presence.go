package agent

import (
	"fmt"

	"github.com/quirehq/quire/core/replica"
)

// updated looks at what a message of the room brought, before all who wait do.
func (a *Agent) updated(r *replica.Replica, _ replica.Update) {
	for _, no := range r.Refused() {
		a.refusal = no.Message
		switch no.Code {
		case replica.CodeInvalid, replica.CodeForbidden, replica.CodeInternal:
			a.cfg.Trouble(fmt.Errorf("%s was refused (%s): %s", no.Draft.Payload.Type(), no.Code, no.Message))
		}
	}
	a.dropSpooled(r.Confirmed().Seen(a.cfg.Client))
	if r.Online() && !a.online {
		a.online = true
		r.SetPresence(a.presence)
	}
}

// trouble notes that the connection was lost: the next one knows of no presence.
func (a *Agent) trouble(err error) {
	_ = a.session.With(func(*replica.Replica) error {
		a.online = false
		return nil
	})
	a.cfg.Trouble(err)
}

// setBusy tells everybody whether something runs.
func (a *Agent) setBusy(busy bool) {
	_ = a.session.With(func(r *replica.Replica) error {
		a.presence.Busy = busy
		r.SetPresence(a.presence)
		return nil
	})
}

// hasCompany reports whether anybody else is connected.
func (a *Agent) hasCompany(r *replica.Replica) bool {
	for client := range r.Peers() {
		if client != a.cfg.Client {
			return true
		}
	}
	return false
}
