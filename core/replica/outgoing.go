package replica

import (
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

// SetPresence sends the presence of this replica's user.
func (r *Replica) SetPresence(p protocol.Presence) {
	if r.online {
		r.out = append(r.out, &p)
	}
}

// Outgoing returns the messages to send now, in order. They count as sent; a caller that
// could not send them calls [Replica.Disconnected].
func (r *Replica) Outgoing() []protocol.ToRoom {
	if push := r.push(); push != nil {
		r.out = append(r.out, push)
	}
	out := r.out
	r.out = nil
	return out
}

// push returns the pending events that are not sent yet, up to the window.
func (r *Replica) push() *protocol.Push {
	if !r.Online() {
		return nil
	}
	r.renumber()
	var events []event.Draft
	for i, p := range r.queue() {
		if i >= protocol.Window || p.stale {
			break
		}
		if p.sent {
			continue
		}
		p.sent, p.tried = true, true
		events = append(events, r.based(p.draft))
	}
	if events == nil {
		return nil
	}
	return &protocol.Push{Events: events}
}

// renumber gives new ids to unsent events that the room would take for duplicates: their
// ids are below one that it has seen. It refused them, the connection was lost before its
// answer came, and it admitted a later event.
func (r *Replica) renumber() {
	seen := r.confirmed.Seen(r.client)
	i := slices.IndexFunc(r.pending, func(p *pending) bool { return !p.sent && p.draft.ID.N <= seen })
	if i < 0 {
		return
	}
	r.n = max(r.n, seen)
	for _, p := range r.pending[i:] {
		if !p.sent {
			r.n++
			p.draft.ID.N = r.n
			p.markAltered()
		}
	}
}

// based returns a draft as it is sent: an edit names the confirmed revision, since the room
// knows this replica's edits behind it.
func (r *Replica) based(d event.Draft) event.Draft {
	e, ok := d.Payload.(*event.SourceEdited)
	if !ok {
		return d
	}
	rev := event.Rev(0)
	if c := r.confirmed.Cell(e.Cell); c != nil {
		rev = c.Rev
	}
	d.Payload = &event.SourceEdited{Cell: e.Cell, Rev: rev, Edit: e.Edit}
	return d
}
