package replica

import (
	"fmt"
	"math"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/text"
)

// Do proposes an event with a payload: it folds the event into the view and queues it. It
// returns the event's id, for which a caller can wait. A payload that is malformed, moot
// or larger than a room takes is an error.
func (r *Replica) Do(p event.Payload) (event.ID, []notebook.Change, error) {
	if err := p.Check(); err != nil {
		return event.ID{}, nil, fmt.Errorf("%s: %w", p.Type(), err)
	}
	if r.role != "" && !r.role.May(access.ActionFor(p)) {
		return event.ID{}, nil, fmt.Errorf("the role %s may not append %s", r.role, p.Type())
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
	p := &event.SourceEdited{Cell: cell, Rev: c.Rev, Edit: edit}
	size, err := r.measure(p)
	if err != nil {
		return event.ID{}, nil, err
	}
	if last := r.unsentEdit(cell); last != nil && last.size+size <= maxJoined {
		return r.extend(last, c, edit, size)
	}
	return r.addSized(p, size)
}

// unsentEdit returns the last pending event if it is an edit of the cell that was never
// sent. Only that may be extended: events behind an edit depend on it, and the room may
// have a sent edit although its answer was lost.
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

// extend composes an edit of a size into a pending one.
func (r *Replica) extend(last *pending, c *notebook.Cell, edit text.Edit, size int) (event.ID, []notebook.Change, error) {
	r.edits.invalidate()
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
	last.size += size
	last.markAltered()
	return last.draft.ID, changes, nil
}

// Seal makes the last edit an event of its own: the next edit does not extend it.
func (r *Replica) Seal() {
	if len(r.pending) > 0 {
		r.pending[len(r.pending)-1].whole = true
	}
}

// add folds a payload into the view and queues it, unless it is too large.
func (r *Replica) add(p event.Payload) (event.ID, []notebook.Change, error) {
	size, err := r.measure(p)
	if err != nil {
		return event.ID{}, nil, err
	}
	return r.addSized(p, size)
}

func (r *Replica) addSized(p event.Payload, size int) (event.ID, []notebook.Change, error) {
	if r.refold != nil {
		return event.ID{}, nil, ErrRefolding
	}
	if r.view == r.confirmed {
		r.branch()
	}
	draft := event.Draft{ID: event.ID{Client: r.client, N: r.n + 1}, Payload: p}
	changes, err := r.view.Apply(r.unnumbered(draft), nil)
	if err != nil {
		if len(r.pending) == 0 {
			r.rejoin()
		}
		return event.ID{}, nil, err
	}
	r.n++
	made := &pending{draft: draft, first: draft.ID, rows: changes, size: size}
	r.pending = append(r.pending, made)
	r.edits.add(made)
	return draft.ID, changes, nil
}

// unnumbered returns a draft as an event that is not in the log.
func (r *Replica) unnumbered(d event.Draft) *event.Event {
	return &event.Event{ID: d.ID, Actor: r.actor, Payload: d.Payload}
}

const (
	// maxJoined is the most bytes of edits that become one event. Composing and
	// transforming them may add some, which stays far below the limit of a room.
	maxJoined = 1 << 20
	// keepBuf is the largest buffer that is reused for measuring.
	keepBuf = 64 << 10
)

// measure returns about the size of an event in a message, or an error if no message can hold it. A usual
// edit is not encoded for that: its JSON form is at most six times as long as the edit.
func (r *Replica) measure(p event.Payload) (int, error) {
	if e, ok := p.(*event.SourceEdited); ok && e.Edit.Size() <= protocol.MaxMessage/8 {
		return e.Edit.Size(), nil
	}
	d := event.Draft{ID: event.ID{Client: r.client, N: math.MaxUint64}, Payload: p}
	data, err := event.AppendDraft(r.buf[:0], &d)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", p.Type(), err)
	}
	if r.buf = data; cap(data) > keepBuf {
		r.buf = nil
	}
	if err := event.CheckDepth(data); err != nil {
		return 0, fmt.Errorf("%s: %w", p.Type(), err)
	}
	if n := len(data) + len(protocol.PushPrefix) + len(protocol.FrameSuffix); n > protocol.MaxMessage {
		return 0, tooLarge(p.Type(), n)
	}
	return len(data), nil
}

func tooLarge(t event.Type, size int) error {
	return fmt.Errorf("%s: it takes %d bytes, and a room takes no more than %d MiB at once", t, size, protocol.MaxMessage>>20)
}
