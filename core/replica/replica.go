// Package replica keeps copies of a log in step: the room that gives events their
// numbers, the replicas that run ahead of it, and the messages between them.
//
// A [Sequencer] orders the events of one notebook, and a [Room] is one with its
// goroutine. A [Replica] is a copy that applies its own events at once and takes
// them back where the room decides otherwise; a [Session] is one with its
// connection. None of them knows of sockets or disks: a [Log] and a [Conn] are
// lent to them. spec/sync.md has the rules.
package replica

import (
	"fmt"
	"slices"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/text"
)

// Window is how many events a replica sends ahead of their acknowledgement.
const Window = 256

// Replica is a copy of a notebook that may run ahead of its room: what is
// confirmed, and what is pending on top of it. What a person types is folded into
// the view at once and sent when it can be, and is moved over what others did
// meanwhile. It starts no goroutine and has one owner.
type Replica struct {
	client  event.ClientID
	runtime event.RuntimeID
	n       uint64 // the counter of the last event made here

	confirmed *notebook.Notebook
	view      *notebook.Notebook // confirmed itself while nothing is pending
	pending   []*pending
	out       []ToRoom

	online bool      // welcomed, so that messages may be sent
	goal   event.Seq // the number to fold before anything is pushed
	actor  event.Actor
	role   access.Role
	closed *Closed
	peers  map[event.ClientID]Peer

	refused []Refusal
	told    []Refusal // the latest that Refused returned, for others who wait for their events
}

// pending is an event of this replica that is not confirmed.
type pending struct {
	draft event.Draft
	first event.ID          // that it was made with, should it have been numbered anew
	sent  bool              // on this connection
	tried bool              // on any connection, so that the room may have it as it was then
	whole bool              // takes in no more
	rows  []notebook.Change // that it changes in the view
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
	Code    Code
	Message string
}

// Update is what a replica's owner may want to show after something happened.
type Update struct {
	Changes []notebook.Change
	// Edits are the edits of others as they fit the view, for carets to follow.
	Edits []CellEdit
	// Committed are the events that the log got, in order.
	Committed []event.Event
}

// CellEdit is an edit of one cell's text.
type CellEdit struct {
	Cell event.CellID
	Edit text.Edit
}

// New returns an empty replica. The client id must be new, or the runtime's own
// and belong to nothing that still runs.
func New(client event.ClientID) *Replica {
	book := notebook.New()
	return &Replica{client: client, confirmed: book, view: book, peers: map[event.ClientID]Peer{}}
}

// NewRuntime returns the replica of a runtime.
func NewRuntime(client event.ClientID, id event.RuntimeID) *Replica {
	r := New(client)
	r.runtime = id
	return r
}

// View returns the notebook as its person should see it: with all that is pending.
// It must not be changed and is good until the replica's next method call.
func (r *Replica) View() *notebook.Notebook { return r.view }

// Confirmed returns the notebook as it is in the log. The same holds as for View.
func (r *Replica) Confirmed() *notebook.Notebook { return r.confirmed }

// Pending returns how many events wait to be confirmed.
func (r *Replica) Pending() int { return len(r.pending) }

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
func (r *Replica) Closed() *Closed { return r.closed }

// Peers returns who is connected, by client.
func (r *Replica) Peers() map[event.ClientID]Peer { return r.peers }

// Refused returns the events that the room refused since the last call.
func (r *Replica) Refused() []Refusal {
	refused := r.refused
	r.refused = nil
	r.told = append(r.told, refused...)
	r.told = r.told[max(0, len(r.told)-Window):]
	return refused
}

// refusal returns the first refusal of one of the events, or nil.
func (r *Replica) refusal(ids []event.ID) *Refusal {
	for _, refused := range [][]Refusal{r.told, r.refused} {
		i := slices.IndexFunc(refused, func(no Refusal) bool { return slices.Contains(ids, no.ID) })
		if i >= 0 {
			return &refused[i]
		}
	}
	return nil
}

