package room

import (
	"cmp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

// Bounds of calls.
const (
	maxCalls = 16               // that wait for their answers, of one connection
	callTime = 10 * time.Second // for the runtime to answer
)

// calls are what members have asked a runtime, in the order in which they came.
type calls struct {
	last uint64 // the number of the latest
	open []openCall
}

// openCall is a call that waits for its answer.
type openCall struct {
	id   uint64 // the room's
	to   *Member
	from *Member
	ref  uint64 // the caller's own id
	ends event.Time
}

// remove removes a call that a member is to answer, and reports whether there is one.
func (c *calls) remove(id uint64, to *Member) (openCall, bool) {
	i, ok := slices.BinarySearchFunc(c.open, id, func(o openCall, id uint64) int { return cmp.Compare(o.id, id) })
	if !ok || c.open[i].to != to {
		return openCall{}, false
	}
	call := c.open[i]
	c.open = slices.Delete(c.open, i, i+1)
	return call, true
}

// relay passes a call on to the notebook's code runtime, or says why not. It waits
// for no commit: a call is about what the program is like, not about the log.
func (s *Sequencer) relay(m *Member, c *protocol.Call) {
	to, no := s.mayCall(m, c)
	if no == nil {
		no = s.forward(m, to, c)
	}
	if no != nil {
		s.sendAnswer(m, &protocol.Answer{ID: c.ID, Error: no})
	}
}

// mayCall returns the runtime that a call is for, or why there is no answer.
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
	return s.codeRuntime()
}

// codeRuntime returns the member that serves as the notebook's code runtime.
func (s *Sequencer) codeRuntime() (*Member, *protocol.CallError) {
	rt := s.book.Runtime(event.TakesCode)
	if rt == nil || s.book.RuntimeByID(rt.ID) == nil {
		return nil, protocol.NewCallError(protocol.CodeUnavailable, "no runtime is running; running a cell starts one")
	}
	for m := range s.members {
		if m.runtime == rt.ID {
			return m, nil
		}
	}
	return nil, protocol.NewCallError(protocol.CodeUnavailable, "not connected. Try again")
}

// forward gives a call to the runtime under a number of the room's.
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

// relayAnswer passes a runtime's answer on to the caller. One that comes too late, or
// to a call of another runtime, goes nowhere.
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

// sendAnswer gives a caller its answer, or says that it could not be passed on.
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

// endCalls ends the calls of a member that has left, and those that it was to answer.
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

// expireCalls ends the calls that have waited for too long.
func (s *Sequencer) expireCalls(now event.Time) {
	for len(s.calls.open) > 0 && s.calls.open[0].ends <= now {
		c := s.calls.open[0]
		s.calls.open = slices.Delete(s.calls.open, 0, 1)
		s.sendAnswer(c.from, &protocol.Answer{ID: c.ref, Error: protocol.NewCallError(protocol.CodeUnavailable, "the runtime did not answer within %v", callTime)})
	}
}
