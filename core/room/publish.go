package room

import (
	"context"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

// errEnough stops a read of the log early.
var errEnough = errors.New("enough read")

// chunk is about the size of a frame from the log, for a member that is behind.
const chunk = 256 << 10

// publish sends a stored commit to all members.
func (s *Sequencer) publish(ctx context.Context, f *Commit) {
	last := f.after + event.Seq(len(f.records))
	s.unsaved += len(f.records)
	for m := range s.members {
		if f.restores && m.Present {
			s.drop(m, "a cell was restored whose text you do not have; connect again")
			continue
		}
		if m.sent == f.after && !m.behind {
			if m.Out.add(item{data: f.frame, events: true}) {
				m.sent = last
				continue
			}
			s.cfg.Behind()
		}
		if !m.waiting {
			s.catchUp(ctx, m)
		}
	}
	s.cfg.Committed(s.book, f.changes)
}

func frameOf(records []event.Record) []byte {
	lists := make([][]byte, len(records))
	for i, r := range records {
		lists[i] = r.Data
	}
	return protocol.JoinEvents(lists)
}

// catchUp sends a member the events from the log that it lacks. When its outbox is full it
// goes on once that is drained.
func (s *Sequencer) catchUp(ctx context.Context, m *Member) {
	durable := s.durable()
	for m.sent < durable {
		m.behind = true
		frame, last, err := s.readChunk(ctx, m.sent)
		if err != nil {
			s.drop(m, "the notebook could not be read; connect again")
			return
		}
		if !m.Out.add(item{data: frame, events: true}) {
			s.waitForSpace(m)
			return
		}
		m.sent = last
	}
	m.behind = false
}

// durable returns the last number that is certainly in the log.
func (s *Sequencer) durable() event.Seq {
	last := s.book.Seq() - event.Seq(len(s.batch))
	if s.inFlight != nil {
		last -= event.Seq(len(s.inFlight.records))
	}
	return last
}

// readChunk returns a frame of about a chunk of events from the log.
func (s *Sequencer) readChunk(ctx context.Context, after event.Seq) (frame []byte, last event.Seq, err error) {
	frame, last = append(frame, protocol.FramePrefix...), after
	err = s.cfg.Log.Read(ctx, after, func(r event.Record) error {
		if last > after {
			frame = append(frame, ',')
		}
		frame = append(frame, r.Data...)
		last = r.Seq
		if len(frame) >= chunk {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	if err == nil && last == after {
		err = fmt.Errorf("the log ends at %d, before its last number", after)
	}
	return append(frame, protocol.FrameSuffix...), last, err
}

// waitForSpace lets a member be served again when its outbox is drained.
func (s *Sequencer) waitForSpace(m *Member) {
	if m.waiting {
		return
	}
	m.waiting = true
	m.Out.whenDrained(func() { s.cfg.wake(m) })
}

// Drained serves a member whose outbox is drained.
func (s *Sequencer) Drained(ctx context.Context, m *Member) {
	m.waiting = false
	if s.members[m] {
		s.catchUp(ctx, m)
	}
	if s.members[m] && m.missedPresence && !m.waiting {
		s.sendPeers(m)
	}
}
