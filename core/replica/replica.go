// Package replica keeps a copy of a notebook that runs ahead of its room.
//
// A [Replica] applies its own events at once, rebases them over the events that the room
// sends, and takes them back where the room refuses them. A [Session] is a replica with
// its connection, which it opens again when it is lost. A replica can be persisted
// ([Replica.Keep]) and restored ([Restore]). The package knows neither sockets nor disks:
// its host lends a [protocol.Conn] and stores what it is given. spec/sync.md has the rules.
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

// Replica is a copy of a notebook that may run ahead of its room: what is
// confirmed, and what is pending on top of it. What a person types is folded into
// the view at once and sent when it can be, and is moved over what others did
// meanwhile. It starts no goroutine and has one owner.
type Replica struct {
	client  event.ClientID
	next    event.ClientID // in place of client, from when the replica is up to date; empty if none
	runtime event.RuntimeID
	claims  bool
	n       uint64 // the counter of the last event made here

	confirmed *notebook.Notebook
	view      *notebook.Notebook // confirmed itself while nothing is pending
	pending   []*pending
	edits     pendingEdits
	out       []protocol.ToRoom

	online bool      // welcomed, so that messages may be sent
	goal   event.Seq // the number to fold before anything is pushed
	actor  event.Actor
	role   access.Role
	closed *protocol.Closed

	offer      event.RunID // whose source the last confirmed event offers
	present    bool        // the confirmed notebook has nothing of what only was before its snapshot
	peers      map[event.ClientID]protocol.Peer
	knowsPeers bool // this connection has told of all peers

	called   uint64                      // the number of the last call that was made here
	calls    map[uint64]*protocol.Answer // that were made here, nil until they are answered
	conn     uint64                      // counts the connections
	incoming []Incoming

	persister *persister // nil unless the replica is kept
	certain   bool       // the log has no event of this client that is not known here
	refold    *refold    // what is held back, nil but in a resumed replica

	refused  []Refusal
	reported []Refusal // the latest that Refused returned, for others who wait for their events
	buf      []byte    // for measuring
}

// pending is an event of this replica that is not confirmed.
type pending struct {
	draft event.Draft
	first event.ID          // that it was made with, should it have been numbered anew
	sent  bool              // on this connection
	tried bool              // on any connection, so that the room may have it as it was then
	whole bool              // takes in no more
	rows  []notebook.Change // that it changes in the view
	size  int               // bytes of the edits that it was joined from

	stored  bool // a storage has it, maybe in another form
	flushed bool // the flush that is under way has it as it is
	stale   bool // it is not sent before a storage has it as it is
}

// edit returns the pending event's edit of a cell, or nil if it is another event.
// The edit is the pending event's own, and may be changed.
func (p *pending) edit(cell event.CellID) *event.SourceEdited {
	if e, ok := p.draft.Payload.(*event.SourceEdited); ok && e.Cell == cell {
		return e
	}
	return nil
}

// Refusal is an event that the room refused, kept so that nothing a person made is
// dropped in silence.
type Refusal struct {
	ID      event.ID // that Do and Edit gave it
	Draft   event.Draft
	Code    protocol.Code
	Message string
}

// RefusedError says that the room refused an event.
type RefusedError struct{ Refusal Refusal }

// Error returns which event and why.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s was refused (%s): %s", e.Refusal.Draft.Payload.Type(), e.Refusal.Code, e.Refusal.Message)
}

// Update is what a replica's owner may want to show after something happened.
type Update struct {
	Changes []notebook.Change
	// Edits are the edits of others as they fit the view, for carets to follow.
	Edits []CellEdit
	// Made are the cells that the room made of sources that programs offered.
	Made []MadeCell
	// Committed are the events that the log got, in order.
	Committed []event.Event
}

// CellEdit is an edit of one cell's text.
type CellEdit struct {
	Cell event.CellID
	Edit text.Edit
	ID   event.ID // of the event, if it is one of the log
	// Run is set when the room made the edit of what the program of that run offered.
	// Inverse then takes it back.
	Run     event.RunID
	Inverse text.Edit
}

// MadeCell is a cell that the room made of what the program of a run offered.
type MadeCell struct {
	Run  event.RunID
	Cell event.CellID
}

// New returns an empty replica. The client id must be new, or the runtime's own
// and belong to nothing that still runs.
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

// ClaimRuns has each later hello say that the room is to give the runtime its runs.
func (r *Replica) ClaimRuns() { r.claims = true }

// View returns the notebook as its person should see it: with all that is pending.
// It must not be changed and is good until the replica's next method call.
func (r *Replica) View() *notebook.Notebook { return r.view }

// Confirmed returns the notebook as it is in the log. The same holds as for View.
func (r *Replica) Confirmed() *notebook.Notebook { return r.confirmed }

// Client returns the id that the replica's events carry.
func (r *Replica) Client() event.ClientID { return r.client }

// Pending returns how many events wait to be confirmed.
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

// Online reports whether the replica is connected and has all that the log had
// when it connected.
func (r *Replica) Online() bool { return r.online && r.confirmed.Seq() >= r.goal }

// Actor and Role are what the room said of this replica when it welcomed it.
func (r *Replica) Actor() event.Actor { return r.actor }

// Role returns what the room said that this replica may do.
func (r *Replica) Role() access.Role { return r.role }

// Closed returns why the room ended the connection for good, or nil.
func (r *Replica) Closed() *protocol.Closed { return r.closed }

// Peers returns who is connected, by client.
func (r *Replica) Peers() map[event.ClientID]protocol.Peer { return r.peers }

// IsAway reports whether the notebook's runtime of a kind has not stopped, and yet is not
// connected: nobody reaches it. It is false while this replica cannot tell.
func (r *Replica) IsAway(t event.Takes) bool {
	rt := r.confirmed.Runtime(t)
	if !r.Online() || !r.knowsPeers || rt == nil || rt.State == notebook.RuntimeStopped {
		return false
	}
	its := event.NewActor(event.ActorRuntime, string(rt.ID))
	for _, p := range r.peers {
		if p.Actor == its {
			return false
		}
	}
	return true
}

// Refused returns the events that were refused since the last call, of very many
// the latest 1,000.
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
