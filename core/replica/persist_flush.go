package replica

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// Flush is the difference that a storage stores to persist a replica, all or nothing.
type Flush struct {
	// State replaces the stored state.
	State []byte
	// Snapshot, if there is one, replaces the stored snapshot and all stored events.
	Snapshot []byte
	// Events follow the stored events, or the snapshot.
	Events [][]byte
	// Seq is the number of the last confirmed event.
	Seq event.Seq
	// Pending is the number of pending events.
	Pending int
}

const (
	// minGrowth is the least size of stored events before a new snapshot replaces them. If
	// the stored snapshot is larger, its size counts, so making and storing a new one costs
	// no more than the events did.
	minGrowth = 256 << 10
	// maxUnstored is the most bytes of events that wait for a flush. When there are more,
	// the next flush has a snapshot instead.
	maxUnstored = 8 << 20
)

// persister tracks the difference between a replica and its storage.
type persister struct {
	busy      bool   // a flush is in flight
	lastState []byte // of the last flush

	whole        bool     // the next flush has a snapshot
	raw          []byte   // that snapshot, if the room sent it; the unstored events follow it
	unstored     [][]byte // events for the next flush
	unstoredSize int      // their size

	base  int // size of the stored snapshot
	grown int // size of the stored events behind it
}

// Persist returns the part of the replica that the storage lacks; the caller reports with
// [Replica.Stored] whether it was stored. It returns nil when nothing changed since the last
// flush, when that is in flight, or while a restored replica is being refolded.
//
// The first call starts collecting confirmed events for later flushes, and is best made
// before the replica connects. From then on the caller calls Persist after every change: a
// pending event that the storage has in another form is not sent before its new form is
// stored, since the room, and a restored replica, would take the two for different events.
//
// The cost of a call grows with the number of pending events.
func (r *Replica) Persist() (*Flush, error) {
	if r.persister == nil {
		r.persister = &persister{whole: true}
	}
	k := r.persister
	if k.busy || r.refold != nil {
		return nil, nil
	}
	if k.lastState == nil && r.confirmed.Seq() == 0 && len(r.pending) == 0 {
		return nil, nil
	}
	data, err := r.encodeState()
	if err != nil {
		return nil, fmt.Errorf("keep replica: %w", err)
	}
	if !k.whole && bytes.Equal(data, k.lastState) {
		r.releaseStale(true) // the altered events are as they were stored
		return nil, nil
	}
	f := &Flush{State: data, Seq: r.confirmed.Seq(), Pending: len(r.pending)}
	if err := r.fill(f); err != nil {
		return nil, fmt.Errorf("keep replica: %w", err)
	}
	k.busy, k.lastState = true, data
	for _, p := range r.pending {
		p.stored, p.flushed = true, true
		p.whole = p.whole || r.online // it is sent soon, without waiting for another flush
	}
	return f, nil
}

// encodeState returns the JSON of the persistedState.
func (r *Replica) encodeState() ([]byte, error) {
	dst, err := json.Marshal(&persistedState{
		Client: r.client, Counter: r.n, Fold: notebook.Version, Seq: r.confirmed.Seq(), Actor: r.actor, Role: r.role, Present: r.present,
	})
	if err != nil || len(r.pending) == 0 {
		return dst, err
	}
	dst = append(dst[:len(dst)-1], `,"pending":[`...)
	for i, p := range r.queue() {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = p.appendTo(dst, p.tried || r.certain); err != nil {
			return nil, err
		}
	}
	return append(dst, `]}`...), nil
}

// appendTo appends the JSON of a [persistedDraft] to dst. There may be thousands, and
// encoding/json would parse each once more.
func (p *pending) appendTo(dst []byte, known bool) ([]byte, error) {
	dst = append(dst, `{"draft":`...)
	dst, err := event.AppendDraft(dst, &p.draft)
	if err != nil {
		return nil, err
	}
	if known {
		dst = append(dst, `,"known":true`...)
	}
	return append(dst, '}'), nil
}

// fill adds the confirmed events, or a snapshot, to a flush.
func (r *Replica) fill(f *Flush) error {
	k := r.persister
	f.Events = k.unstored
	switch {
	case k.whole && k.raw != nil:
		f.Snapshot = k.raw
		k.base, k.grown = len(k.raw), k.unstoredSize
	case k.whole || k.grown+k.unstoredSize > max(minGrowth, k.base):
		snapshot, err := r.confirmed.Snapshot()
		if err != nil {
			return err
		}
		f.Snapshot, f.Events = snapshot, nil
		k.base, k.grown = len(snapshot), 0
	default:
		k.grown += k.unstoredSize
	}
	k.whole, k.raw, k.unstored, k.unstoredSize = false, nil, nil, 0
	return nil
}

// Stored reports whether the last flush was stored, or never will be. After a failure the
// next flush has everything, and until then no event waits for being stored: sending it
// is the best way to keep it.
func (r *Replica) Stored(ok bool) {
	k := r.persister
	if k == nil || !k.busy {
		return
	}
	k.busy = false
	r.releaseStale(!ok)
	if !ok {
		k.rewrite()
	}
}

// releaseStale allows sending the pending events that are stored as they are, or all of them.
func (r *Replica) releaseStale(all bool) {
	for _, p := range r.pending {
		if p.flushed || all {
			p.flushed, p.stale = false, false
		}
	}
}

// rewrite makes the next flush begin with a new snapshot.
func (k *persister) rewrite() {
	k.whole, k.raw, k.unstored, k.unstoredSize = true, nil, nil, 0
}

// encode records an event that came in a form which no room of ours writes.
func (k *persister) encode(e *event.Event) {
	if k == nil || k.whole && k.raw == nil {
		return
	}
	data, err := event.Append(nil, e)
	if err != nil {
		k.rewrite()
		return
	}
	k.record(data)
}

// record collects an event of the log for the next flush, in its JSON form.
func (k *persister) record(data []byte) {
	if k == nil || k.whole && k.raw == nil {
		return // the next snapshot will have it
	}
	if k.unstoredSize+len(data) > maxUnstored {
		k.rewrite()
		return
	}
	k.unstored = append(k.unstored, data)
	k.unstoredSize += len(data)
}

// restart makes the next flush begin with a snapshot from the room.
func (k *persister) restart(snapshot []byte) {
	if k == nil {
		return
	}
	k.rewrite()
	k.raw = snapshot
}

// markAltered notes that a pending event differs from its stored form, so it is stored
// again before it is sent.
func (p *pending) markAltered() {
	p.flushed, p.stale = false, p.stored
}
