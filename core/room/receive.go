package room

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
)

// Receive handles a message of a member. Events that it admits wait for
// [Sequencer.Commit], and so do the refusals.
func (s *Sequencer) Receive(ctx context.Context, m *Member, msg protocol.ToRoom) {
	if !s.members[m] {
		return
	}
	switch msg := msg.(type) {
	case *protocol.Push:
		for i := range msg.Events {
			s.requests = append(s.requests, request{member: m, draft: msg.Events[i]})
			if !s.receiveDraft(ctx, m, &msg.Events[i]) {
				break
			}
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

// checkPresence checks that a presence is well formed, and small, since it goes to every
// member.
func checkPresence(p *protocol.Presence) error {
	if len(p.Name) > event.MaxKey {
		return errors.New("the name in a presence is too long")
	}
	if p.Cell == "" {
		return nil
	}
	return event.CheckName("cell", string(p.Cell))
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

// receiveDraft admits an event or refuses it. It returns false when it can do neither: then
// the member was dropped, and pushes the unanswered events again, from the first.
func (s *Sequencer) receiveDraft(ctx context.Context, m *Member, d *event.Draft) bool {
	err := s.authorize(m, d)
	if err == nil {
		err = s.appendEvent(ctx, m, m.Actor, d)
	}
	switch {
	case err == nil:
		return true
	case errors.Is(err, errMention):
		s.drop(m, "the notebook's artifacts cannot be looked up; connect again")
		return false
	case errors.Is(err, errLogFull):
		m.send(&protocol.Resume{Reason: errLogFull.Error(), Unwritten: true})
		s.Leave(m)
		return false
	}
	no := refused(d.ID, err)
	if p, ok := d.Payload.(*event.SourceEdited); ok && no.Code != protocol.CodeDuplicate && s.book.Cell(p.Cell) != nil {
		s.rebaser(m, p).broken = true
	}
	s.replies = append(s.replies, reply{to: m, msg: no})
	return true
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

// Bounds of calls.
const (
	maxCalls = 16               // waiting calls of one connection
	callTime = 10 * time.Second // for the runtime to answer
)

// calls are the waiting calls of members to a runtime, in the order of their arrival.
type calls struct {
	last uint64 // the number of the latest
	open []openCall
}

// openCall is a call without an answer yet.
type openCall struct {
	id   uint64 // given by the room
	to   *Member
	from *Member
	ref  uint64 // given by the caller
	ends event.Time
}

// remove removes a call to a member, and reports whether there was one.
func (c *calls) remove(id uint64, to *Member) (openCall, bool) {
	i, ok := slices.BinarySearchFunc(c.open, id, func(o openCall, id uint64) int { return cmp.Compare(o.id, id) })
	if !ok || c.open[i].to != to {
		return openCall{}, false
	}
	call := c.open[i]
	c.open = slices.Delete(c.open, i, i+1)
	return call, true
}

// relay passes a call on to the runtime that it is for, or answers with the reason why
// it cannot. It waits for no commit: a call is about the state of the program, not of the log.
func (s *Sequencer) relay(m *Member, c *protocol.Call) {
	to, no := s.mayCall(m, c)
	if no == nil {
		no = s.forward(m, to, c)
	}
	if no != nil {
		s.sendAnswer(m, &protocol.Answer{ID: c.ID, Error: no})
	}
}

// mayCall returns the runtime that will answer a call, or the reason for a refusal.
func (s *Sequencer) mayCall(m *Member, c *protocol.Call) (*Member, *protocol.CallError) {
	switch {
	case !m.Role.May(access.Run):
		return nil, protocol.NewCallError(protocol.CodeForbidden, "the role %s may not call the runtime", m.Role)
	case event.CheckName("method", string(c.Method)) != nil:
		return nil, protocol.NewCallError(protocol.CodeInvalid, "%v", event.CheckName("method", string(c.Method)))
	case len(c.Params) > protocol.MaxCall:
		return nil, protocol.NewCallError(protocol.CodeInvalid, "the call has %d bytes, at most %d fit", len(c.Params), protocol.MaxCall)
	case !utf8.Valid(c.Params):
		return nil, protocol.NewCallError(protocol.CodeInvalid, "the call is not valid UTF-8")
	}
	open := 0
	for _, o := range s.calls.open {
		if o.from == m {
			open++
			if o.ref == c.ID {
				return nil, protocol.NewCallError(protocol.CodeInvalid, "call %d waits for its answer already", c.ID)
			}
		}
	}
	if open >= maxCalls {
		return nil, protocol.NewCallError(protocol.CodeUnavailable, "%d calls wait for their answers already", open)
	}
	return s.called(cmp.Or(c.Takes, event.TakesCode))
}

// called returns the member that serves as the notebook's runtime of a kind.
func (s *Sequencer) called(kind event.Takes) (*Member, *protocol.CallError) {
	rt := s.book.Runtime(kind)
	switch {
	case !slices.Contains(event.Kinds(), kind):
		return nil, protocol.NewCallError(protocol.CodeInvalid, "%q is no kind of runtimes", kind)
	case rt != nil && s.book.RuntimeByID(rt.ID) != nil:
	case kind == event.TakesAI:
		return nil, protocol.NewCallError(protocol.CodeUnavailable, "no assistant is attached to the notebook")
	default:
		return nil, protocol.NewCallError(protocol.CodeUnavailable, "no runtime is running; running a cell starts one")
	}
	for m := range s.members {
		if m.runtime == rt.ID {
			return m, nil
		}
	}
	return nil, protocol.NewCallError(protocol.CodeUnavailable, "not connected. Try again")
}

// forward sends a call to the runtime under an id of the room.
func (s *Sequencer) forward(from, to *Member, c *protocol.Call) *protocol.CallError {
	data, err := protocol.EncodeToClient(&protocol.Call{ID: s.calls.last + 1, From: from.Actor, Method: c.Method, Params: c.Params})
	if err != nil {
		return protocol.NewCallError(protocol.CodeInvalid, "the call cannot be passed on: its params are no JSON")
	}
	if !to.Out.add(item{data: data}) {
		return protocol.NewCallError(protocol.CodeUnavailable, "the runtime does not keep up. Try again")
	}
	s.calls.last++
	s.calls.open = append(s.calls.open, openCall{
		id: s.calls.last, to: to, from: from, ref: c.ID, ends: s.cfg.Clock() + event.Time(callTime/time.Millisecond),
	})
	return nil
}

// relayAnswer passes an answer of a runtime on to the caller. An answer that comes too late,
// or that answers a call to another runtime, is dropped.
func (s *Sequencer) relayAnswer(m *Member, a *protocol.Answer) {
	if m.runtime == "" {
		s.close(m, protocol.CodeForbidden, "only a runtime answers calls")
		return
	}
	call, ok := s.calls.remove(a.ID, m)
	if !ok {
		return
	}
	s.sendAnswer(call.from, &protocol.Answer{ID: call.ref, Result: a.Result, Error: a.Error})
}

// sendAnswer sends an answer to a caller, or an error if its outbox has no space.
func (s *Sequencer) sendAnswer(m *Member, a *protocol.Answer) {
	if !s.members[m] {
		return
	}
	a = protocol.Checked(a)
	if data, err := protocol.EncodeToClient(a); err == nil && m.Out.add(item{data: data}) {
		return
	}
	no := protocol.NewCallError(protocol.CodeUnavailable, "the answer could not be passed on: this connection does not keep up")
	if !m.trySend(&protocol.Answer{ID: a.ID, Error: no}) {
		s.cfg.Behind()
		s.drop(m, "too many answers wait to be taken; connect again")
	}
}

// endCalls ends the calls from and to a member that has left.
func (s *Sequencer) endCalls(m *Member) {
	var orphans []openCall
	s.calls.open = slices.DeleteFunc(s.calls.open, func(c openCall) bool {
		if c.to == m {
			orphans = append(orphans, c)
		}
		return c.to == m || c.from == m
	})
	for _, c := range orphans {
		s.sendAnswer(c.from, &protocol.Answer{ID: c.ref, Error: protocol.NewCallError(protocol.CodeUnavailable, "the runtime left before it answered")})
	}
}
