package replica

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// Flush is what a storage is to store of a replica, all of it or nothing.
type Flush struct {
	// State takes the place of the one before.
	State []byte
	// Snapshot, if there is one, takes the place of the snapshot and of all events
	// that are stored.
	Snapshot []byte
	// Events follow those that are stored, or the snapshot.
	Events [][]byte
	// Seq is the number of the last event that is confirmed with it.
	Seq event.Seq
	// Pending is how many events are pending in it.
	Pending int
}

const (
	// minGrowth is how many bytes of events are stored, at least, before a new snapshot
	// takes their place. Of a notebook that is larger it is the size of its snapshot, so
	// that to make and to store it costs no more than the events did.
	minGrowth = 256 << 10
	// maxUnstored is how many bytes of events wait for a flush. When there are more, the
	// next flush has a snapshot in their place.
	maxUnstored = 8 << 20
)

// persister is what a replica knows of its storage.
type persister struct {
	busy      bool   // a flush is under way
	lastState []byte // of the last flush

	whole        bool     // the next flush has a snapshot
	raw          []byte   // which is this one, with the events that follow it; else a new one
	unstored     [][]byte // events for the next flush
	unstoredSize int      // their bytes

	base  int // bytes of the snapshot that is stored
	grown int // bytes of the events that are stored behind it
}

// resumed says that the storage has what the replica was resumed from.
func (k *persister) resumed(from Persisted) {
	k.whole, k.lastState, k.base = false, from.State, len(from.Snapshot)
	for _, e := range from.Events {
		k.grown += len(e)
	}
}

// Persist returns what a storage lacks of the replica, and is to be told with
// [Replica.Stored] what became of it. It returns nil when nothing changed since the
// last flush, when that is still under way, or while a resumed replica is read anew.
//
// The first call has what is confirmed from then on collected for the next, so that it
// is best made before the replica connects. Whoever calls Keep goes on to call it whenever
// something changed: a pending event of which the storage has another form than the
// room is to get is not sent before the new form is stored. The room, and a replica that is
// resumed, could not know the two for one event.
//
// What is pending may be flushed often while it is sent rarely; it costs time for all
// that is pending.
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
		r.releaseStale(true) // what was altered is as it was before
		return nil, nil
	}
	f := &Flush{State: data, Seq: r.confirmed.Seq(), Pending: len(r.pending)}
	if err := r.fill(f); err != nil {
		return nil, fmt.Errorf("keep replica: %w", err)
	}
	k.busy, k.lastState = true, data
	for _, p := range r.pending {
		p.stored, p.flushed = true, true
		p.whole = p.whole || r.online // it is sent soon, and without waiting for another flush
	}
	return f, nil
}

// encodeState returns the JSON of what is stored anew each time.
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

// appendTo adds the JSON of a [stateDraft] to dst. There may be thousands, and
// encoding/json would read each once more.
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

// fill puts what is confirmed into a flush.
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

// Stored says what became of the last flush: that it is stored, or that it is not and
// never will be. After that the next flush has all, and until then nothing waits for
// being stored: it is better sent than kept back.
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

// releaseStale lets pending events be sent that are stored as they are, or all of them.
func (r *Replica) releaseStale(all bool) {
	for _, p := range r.pending {
		if p.flushed || all {
			p.flushed, p.stale = false, false
		}
	}
}

// rewrite has the next flush begin with a snapshot that is made then.
func (k *persister) rewrite() {
	k.whole, k.raw, k.unstored, k.unstoredSize = true, nil, nil, 0
}

// record collects an event of the log for the next flush.
func (k *persister) record(e *event.Event) {
	if k == nil || k.whole && k.raw == nil {
		return // a snapshot will have it
	}
	data, err := event.Append(nil, e)
	if err != nil || k.unstoredSize+len(data) > maxUnstored {
		k.rewrite()
		return
	}
	k.unstored = append(k.unstored, data)
	k.unstoredSize += len(data)
}

// restart has the next flush begin with a snapshot that came from the room.
func (k *persister) restart(snapshot []byte) {
	if k == nil {
		return
	}
	k.rewrite()
	k.raw = snapshot
}

// markAltered says that a pending event is not as it was kept any more, so that it has to be
// kept again before it is sent.
func (p *pending) markAltered() {
	p.flushed, p.stale = false, p.stored
}

// whenUpToDate is called when the replica may be up to date. The first time in its life that
// it is, it has seen all that its client stated in earlier lives. What was made before may
// have the id of an event that was stated and not kept; from now on each id is for one event.
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
