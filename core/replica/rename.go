package replica

import (
	"crypto/rand"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

// mayRename reports whether the room ended a connection because the client's id is
// another's, so that the replica says hello under another id. A runtime keeps its id:
// what it has stated is looked for under it.
func (r *Replica) mayRename(msg *protocol.Closed) bool {
	return msg.Code == protocol.CodeConflict && r.runtime == ""
}

// helloClient returns the id that the next connection is of. One whose counters are used
// up, as one event could do to a log once, is of no more use.
func (r *Replica) helloClient() event.ClientID {
	if r.next == "" && r.runtime == "" && r.confirmed.Seen(r.client) > maxCounter {
		r.next = event.ClientID(rand.Text())
	}
	if r.next != "" {
		return r.next
	}
	return r.client
}

// rename gives the replica the id that it has said hello with. It is done once all of the
// log is known, for what it stated under the id that it had until then may be there.
// What is still pending was not taken, and is stated under the new id.
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
