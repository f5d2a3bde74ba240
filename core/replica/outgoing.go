package replica

import (
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

// SetPresence tells the others where this replica's person is.
func (r *Replica) SetPresence(p protocol.Presence) {
	if r.online {
		r.out = append(r.out, &p)
	}
}

// Outgoing returns the messages that are to be sent now, in order. They count as
// sent: when they may not have been, call [Replica.Disconnected].
func (r *Replica) Outgoing() []protocol.ToRoom {
	if push := r.push(); push != nil {
		r.out = append(r.out, push)
	}
	out := r.out
	r.out = nil
	return out
}

// hasOutgoing reports whether [Replica.Outgoing] would return something. What is sent
// is before what is not.
func (r *Replica) hasOutgoing() bool {
	n := min(len(r.pending), protocol.Window)
	return len(r.out) > 0 || n > 0 && !r.pending[n-1].sent && r.Online()
}

// push takes what is pending and not sent, as far as the window goes.
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

// renumber gives new ids to what is to be sent if the room would take it for what
// it has seen: an event that it refused on a connection that was lost before the
// answer came, while a later one was taken.
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

// based returns a draft as it is sent: an edit names the revision that is
// confirmed, for the room knows of this replica's edits behind that.
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
