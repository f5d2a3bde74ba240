// Package replica keeps a copy of a notebook that runs ahead of its room.
//
// A [Replica] applies its own events at once, rebases them over the events that the room
// sends, and takes them back where the room refuses them. A [Session] is a replica with
// its connection, which it opens again when it is lost. A replica can be persisted
// ([Replica.Persist]) and restored ([Restore]). The package knows neither sockets nor disks:
// its host lends a [protocol.Conn] and stores each [Flush]. spec/sync.md has the rules.
package replica

import (
	"fmt"
	"slices"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/text"
)

// Replica is a copy of a notebook that may run ahead of its room: the confirmed notebook,
// and pending events on top of it. An edit of its user is folded into the view at once,
// sent when possible, and transformed over concurrent edits of others. A replica starts no
// goroutine and has one owner.
type Replica struct {
	client  event.ClientID
	next    event.ClientID // replaces client once the replica is up to date, if not empty
	runtime event.RuntimeID
	takes   event.Takes // its kind, of code if empty
	claims  bool
	n       uint64 // the counter of the last own event

	confirmed *notebook.Notebook
	view      *notebook.Notebook // is confirmed while no event is pending
	lastView  *notebook.Notebook // not used any more: the next view is made of its tables
	pending   []*pending
	edits     pendingEdits
	out       []protocol.ToRoom

	online bool      // welcomed: messages may be sent
	goal   event.Seq // the number to fold before events are pushed
	actor  event.Actor
	role   access.Role
	closed *protocol.Closed

	offer      event.RunID // set if the last confirmed event is the offer of this run
	present    bool        // the confirmed notebook lacks the past before its snapshot
	peers      map[event.ClientID]protocol.Peer
	knowsPeers bool // this connection has sent all peers

	called   uint64                      // the id of the last own call
	calls    map[uint64]*protocol.Answer // own calls, nil until they are answered
	conn     uint64                      // the number of connections so far
	incoming []Incoming

	persister *persister // nil unless the replica is persisted
	certain   bool       // all events of this client in the log are known here
	refold    *refold    // nil unless a restored replica is being refolded

	refused  []Refusal
	reported []Refusal // the latest that Refused returned, for callers that wait for their events
	buf      []byte    // for measuring
}

// pending is an event of this replica that is not confirmed.
type pending struct {
	draft event.Draft
	first event.ID          // the id that Do returned, if renumbered since
	sent  bool              // on this connection
	tried bool              // sent on any connection: the room may have it in that form
	whole bool              // must not be extended
	rows  []notebook.Change // the rows that it changes in the view
	size  int               // the size of the edits that were composed into it

	stored  bool // the storage has it, maybe in another form
	flushed bool // the flush in flight has it as it is
	stale   bool // it is not sent before the storage has it as it is
}

// edit returns the pending event's edit of a cell, or nil if it is another event.
// The caller may change the edit, and so the pending event.
func (p *pending) edit(cell event.CellID) *event.SourceEdited {
	if e, ok := p.draft.Payload.(*event.SourceEdited); ok && e.Cell == cell {
		return e
	}
	return nil
}

// Refusal is an event that the room refused, kept so no change of a user is dropped in
// silence.
type Refusal struct {
	ID      event.ID // the id that Do or Edit returned
	Draft   event.Draft
	Code    protocol.Code
	Message string
}

// RefusedError says that the room refused an event.
type RefusedError struct{ Refusal Refusal }

// Error names the event and the reason.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s was refused (%s): %s", e.Refusal.Draft.Payload.Type(), e.Refusal.Code, e.Refusal.Message)
}

// Update has the changes of a replica for its owner to show.
type Update struct {
	Changes []notebook.Change
	// Edits are the edits of others as they fit the view, for carets to follow.
	Edits []CellEdit
	// Made are the cells that the room created from sources that programs offered.
	Made []MadeCell
	// Committed are the new events of the log, in order.
	Committed []event.Event
}

// CellEdit is an edit of one cell's text.
type CellEdit struct {
	Cell event.CellID
	Edit text.Edit
	ID   event.ID // of the event, if it is one of the log
	// Run is set when the edit applies a source that the program of that run offered.
	// Inverse then reverts it.
	Run     event.RunID
	Inverse text.Edit
}

