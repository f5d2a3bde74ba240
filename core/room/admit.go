package room

import (
	"context"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
)

// refusal is the reason why the room takes no event.
type refusal struct {
	code protocol.Code
	msg  string
}

func (r *refusal) Error() string { return r.msg }

func refuse(code protocol.Code, format string, args ...any) error {
	return &refusal{code: code, msg: fmt.Sprintf(format, args...)}
}

// Receive handles a message of a member. Events that it admits wait for
// [Sequencer.Commit], and so do the refusals.
func (s *Sequencer) Receive(ctx context.Context, m *Member, msg protocol.ToRoom) {
	if !s.members[m] {
		return
	}
	switch msg := msg.(type) {
	case *protocol.Push:
		for i := range msg.Events {
			if !s.members[m] {
				break // it was dropped, and pushes the unanswered events again from the first
			}
			s.receiveDraft(ctx, m, &msg.Events[i])
		}
		s.assign(ctx)
	case *protocol.Presence:
		if err := checkPresence(msg); err != nil {
			s.close(m, protocol.CodeInvalid, err.Error())
			return
		}
		m.presence = *msg
		s.presenceChanged[m] = true
	case *protocol.Call:
		s.relay(m, msg)
	case *protocol.Answer:
		s.relayAnswer(m, msg)
	case *protocol.Hello:
		s.close(m, protocol.CodeInvalid, "a connection says hello once, as its first message")
	}
}

// Malformed answers a message that could not be decoded, and ends the connection:
// the room cannot tell which events the message held.
func (s *Sequencer) Malformed(m *Member, err error) {
	s.close(m, protocol.CodeInvalid, err.Error())
}

func (s *Sequencer) close(m *Member, code protocol.Code, msg string) {
	m.send(&protocol.Closed{Code: code, Message: msg})
	s.Leave(m)
}

func (s *Sequencer) receiveDraft(ctx context.Context, m *Member, d *event.Draft) {
	err := s.authorize(m, d)
	if err == nil {
		err = s.appendEvent(ctx, m, m.Actor, d)
	}
	switch {
	case err == nil:
		return
	case errors.Is(err, errMention):
		s.drop(m, "the notebook's artifacts cannot be looked up; connect again")
		return
	case errors.Is(err, errLogFull):
		m.send(&protocol.Resume{Reason: errLogFull.Error(), Unwritten: true})
		s.Leave(m)
		return
	}
	no := refused(d.ID, err)
	if p, ok := d.Payload.(*event.SourceEdited); ok && no.Code != protocol.CodeDuplicate && s.book.Cell(p.Cell) != nil {
		m.rebaser(p).broken = true
	}
	s.replies = append(s.replies, reply{to: m, msg: no})
}

func refused(id event.ID, err error) *protocol.Refused {
	var no *refusal
	var moot *notebook.Moot
	switch {
	case errors.As(err, &no):
		return &protocol.Refused{ID: id, Code: no.code, Message: no.msg}
	case errors.As(err, &moot):
		return &protocol.Refused{ID: id, Code: protocol.Code(moot.Kind), Message: moot.Reason}
	}
	return &protocol.Refused{ID: id, Code: protocol.CodeInternal, Message: "the server could not take the event; its log says why"}
}

// authorize checks whether a member may push an event of this type, and whether the event
// is well formed. It does not depend on the notebook's cells.
func (s *Sequencer) authorize(m *Member, d *event.Draft) error {
	if d.ID.Client != m.client {
		return refuse(protocol.CodeForbidden, "event %s has the id of another client than %s", d.ID, m.client)
	}
	action := access.ActionOf(d.Payload.Type())
	if action == "" {
		return refuse(protocol.CodeInvalid, "this server does not know events of type %s", d.Payload.Type())
	}
	if !m.Role.May(action) {
		return refuse(protocol.CodeForbidden, "a %s may not state %s", m.Role, d.Payload.Type())
	}
	if err := d.Payload.Check(); err != nil {
		return refuse(protocol.CodeInvalid, "%s: %v", d.Payload.Type(), err)
	}
	if action == access.Execute {
		return s.authorizeRuntime(m, d.Payload)
	}
	return nil
}

// authorizeRuntime checks that a runtime starts itself only, and that every other event
// carries the epoch of that start.
func (s *Sequencer) authorizeRuntime(m *Member, p event.Payload) error {
	if start, ok := p.(*event.RuntimeStarted); ok {
		if start.Runtime != m.runtime {
			return refuse(protocol.CodeForbidden, "the connection serves as runtime %q, not %q", m.runtime, start.Runtime)
		}
		if start.Brought = ""; m.granted != m.Actor {
			start.Brought = m.granted
		}
		return nil
	}
	rt := s.book.RuntimeByID(m.runtime)
	if rt == nil {
		return refuse(protocol.CodeConflict, "runtime %s is not the notebook's runtime: another took its place, or it was stopped", m.runtime)
	}
	if got := epochOf(p); got != rt.Epoch {
		return refuse(protocol.CodeConflict, "epoch %d is not that of runtime %s, which is %d", got, m.runtime, rt.Epoch)
	}
	if stop, ok := p.(*event.RuntimeStopped); ok && stop.Reason == event.StopIdle && s.hasRun(rt) {
		return refuse(protocol.CodeConflict, "runtime %s is not idle: it has been given a run", m.runtime)
	}
	return nil
}

