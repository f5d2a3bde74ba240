package notebook

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/quirehq/quire/core/event"
)

// maxCommBytes bounds the bytes of a notebook's comms, live and dead together, and [event.MaxComms] their number: a
// program that opens comms without end must not fill the memory of every replica. See [Comm.size].
const maxCommBytes = 32 << 20

// Comm is a comm that a program opened, with its current state. A change replaces its row.
type Comm struct {
	ID       event.CommID               `json:"id"`
	Target   string                     `json:"target"`
	Run      event.RunID                `json:"run,omitempty"` // the run that opened it
	Epoch    event.Epoch                `json:"epoch"`
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"`
	State    map[string]json.RawMessage `json:"state,omitempty"`
	Data     json.RawMessage            `json:"data,omitempty"`
	Buffers  []event.Buffer             `json:"buffers,omitempty"`
	// Dead says that its program has ended, so nothing answers. A dead comm is kept while an output shows it.
	Dead bool `json:"dead,omitempty"`

	size  int            // bytes that count towards maxCommBytes
	names []event.CommID // of a dead comm: the comms that its state refers to
}

// commRows has the comms of a notebook, and the counts that decide how long a dead one is kept.
type commRows struct {
	rows  map[event.CommID]*Comm
	bytes int // of all comms
	dead  int // number of dead comms
	// views counts the outputs that show a comm, whether it exists or not.
	views map[event.CommID]int
	// sweepNeeded says that a dead comm may have lost its last view, so [Notebook.sweepComms] must run.
	sweepNeeded bool
}

func newComms() commRows {
	return commRows{rows: map[event.CommID]*Comm{}, views: map[event.CommID]int{}}
}

func (c *commRows) clone() commRows {
	own := *c
	own.rows, own.views = maps.Clone(c.rows), maps.Clone(c.views)
	return own
}

// foldComms folds an event of the family of comms.
func (n *Notebook) foldComms(e *event.Event, dst []Change) (d []Change, known bool, err error) {
	switch p := e.Payload.(type) {
	case *event.CommOpened:
		dst, err = n.commOpened(p, dst)
	case *event.CommUpdated:
		dst, err = n.commUpdated(p, dst)
	case *event.CommSent:
		dst, err = n.commSent(p, dst)
	case *event.CommClosed:
		dst, err = n.commClosed(p, dst)
	case *event.CommsLost:
		dst, err = n.commsLost(p, dst)
	default:
		return dst, false, nil
	}
	return dst, true, err
}

// Comm returns a comm, or nil if the notebook does not have it or dropped it.
func (n *Notebook) Comm(id event.CommID) *Comm { return n.comms.rows[id] }

// Comms returns the ids of the comms, sorted.
func (n *Notebook) Comms() []event.CommID { return slices.Sorted(maps.Keys(n.comms.rows)) }

// liveComm returns a comm that is open in the runtime of an epoch.
func (n *Notebook) liveComm(id event.CommID, epoch event.Epoch) (*Comm, error) {
	c := n.comms.rows[id]
	switch {
	case c == nil:
		return nil, notFound("comm", id)
	case c.Dead:
		return nil, conflict("comm %s is dead: its program has ended", id)
	case c.Epoch != epoch:
		return nil, conflict("comm %s is of epoch %d, not %d", id, c.Epoch, epoch)
	}
	return c, nil
}

func (n *Notebook) commOpened(p *event.CommOpened, dst []Change) ([]Change, error) {
	if !n.isLive(p.Epoch) {
		return dst, conflict("epoch %d is that of no running runtime", p.Epoch)
	}
	old := n.comms.rows[p.Comm]
	if old != nil && !old.Dead {
		return dst, conflict("comm %s is open already", p.Comm)
	}
	c := &Comm{
		ID: p.Comm, Target: p.Target, Run: p.Run, Epoch: p.Epoch, Metadata: packedAll(p.Metadata),
		State: packedAll(p.State), Data: packed(p.Data), Buffers: p.Buffers,
	}
	if old == nil && len(n.comms.rows) >= event.MaxComms {
		return dst, invalid("the notebook has %d comms, and no more fit: close some, or restart the runtime", event.MaxComms)
	}
	return n.replaceComm(old, c, dst)
}

// isLive reports whether an epoch is that of a runtime that has not stopped.
func (n *Notebook) isLive(epoch event.Epoch) bool {
	for _, rt := range n.runtimes {
		if rt.Epoch == epoch && rt.State != RuntimeStopped {
			return true
		}
	}
	return false
}