// MadeCell is a cell that the room created from a source that the program of a run offered.
type MadeCell struct {
	Run  event.RunID
	Cell event.CellID
}

// New returns an empty replica. The client id must be unused by any other replica that
// still runs.
func New(client event.ClientID) *Replica {
	book := notebook.New()
	return &Replica{
		client: client, confirmed: book, view: book, peers: map[event.ClientID]protocol.Peer{}, calls: map[uint64]*protocol.Answer{},
	}
}

// NewRuntime returns the replica of a runtime.
func NewRuntime(client event.ClientID, id event.RuntimeID) *Replica {
	r := New(client)
	r.runtime = id
	return r
}

// Take makes the replica serve as a runtime of a kind, from the next hello on: of code without it.
func (r *Replica) Take(kind event.Takes) { r.takes = kind }

// ClaimRuns makes each later hello ask the room to assign runs to the runtime.
func (r *Replica) ClaimRuns() { r.claims = true }

// branch makes the view a clone of the confirmed notebook, for pending events to be folded into.
func (r *Replica) branch() {
	r.rejoin()
	r.view, r.lastView = r.confirmed.Reclone(r.lastView), nil
}

// rejoin makes the view the confirmed notebook.
func (r *Replica) rejoin() {
	if r.view != r.confirmed {
		r.view, r.lastView = r.confirmed, r.view
	}
}

// View returns the notebook for the user: with all pending events. The caller must not
// change it, nor use it after the replica's next method call.
func (r *Replica) View() *notebook.Notebook { return r.view }

// Confirmed returns the notebook as it is in the log. The same holds as for View.
func (r *Replica) Confirmed() *notebook.Notebook { return r.confirmed }

// Client returns the id that the replica's events carry.
func (r *Replica) Client() event.ClientID { return r.client }

// Pending returns the number of events that wait to be confirmed.
func (r *Replica) Pending() int {
	if r.refold != nil {
		return len(r.refold.pending)
	}
	return len(r.pending)
}

// IsPending reports whether the event with an id waits to be confirmed.
func (r *Replica) IsPending(id event.ID) bool {
	return slices.ContainsFunc(r.pending, func(p *pending) bool { return p.first == id })
}

// Online reports whether the replica is connected and has all events that the log had when
// it connected.
func (r *Replica) Online() bool { return r.online && r.confirmed.Seq() >= r.goal }

// Actor returns the actor that the room stamps on this replica's events.
func (r *Replica) Actor() event.Actor { return r.actor }

// Role returns the role that the room gave this replica.
func (r *Replica) Role() access.Role { return r.role }

// Closed returns the reason why the room ended the connection for good, or nil.
func (r *Replica) Closed() *protocol.Closed { return r.closed }

// Peers returns the connected members by client.
func (r *Replica) Peers() map[event.ClientID]protocol.Peer { return r.peers }

// IsAway reports whether the notebook's runtime of a kind has not stopped and is not
// connected. It is false while this replica cannot tell.
func (r *Replica) IsAway(t event.Takes) bool {
	rt := r.confirmed.Runtime(t)
	if !r.Online() || !r.knowsPeers || rt == nil || rt.State == notebook.RuntimeStopped {
		return false
	}
	its := rt.Takes.Actor(rt.ID)
	for _, p := range r.peers {
		if p.Actor == its {
			return false
		}
	}
	return true
}

// Refused returns the events that were refused since its last call, at most the latest
// 1,000.
func (r *Replica) Refused() []Refusal {
	refused := r.refused
	r.refused = nil
	r.reported = append(r.reported, refused...)
	r.reported = r.reported[max(0, len(r.reported)-protocol.Window):]
	return refused
}

// refusal returns the first refusal of one of the events, or nil.
func (r *Replica) refusal(ids []event.ID) *Refusal {
	for _, refused := range [][]Refusal{r.reported, r.refused} {
		i := slices.IndexFunc(refused, func(no Refusal) bool { return slices.Contains(ids, no.ID) })
		if i >= 0 {
			return &refused[i]
		}
	}
	return nil
}