// Do makes an event of a payload, folds it into the view and queues it. It returns
// the event's id, by which it can be waited for. An event that is malformed or
// moot is not made, and the error says why.
func (r *Replica) Do(p event.Payload) (event.ID, []notebook.Change, error) {
	if err := p.Check(); err != nil {
		return event.ID{}, nil, fmt.Errorf("%s: %w", p.Type(), err)
	}
	if r.role != "" && !r.role.May(access.ActionOf(p.Type())) {
		return event.ID{}, nil, fmt.Errorf("a %s may not state %s", r.role, p.Type())
	}
	if e, ok := p.(*event.SourceEdited); ok {
		return r.Edit(e.Cell, e.Edit)
	}
	return r.add(p)
}

// Edit edits the source of a cell as it is in the view. Edits that follow one
// another before they are sent become one event.
func (r *Replica) Edit(cell event.CellID, edit text.Edit) (event.ID, []notebook.Change, error) {
	c := r.view.Cell(cell)
	if c == nil {
		return event.ID{}, nil, fmt.Errorf("there is no cell %s", cell)
	}
	if last := r.unsentEdit(cell); last != nil {
		return r.extend(last, c, edit)
	}
	return r.add(&event.SourceEdited{Cell: cell, Rev: c.Rev, Edit: edit})
}

// unsentEdit returns the last pending event if it is an edit of the cell that was
// never sent. Only that may take in more: what lies behind an edit depends on it,
// and the room may have one that was sent, though its answer was lost.
func (r *Replica) unsentEdit(cell event.CellID) *pending {
	if len(r.pending) == 0 {
		return nil
	}
	last := r.pending[len(r.pending)-1]
	if last.tried || last.whole || last.edit(cell) == nil {
		return nil
	}
	return last
}

// extend adds an edit to a pending one.
func (r *Replica) extend(last *pending, c *notebook.Cell, edit text.Edit) (event.ID, []notebook.Change, error) {
	old := last.edit(c.ID)
	both, err := text.Compose(old.Edit, edit)
	if err != nil {
		return event.ID{}, nil, err
	}
	one := event.Event{Payload: &event.SourceEdited{Cell: c.ID, Rev: c.Rev, Edit: edit}}
	changes, err := r.view.Apply(&one, nil)
	if err != nil {
		return event.ID{}, nil, err
	}
	old.Edit = both
	return last.draft.ID, changes, nil
}

// Seal makes the last edit an event of its own: what is typed next does not join it.
func (r *Replica) Seal() {
	if len(r.pending) > 0 {
		r.pending[len(r.pending)-1].whole = true
	}
}

// add folds a payload into the view and queues it.
func (r *Replica) add(p event.Payload) (event.ID, []notebook.Change, error) {
	if r.view == r.confirmed {
		r.view = r.confirmed.Clone()
	}
	draft := event.Draft{ID: event.ID{Client: r.client, N: r.n + 1}, Payload: p}
	changes, err := r.view.Apply(r.ahead(draft), nil)
	if err != nil {
		if len(r.pending) == 0 {
			r.view = r.confirmed
		}
		return event.ID{}, nil, err
	}
	r.n++
	r.pending = append(r.pending, &pending{draft: draft, first: draft.ID, rows: changes})
	return draft.ID, changes, nil
}

// ahead returns a draft as an event that is not in the log.
func (r *Replica) ahead(d event.Draft) *event.Event {
	return &event.Event{ID: d.ID, Actor: r.actor, Payload: d.Payload}
}

// SetPresence tells the others where this replica's person is.
func (r *Replica) SetPresence(p Presence) {
	if r.online {
		r.out = append(r.out, &p)
	}
}

// Outgoing returns the messages that are to be sent now, in order. They count as
// sent: when they may not have been, call [Replica.Disconnected].
func (r *Replica) Outgoing() []ToRoom {
	if push := r.push(); push != nil {
		r.out = append(r.out, push)
	}
	out := r.out
	r.out = nil
	return out
}

// push takes what is pending and not sent, as far as the window goes.
func (r *Replica) push() *Push {
	if !r.Online() {
		return nil
	}
	r.renumber()
	var events []event.Draft
	for i, p := range r.pending {
		if i >= Window {
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
	return &Push{Events: events}
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
