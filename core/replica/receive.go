package replica

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/text"
)

// Hello returns the message that opens a connection.
func (r *Replica) Hello() *protocol.Hello {
	return &protocol.Hello{
		Version: protocol.Version, Client: r.helloClient(), Since: r.confirmed.Seq(), Fold: notebook.Version,
		Pending: r.Pending() > 0, Runtime: r.runtime, Takes: r.takes, Claims: r.claims, Present: r.present,
	}
}

// helloClient returns the client id for the next connection. It replaces an id whose
// counters are used up, which one event could once do to a log.
func (r *Replica) helloClient() event.ClientID {
	if r.next == "" && r.runtime == "" && r.confirmed.Seen(r.client) > maxCounter {
		r.next = newClient()
	}
	if r.next != "" {
		return r.next
	}
	return r.client
}

// newClient returns an id that no other client has.
func newClient() event.ClientID {
	return event.ClientID(strconv.FormatUint(rand.Uint64(), 36) + strconv.FormatUint(rand.Uint64(), 36))
}

// Disconnected notes that the connection is lost. Pending events are sent again on the next
// one, and calls are not.
func (r *Replica) Disconnected() {
	r.online, r.knowsPeers = false, false
	r.out = nil
	clear(r.peers)
	r.endCalls()
	for _, p := range r.pending {
		p.sent = false
	}
}

// endCalls ends the calls of a lost connection.
func (r *Replica) endCalls() {
	r.conn++
	r.incoming = nil
	for id, a := range r.calls {
		if a == nil {
			r.calls[id] = &protocol.Answer{ID: id, Error: protocol.NewCallError(protocol.CodeUnavailable, "the connection was lost before the answer came")}
		}
	}
}

// Receive handles a message of the room. With an error the caller closes the connection:
// the room ended it, or broke the protocol.
func (r *Replica) Receive(msg protocol.ToClient) (Update, error) {
	switch msg := msg.(type) {
	case *protocol.Welcome:
		return r.receiveWelcome(msg)
	case *protocol.Events:
		return r.receiveEvents(msg)
	case *protocol.Refused:
		return r.receiveRefusal(msg)
	case *protocol.Peers:
		r.receivePeers(msg)
		return Update{}, nil
	case *protocol.Call:
		r.receiveCall(msg)
		return Update{}, nil
	case *protocol.Answer:
		r.receiveAnswer(msg)
		return Update{}, nil
	case *protocol.Resume:
		if msg.Unwritten {
			return Update{}, &UnwrittenError{Reason: msg.Reason}
		}
		return Update{}, fmt.Errorf("the room asks to connect again: %s", msg.Reason)
	case *protocol.Closed:
		switch {
		case r.mayRename(msg):
			r.next = newClient()
		case msg.Code != protocol.CodeUnavailable:
			r.closed = msg
		}
		return Update{}, msg
	}
	return Update{}, fmt.Errorf("message %T is not one that a room sends", msg)
}

// receiveCall queues a call for this runtime.
func (r *Replica) receiveCall(c *protocol.Call) {
	in := Incoming{Call: *c, conn: r.conn}
	if r.runtime == "" || len(r.incoming) >= maxIncoming {
		r.Answer(&in, nil, protocol.NewCallError(protocol.CodeUnavailable, "the runtime has too much to answer; ask again later"))
		return
	}
	r.incoming = append(r.incoming, in)
}

// receiveAnswer keeps the answer to a call, unless the call was dropped.
func (r *Replica) receiveAnswer(a *protocol.Answer) {
	if known, ok := r.calls[a.ID]; ok && known == nil {
		r.calls[a.ID] = a
	}
}

func (r *Replica) receivePeers(p *protocol.Peers) {
	if p.All {
		clear(r.peers)
		r.knowsPeers = true
	}
	for _, c := range p.Gone {
		delete(r.peers, c)
	}
	for _, peer := range p.Peers {
		r.peers[peer.Client] = peer // also if its client is in Gone: it has connected again
	}
}

func (r *Replica) receiveWelcome(w *protocol.Welcome) (Update, error) {
	r.online, r.goal, r.actor, r.role, r.closed = true, w.Last, w.Actor, w.Role, nil
	if w.Snapshot == nil {
		if w.Seq != r.confirmed.Seq() {
			return Update{}, fmt.Errorf("the room goes on at %d, this replica has %d", w.Seq, r.confirmed.Seq())
		}
		up := Update{Changes: r.finishRefold()}
		r.whenUpToDate()
		return up, nil
	}
	book, err := notebook.Restore(w.Snapshot)
	if err != nil {
		return Update{}, err
	}
	r.present = w.Present
	r.persister.restart(w.Snapshot)
	return r.reset(book), nil
}