// replaceComm replaces a row, or adds one if old is nil, unless it exceeds maxCommBytes.
func (n *Notebook) replaceComm(old, c *Comm, dst []Change) ([]Change, error) {
	c.size = c.measure()
	total := n.comms.bytes + c.size
	if old != nil {
		total -= old.size
	}
	if total > maxCommBytes && (old == nil || c.size > old.size) {
		return dst, invalid("the comms of the notebook would have %d bytes, and at most %d fit: close some, or restart the runtime",
			total, maxCommBytes)
	}
	if old != nil && old.Dead {
		n.comms.dead--
		n.comms.sweepNeeded = true
	}
	n.comms.bytes, n.comms.rows[c.ID] = total, c
	return changed(dst, TableComms, c.ID), nil
}

func (n *Notebook) commUpdated(p *event.CommUpdated, dst []Change) ([]Change, error) {
	c, err := n.liveComm(p.Comm, p.Epoch)
	if err != nil {
		return dst, err
	}
	return n.replaceComm(c, c.updated(p), dst)
}

// updated returns the row with the keys of an update replaced.
func (c *Comm) updated(p *event.CommUpdated) *Comm {
	next := *c
	next.State, next.Buffers = maps.Clone(c.State), nil
	if next.State == nil {
		next.State = map[string]json.RawMessage{}
	}
	fresh := packedAll(p.State)
	for _, key := range keysOf(p.Buffers) {
		delete(next.State, key)
	}
	maps.Copy(next.State, fresh)
	replaced := map[string]bool{}
	for _, key := range keysOf(p.Buffers) {
		replaced[key] = true
	}
	for i := range c.Buffers {
		key, ok := c.Buffers[i].Key()
		if _, has := fresh[key]; !ok || !has && !replaced[key] {
			next.Buffers = append(next.Buffers, c.Buffers[i])
		}
	}
	next.Buffers = append(next.Buffers, p.Buffers...)
	return &next
}

// keysOf returns the state keys of buffers.
func keysOf(buffers []event.Buffer) (keys []string) {
	for i := range buffers {
		if key, ok := buffers[i].Key(); ok {
			keys = append(keys, key)
		}
	}
	return keys
}

// commSent changes nothing: a message is for the members that are connected now.
func (n *Notebook) commSent(p *event.CommSent, dst []Change) ([]Change, error) {
	_, err := n.liveComm(p.Comm, p.Epoch)
	return dst, err
}

func (n *Notebook) commClosed(p *event.CommClosed, dst []Change) ([]Change, error) {
	c, err := n.liveComm(p.Comm, p.Epoch)
	if err != nil {
		return dst, err
	}
	return n.dropComm(c, dst), nil
}

func (n *Notebook) dropComm(c *Comm, dst []Change) []Change {
	delete(n.comms.rows, c.ID)
	n.comms.bytes -= c.size
	if c.Dead {
		n.comms.dead--
	}
	return changed(dst, TableComms, c.ID)
}

func (n *Notebook) commsLost(p *event.CommsLost, dst []Change) ([]Change, error) {
	before := len(dst)
	for _, id := range p.Comms {
		if c, err := n.liveComm(id, p.Epoch); err == nil {
			dst = n.endComm(c, dst)
		}
	}
	if len(dst) == before {
		return dst, conflict("none of the comms is open in epoch %d", p.Epoch)
	}
	return dst, nil
}

// endComms marks every open comm of the runtime of an epoch as dead.
func (n *Notebook) endComms(epoch event.Epoch, dst []Change) []Change {
	for _, id := range n.Comms() {
		if c := n.comms.rows[id]; c.Epoch == epoch && !c.Dead {
			dst = n.endComm(c, dst)
		}
	}
	return dst
}

func (n *Notebook) endComm(c *Comm, dst []Change) []Change {
	dead := *c
	dead.Dead, dead.names = true, references(c.State)
	n.comms.rows[c.ID] = &dead
	n.comms.dead++
	n.comms.sweepNeeded = true
	return changed(dst, TableComms, c.ID)
}

// measure returns the bytes of a comm that count towards maxCommBytes.
func (c *Comm) measure() int {
	n := len(c.ID) + len(c.Target) + len(c.Data) + sizeOf(c.Metadata) + sizeOf(c.State)
	for i := range c.Buffers {
		b := &c.Buffers[i]
		for _, step := range b.Path {
			n += len(step)
		}
		n += len(b.Data)
		if b.Artifact != nil {
			n += len(b.Artifact.Hash)
		}
	}
	return n
}

func sizeOf(m map[string]json.RawMessage) int {
	n := 0
	for key, value := range m {
		n += len(key) + len(value)
	}
	return n
}

// packedAll returns values in the form of a snapshot, so that they have the same size in a restored notebook.
func packedAll(m map[string]json.RawMessage) map[string]json.RawMessage {
	all := make(map[string]json.RawMessage, len(m))
	for key, value := range m {
		all[key] = packed(value)
	}
	return all
}

func packed(raw json.RawMessage) json.RawMessage {
	var buf bytes.Buffer
	if json.Compact(&buf, raw) != nil {
		return raw
	}
	return buf.Bytes()
}
