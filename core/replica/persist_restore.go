package replica

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
)

// Persisted is a replica as a storage has it, from its flushes.
type Persisted struct {
	// State is that of the latest [Flush].
	State []byte
	// Snapshot is the latest that a flush had. Without one only the pending events are
	// restored, and the notebook is folded again from the room's log.
	Snapshot []byte
	// Events are those of the flush with the snapshot, and of all flushes since.
	Events [][]byte
}

// persistedState is the part of a replica, in JSON, that changes with every flush.
type persistedState struct {
	Client  event.ClientID   `json:"client"`
	Counter uint64           `json:"counter"`
	Fold    int              `json:"fold"`
	Seq     event.Seq        `json:"seq"` // the confirmed number, on which the pending events are made
	Actor   event.Actor      `json:"actor,omitempty"`
	Role    access.Role      `json:"role,omitempty"`
	Present bool             `json:"present,omitempty"`
	Pending []persistedDraft `json:"pending,omitempty"`
}

// persistedDraft is a pending event.
type persistedDraft struct {
	Draft event.Draft `json:"draft"`
	// Known says that an event of the log with this id is this one: it may have been sent.
	Known bool `json:"known,omitempty"`
}

// Restore returns a persisted replica, with its client id and pending events. It is not
// connected, and must be persisted further: see [Replica.Persist].
//
// Without a snapshot of this [notebook.Version] the notebook is refolded: the view is empty
// and takes no changes until the room has sent the log up to the confirmed number; then it
// has the pending events again.
//
// The error says which part is damaged. The state without snapshot and events may still
// be restored.
func Restore(k Persisted) (*Replica, error) {
	s, err := decodeState(k.State)
	if err != nil {
		return nil, fmt.Errorf("restore replica: %w", err)
	}
	r := New(s.Client)
	r.n, r.actor, r.role, r.persister = s.Counter, s.Actor, s.Role, &persister{whole: true}
	pending, err := r.decodePending(s.Pending)
	if err != nil {
		return nil, fmt.Errorf("restore replica: %w", err)
	}
	if s.Fold != notebook.Version || len(k.Snapshot) == 0 {
		r.startRefold(s, k, pending)
		return r, nil
	}
	book, err := foldPersisted(k)
	if err == nil && book.Seq() != s.Seq {
		err = fmt.Errorf("the events end at %d, and the pending ones were made on %d", book.Seq(), s.Seq)
	}
	if err != nil {
		return nil, fmt.Errorf("restore replica: %w", err)
	}
	r.confirmed, r.pending, r.present = book, pending, s.Present
	if p := r.misfit(); p != nil {
		return nil, fmt.Errorf("restore replica: pending event %s does not fit its cell", p.draft.ID)
	}
	r.rebuildView()
	r.persister.resumed(k)
	return r, nil
}

// resumed notes what the storage has when a replica was restored from it.
func (k *persister) resumed(from Persisted) {
	k.whole, k.lastState, k.base = false, from.State, len(from.Snapshot)
	for _, e := range from.Events {
		k.grown += len(e)
	}
}

// maxCounter bounds a persisted counter, and leaves enough counters for a client's life.
const maxCounter = math.MaxUint64 >> 1

func decodeState(data []byte) (*persistedState, error) {
	s := new(persistedState)
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	switch err := event.CheckName("client", string(s.Client)); {
	case err != nil:
		return nil, fmt.Errorf("state: %w", err)
	case s.Client == protocol.RoomClient:
		return nil, fmt.Errorf("state: client %q is the room itself", s.Client)
	case s.Counter > maxCounter:
		return nil, fmt.Errorf("state: the counter is %d, at most %d is possible", s.Counter, uint64(maxCounter))
	}
	return s, nil
}

// decodePending returns the pending events of a persisted state.
func (r *Replica) decodePending(drafts []persistedDraft) ([]*pending, error) {
	list := make([]*pending, len(drafts))
	last := uint64(0)
	for i, d := range drafts {
		id, p := d.Draft.ID, d.Draft.Payload
		switch {
		case p == nil:
			return nil, fmt.Errorf("pending event %d is missing", i)
		case id.Client != r.client || id.N <= last || id.N > r.n:
			return nil, fmt.Errorf("pending event %s cannot follow %d of client %s, whose counter is %d", id, last, r.client, r.n)
		case p.Check() != nil:
			return nil, fmt.Errorf("pending event %s: %w", id, p.Check())
		}
		last = id.N
		size, err := r.measure(p)
		if err != nil {
			return nil, fmt.Errorf("pending event %s: %w", id, err)
		}
		list[i] = &pending{draft: d.Draft, first: id, tried: d.Known, size: size, stored: true}
	}
	return list, nil
}

// foldPersisted returns the persisted confirmed notebook.
func foldPersisted(k Persisted) (*notebook.Notebook, error) {
	book, err := notebook.Restore(k.Snapshot)
	if err != nil {
		return nil, err
	}
	var changes []notebook.Change
	for i, data := range k.Events {
		e, err := event.Decode(data)
		switch {
		case err != nil:
			return nil, fmt.Errorf("event %d of those after the snapshot: %w", i, err)
		case e.Seq != book.Seq()+1:
			return nil, fmt.Errorf("event %d follows event %d", e.Seq, book.Seq())
		}
		changes, _ = book.Apply(&e, changes[:0]) // a moot event changes nothing
	}
	return book, nil
}

// misfit returns the first pending edit that does not fit the text of its cell, or nil. An
// edit may not fit when the storage is damaged, or the edit was transformed to another text.
func (r *Replica) misfit() *pending {
	if len(r.pending) == 0 {
		return nil
	}
	r.branch()
	var changes []notebook.Change
	for _, p := range r.queue() {
		d := r.rebased(p)
		e, isEdit := d.Payload.(*event.SourceEdited)
		missing := isEdit && r.view.Cell(e.Cell) == nil // the room will refuse it
		var err error
		if changes, err = r.view.Apply(r.unnumbered(d), changes[:0]); err != nil && isEdit && !missing {
			return p
		}
	}
	return nil
}