// reset replaces the confirmed notebook, and transforms the pending edits over the
// difference.
func (r *Replica) reset(book *notebook.Notebook) Update {
	old := r.confirmed
	r.confirmed, r.view, r.lastView = book, book, nil
	r.transformAll(old, book)
	var up Update
	for _, id := range slices.Concat(old.Cells(), book.Cells()) {
		up.Changes = append(up.Changes, notebook.Change{Table: notebook.TableCells, ID: string(id)})
	}
	up.Changes = append(up.Changes, notebook.Change{Table: notebook.TableNotebook})
	up.Changes = append(up.Changes, r.rebuildView()...)
	up.Changes = append(up.Changes, r.finishRefold()...)
	r.whenUpToDate()
	return up
}

// transformAll transforms the pending edits of each cell, deleted ones too, over the
// difference of two notebooks.
func (r *Replica) transformAll(old, book *notebook.Notebook) {
	moved := map[event.CellID]bool{}
	for _, p := range r.pending {
		e, ok := p.draft.Payload.(*event.SourceEdited)
		if !ok || moved[e.Cell] {
			continue
		}
		moved[e.Cell] = true
		if a, b := old.Cell(e.Cell), book.Cell(e.Cell); a != nil && b != nil {
			r.transformPending(e.Cell, text.Diff(a.Source(), b.Source()))
		}
	}
}

// receiveEvents folds events of the log, and the pending events on top of them.
func (r *Replica) receiveEvents(msg *protocol.Events) (Update, error) {
	events := msg.Events
	up := Update{Committed: events}
	asSeen := r.view != r.confirmed // the view has all of the events already
	for i := range events {
		e := &events[i]
		if e.Seq != r.confirmed.Seq()+1 {
			return up, fmt.Errorf("the room sent event %d after %d", e.Seq, r.confirmed.Seq())
		}
		if msg.Records != nil {
			r.persister.record(msg.Records[i])
		} else {
			r.persister.encode(e)
		}
		asSeen = r.confirm(e, &up) && asSeen
		if r.refold != nil {
			up.Changes = append(up.Changes, r.finishRefold()...)
			asSeen = false
		}
	}
	if !asSeen || len(r.pending) == 0 {
		up.Changes = append(up.Changes, r.rebuildView()...)
	}
	r.whenUpToDate()
	return up, nil
}

// confirm folds one event of the log, and reports whether the view has it too. That is so
// for edits, which are nearly all events: an own edit that was the first pending event is in
// the view already, and an edit of another client is transformed over the pending ones and
// folded into the view.
func (r *Replica) confirm(e *event.Event, up *Update) (asSeen bool) {
	p, isEdit := e.Payload.(*event.SourceEdited)
	run := r.offered(e)
	own := -1
	if e.ID.Client == r.client {
		r.n = max(r.n, e.ID.N)
		own = r.removePending(e.ID)
	}
	switch {
	case own >= 0:
		asSeen = own == 0 && isEdit
	case isEdit:
		over := r.transformPending(p.Cell, p.Edit)
		edit := r.offeredEdit(run, p.Cell, over)
		edit.ID = e.ID
		up.Edits = append(up.Edits, edit)
		asSeen = r.editView(p.Cell, over)
	}
	if made, ok := e.Payload.(*event.CellCreated); ok && run != "" {
		up.Made = append(up.Made, MadeCell{Run: run, Cell: made.Cell})
	}
	up.Changes, _ = r.confirmed.Apply(e, up.Changes) // a moot event changes nothing
	return asSeen
}

// editView folds an edit that fits the view into it, and reports whether it did.
func (r *Replica) editView(cell event.CellID, edit text.Edit) bool {
	c := r.view.Cell(cell)
	if c == nil || r.view == r.confirmed {
		return false
	}
	one := event.Event{Payload: &event.SourceEdited{Cell: cell, Rev: c.Rev, Edit: edit}}
	_, err := r.view.Apply(&one, nil)
	return err == nil
}

// removePending removes a confirmed event from the pending ones, and returns its index: 0,
// unless an event before it was refused. It returns -1 for an event that is not pending, or
// has the id of one that was never sent: an earlier replica with the same client made it.
func (r *Replica) removePending(id event.ID) int {
	i := slices.IndexFunc(r.pending, func(p *pending) bool { return p.tried && p.draft.ID == id })
	switch {
	case i == 0:
		r.edits.dropFirst(r.pending[0])
		r.pending = r.pending[1:]
	case i > 0:
		r.edits.invalidate()
		r.pending = slices.Delete(r.pending, i, i+1)
	}
	return i
}