// epochOf returns the epoch that an event of a runtime carries.
func epochOf(p event.Payload) event.Epoch {
	switch p := p.(type) {
	case *event.RuntimeReady:
		return p.Epoch
	case *event.RuntimeStopped:
		return p.Epoch
	case *event.RunAssigned:
		return p.Epoch
	case *event.RunStarted:
		return p.Epoch
	case *event.RunFinished:
		return p.Epoch
	case *event.SourceOffered:
		return p.Epoch
	case *event.InputAsked:
		return p.Epoch
	case *event.InputClosed:
		return p.Epoch
	case *event.OutputAdded:
		return p.Epoch
	case *event.OutputAppended:
		return p.Epoch
	case *event.OutputStored:
		return p.Epoch
	case *event.DisplayUpdated:
		return p.Epoch
	case *event.OutputsCleared:
		return p.Epoch
	case *event.ApprovalAsked:
		return p.Epoch
	case *event.CommOpened:
		return p.Epoch
	case *event.CommUpdated:
		return p.Epoch
	case *event.CommSent:
		return p.Epoch
	case *event.CommClosed:
		return p.Epoch
	case *event.CommsLost:
		return p.Epoch
	}
	return 0
}

// appendEvent gives an event its envelope, folds it and adds it to the batch. The
// member is nil for an event that the room makes itself.
func (s *Sequencer) appendEvent(ctx context.Context, m *Member, actor event.Actor, d *event.Draft) error {
	if err := s.checkID(actor, d.ID); err != nil {
		return err
	}
	if err := s.mention(ctx, d.Payload); err != nil {
		return err
	}
	s.recoverBefore(ctx, actor, d.Payload)
	e := event.Event{Seq: s.book.Seq() + 1, ID: d.ID, Actor: actor, Time: s.cfg.Now(), Payload: d.Payload}
	if p, ok := d.Payload.(*event.SourceEdited); ok && m != nil {
		moved, err := s.rebase(ctx, m, p)
		if err != nil {
			return err
		}
		e.Payload = moved
	}
	before := len(s.buf)
	data, err := event.Append(s.buf, &e)
	if err != nil {
		return refuse(protocol.CodeInvalid, "%s: %v", d.Payload.Type(), err)
	}
	if err := event.CheckDepth(data[before:]); err != nil {
		return refuse(protocol.CodeInvalid, "%s: %v", d.Payload.Type(), err)
	}
	if err := s.fits(len(data) - before); err != nil {
		return err
	}
	if err := s.logFits(ctx, actor, d.Payload, len(data)-before); err != nil {
		return err
	}
	if s.changes, err = s.book.Admit(&e, s.changes); err != nil {
		return err
	}
	s.bookBytes += int64(len(data) - before)
	s.logBytes += int64(len(data) - before)
	s.buf = data
	s.batch = append(s.batch, event.Record{Seq: e.Seq, Data: data[before:len(data):len(data)]})
	s.remember(m, &e)
	if p, ok := e.Payload.(*event.SourceOffered); ok {
		s.acceptOffer(ctx, actor, p)
	}
	return nil
}

// maxSkip bounds how far the counter of an event may be beyond the last of its client. A
// client skips the counters of refused events, and of events that a log restored from a
// copy lacks: at 10,000 events a second it takes five days to skip that many. Without a
// bound one event could use up all counters.
const maxSkip = 1 << 32

// checkID checks whether an actor may use an event id.
func (s *Sequencer) checkID(actor event.Actor, id event.ID) error {
	owner, seen := s.book.Owner(id.Client), s.book.Seen(id.Client)
	switch {
	case owner != "" && owner != actor && id.Client != protocol.RoomClient:
		return refuse(protocol.CodeForbidden, "client %s is of %s, who stated the first event under this id", id.Client, owner)
	case seen >= id.N:
		return refuse(protocol.CodeDuplicate, "event %s is in the log already", id)
	case id.N-seen > maxSkip:
		return refuse(protocol.CodeInvalid, "event %s has a counter far beyond %d, the last of its client", id, seen)
	}
	return nil
}

// remember notes facts of an event that later events of the batch or the commit need.
func (s *Sequencer) remember(m *Member, e *event.Event) {
	if s.author != m {
		s.author = m
		s.turns++
	}
	switch p := e.Payload.(type) {
	case *event.SourceEdited:
		s.recordEdit(m, p)
	case *event.NotebookTitled:
		s.title = &p.Title
	case *event.CellRestored:
		s.restores = true
	}
}

// Submit adds events of the server to the batch, stamped with an actor, such as a user
// who acts by a request instead of a connection. The error is a refusal, whose code
// [CodeOf] returns; the events after the refused one are not submitted.
func (s *Sequencer) Submit(ctx context.Context, actor event.Actor, payloads ...event.Payload) error {
	defer s.assign(ctx)
	return s.submit(ctx, actor, payloads...)
}

func (s *Sequencer) submit(ctx context.Context, actor event.Actor, payloads ...event.Payload) error {
	for _, p := range payloads {
		if err := p.Check(); err != nil {
			return refuse(protocol.CodeInvalid, "%s: %v", p.Type(), err)
		}
		id := event.ID{Client: protocol.RoomClient, N: s.book.Seen(protocol.RoomClient) + 1}
		if err := s.appendEvent(ctx, nil, actor, &event.Draft{ID: id, Payload: p}); err != nil {
			return err
		}
	}
	return nil
}

// CodeOf returns the code of a refusal, and [protocol.CodeInternal] for any other error.
func CodeOf(err error) protocol.Code {
	switch {
	case errors.Is(err, ErrNotFound):
		return protocol.CodeNotFound
	case errors.Is(err, ErrUnavailable):
		return protocol.CodeUnavailable
	}
	return refused(event.ID{}, err).Code
}
