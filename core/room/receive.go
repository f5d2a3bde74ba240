package room

import (
	"context"
	"errors"

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
