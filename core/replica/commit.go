package replica

import (
	"context"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/event"
)

// Batched returns how many events wait for the commit.
func (s *Sequencer) Batched() int { return len(s.batch) }

// crowdTurns is how often the author changes in a batch that many wrote at once.
const crowdTurns = 5

// takeCrowd reports whether many members have events in the batch, one among the
// other, and forgets who has.
func (s *Sequencer) takeCrowd() bool {
	crowd := s.turns >= crowdTurns
	s.author, s.turns = nil, 0
	return crowd
}

// errEnough ends the reading of a log early.
var errEnough = errors.New("enough read")

// chunk is about how many bytes of events a member that is behind gets at once.
const chunk = 256 << 10

// Commit appends the batch, and then shows it: to the members as events, to the
// host through Config.Committed. Then it sends the answers to what was refused.
//
// When the log does not take the batch, the notebook is folded anew and all
// members are told to connect again: they then see what is in the log, and push
// what is not. The error is the log's, or that of folding.
func (s *Sequencer) Commit(ctx context.Context) error {
	if len(s.batch) > 0 {
		if err := s.append(ctx); err != nil {
			return s.startAnew(ctx, err)
		}
		s.publish(ctx)
	}
	for _, r := range s.replies {
		if !r.to.answer(r.msg) {
			s.cfg.Behind()
			s.drop(r.to, "too many answers wait to be taken; connect again")
		}
	}
	clear(s.replies)
	s.replies = s.replies[:0]
	return nil
}

func (s *Sequencer) append(ctx context.Context) error {
	b := Batch{After: s.batch[0].Seq - 1, Records: s.batch, Time: s.cfg.Now(), Title: s.title}
	if err := s.cfg.Log.Append(ctx, b); err != nil {
		return fmt.Errorf("append %d events after %d: %w", len(b.Records), b.After, err)
	}
	return nil
}

// startAnew recovers from a batch of which it is not known whether it is stored.
func (s *Sequencer) startAnew(ctx context.Context, cause error) error {
	s.DropAll("the notebook could not be written; connect again")
	if err := s.load(ctx); err != nil {
		s.book = nil
		return errors.Join(cause, err)
	}
	s.leaseAll()
	return cause
}

// publish fans the stored batch out.
func (s *Sequencer) publish(ctx context.Context) {
	frame := frameOf(s.batch)
	first, last := s.batch[0].Seq, s.batch[len(s.batch)-1].Seq
	s.unsaved += len(s.batch)
	clear(s.batch)
	s.batch, s.buf, s.title = s.batch[:0], s.buf[:0], nil
	for m := range s.members {
		if m.sent+1 == first && !m.behind {
			if m.Out.add(item{data: frame, events: true}) {
				m.sent = last
				continue
			}
			s.cfg.Behind()
		}
		if !m.waiting {
			s.catchUp(ctx, m)
		}
	}
	s.cfg.Committed(s.book, s.changes)
	s.changes = s.changes[:0]
}

func frameOf(records []event.Record) []byte {
	lists := make([][]byte, len(records))
	for i, r := range records {
		lists[i] = r.Data
	}
	return JoinEvents(lists)
}

// catchUp gives a member from the log what its outbox holds of what it lacks. When
// the outbox is full it goes on once that is drained.
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

// durable returns the last number that is in the log.
func (s *Sequencer) durable() event.Seq {
	return s.book.Seq() - event.Seq(len(s.batch))
}

// readChunk returns a frame of about a chunk of events from the log.
func (s *Sequencer) readChunk(ctx context.Context, after event.Seq) (frame []byte, last event.Seq, err error) {
	frame, last = append(frame, framePrefix...), after
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
	return append(frame, frameSuffix...), last, err
}

// waitForSpace marks a member to be served again when its outbox is drained.
func (s *Sequencer) waitForSpace(m *Member) {
	if m.waiting {
		return
	}
	m.waiting = true
	m.Out.whenDrained(func() { s.cfg.wake(m) })
}

// Drained serves a member whose outbox has space again.
func (s *Sequencer) Drained(ctx context.Context, m *Member) {
	m.waiting = false
	if s.members[m] {
		s.catchUp(ctx, m)
	}
	if s.members[m] && m.missed && !m.waiting {
		s.showAll(m)
	}
}