// rebuildView folds the pending events on top of the confirmed notebook. It returns the
// rows that they change.
func (r *Replica) rebuildView() []notebook.Change {
	if len(r.pending) == 0 {
		r.rejoin()
		return nil
	}
	r.branch()
	var changes []notebook.Change
	for _, p := range r.queue() {
		p.rows, _ = r.view.Apply(r.unnumbered(r.rebased(p)), nil) // the room will refuse a moot one
		changes = append(changes, p.rows...)
	}
	return changes
}

// rebased returns a pending event as it fits the view: an edit gets the revision of the
// cell there.
func (r *Replica) rebased(p *pending) event.Draft {
	e, ok := p.draft.Payload.(*event.SourceEdited)
	if !ok {
		return p.draft
	}
	if c := r.view.Cell(e.Cell); c != nil {
		e.Rev = c.Rev
	}
	return p.draft
}

// errEditRefused ends a connection on which the room has refused an edit: the later edits of
// that cell were made on a text that never existed, and the room admits none of them.
var errEditRefused = errors.New("the room refused an edit; connecting again")

// receiveRefusal takes back an event that the room refused, and after an edit all later
// edits of its cell.
func (r *Replica) receiveRefusal(msg *protocol.Refused) (Update, error) {
	i := slices.IndexFunc(r.pending, func(p *pending) bool { return p.draft.ID == msg.ID })
	if i < 0 || msg.Code == protocol.CodeDuplicate {
		return Update{}, nil // it is in the log: the room refused a copy of it
	}
	up := Update{Changes: r.moveToRefused(i, msg)}
	e, isEdit := r.refused[len(r.refused)-1].Draft.Payload.(*event.SourceEdited)
	for isEdit && i < len(r.pending) {
		if r.pending[i].edit(e.Cell) == nil {
			i++
			continue
		}
		up.Changes = append(up.Changes, r.moveToRefused(i, msg)...)
	}
	up.Changes = append(up.Changes, r.rebuildView()...)
	if isEdit {
		return up, errEditRefused
	}
	return up, nil
}

// keepRefused is the most refused events that wait for [Replica.Refused].
const keepRefused = 1_000

// moveToRefused moves a pending event to the refused ones.
func (r *Replica) moveToRefused(i int, msg *protocol.Refused) []notebook.Change {
	r.edits.invalidate()
	p := r.pending[i]
	r.refused = append(r.refused, Refusal{ID: p.first, Draft: p.draft, Code: msg.Code, Message: msg.Message})
	r.refused = r.refused[max(0, len(r.refused)-keepRefused):]
	r.pending = slices.Delete(r.pending, i, i+1)
	return p.rows
}

// offered returns the run whose offered source an event of the room applies, empty for any
// other event. It must be called with each event of the log in order: the room's event
// follows the offer.
func (r *Replica) offered(e *event.Event) event.RunID {
	run := r.offer
	r.offer = ""
	if p, ok := e.Payload.(*event.SourceOffered); ok {
		r.offer = p.Run
	}
	if e.ID.Client != protocol.RoomClient {
		return ""
	}
	return run
}

// offeredEdit returns an edit for the view, with its inverse if it applies the offer of a
// run. The view does not have it yet.
func (r *Replica) offeredEdit(run event.RunID, cell event.CellID, edit text.Edit) CellEdit {
	made := CellEdit{Cell: cell, Edit: edit}
	if c := r.view.Cell(cell); run != "" && c != nil {
		if inverse, err := edit.Invert(c.Text()); err == nil {
			made.Run, made.Inverse = run, inverse
		}
	}
	return made
}

// UnwrittenError says that a room could write nothing, with the reason that it gave.
type UnwrittenError struct{ Reason string }

// Error returns the reason.
func (e *UnwrittenError) Error() string { return e.Reason }

// whenUpToDate is called when the replica may be up to date. The first time it is, it has
// seen all events of its client from earlier lives. A pending event made before may have the
// id of an event that was committed but not persisted, and gets a new one; from then on ids
// are unique.
func (r *Replica) whenUpToDate() {
	r.rename()
	if r.certain || !r.Online() {
		return
	}
	r.certain = true
	r.n = max(r.n, r.confirmed.Seen(r.client))
	r.renumber()
	for _, p := range r.pending {
		if !p.tried {
			p.markAltered()
		}
	}
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

// mayRename reports whether the room ended a connection because the client id belongs to
// another actor; then the replica connects under another id. A runtime keeps its id: its
// spooled events are recovered under it.
func (r *Replica) mayRename(msg *protocol.Closed) bool {
	return msg.Code == protocol.CodeConflict && r.runtime == ""
}
