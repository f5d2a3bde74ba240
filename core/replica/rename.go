package replica

import (
	"crypto/rand"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

// mayRename reports whether the room ended a connection because the client id belongs to
// another actor; then the replica connects under another id. A runtime keeps its id: its
// spooled events are recovered under it.
func (r *Replica) mayRename(msg *protocol.Closed) bool {
	return msg.Code == protocol.CodeConflict && r.runtime == ""
}

// helloClient returns the client id for the next connection. It replaces an id whose
// counters are used up, which one event could once do to a log.
func (r *Replica) helloClient() event.ClientID {
	if r.next == "" && r.runtime == "" && r.confirmed.Seen(r.client) > maxCounter {
		r.next = event.ClientID(rand.Text())
	}
	if r.next != "" {
		return r.next
	}
	return r.client
}

// rename gives the replica the client id of its hello. It waits until the whole log is
// known, since the log may have events under the old id. Events that are still pending were
// not admitted, and are sent under the new id.
func (r *Replica) rename() {
	if r.next == "" || !r.Online() {
		return
	}
	r.client, r.next, r.n = r.next, "", r.confirmed.Seen(r.next)
	for _, p := range r.queue() {
		r.n++
		p.draft.ID = event.ID{Client: r.client, N: r.n}
		p.sent, p.tried = false, false
		p.markAltered()
	}
}
