package room

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
)

// Flight is a batch on its way into the log, with what is to be shown and said when
// it is there. While it is under way the sequencer fills the next batch.
type Flight struct {
	log     Log
	after   event.Seq
	records []event.Record
	changes []notebook.Change
	replies []reply
	title   *string
	cells   *int
	time    event.Time
	buf     []byte // what the records are cut from
	frame   []byte // the records as members get them

	restores bool // a cell that was deleted
}

// TakeOff closes the batch: what is stated from now on belongs to the next one. It
// returns nil when there is nothing to store and nothing to answer. There must not
// be a flight under way.
func (s *Sequencer) TakeOff() *Flight {
	if len(s.batch) == 0 && len(s.replies) == 0 {
		return nil
	}
	f := s.spare
	s.spare = nil
	if f == nil {
		f = &Flight{}
	}
	f.log, f.after = s.cfg.Log, s.book.Seq()-event.Seq(len(s.batch))
	f.title, f.cells, f.time = s.title, s.newCount(), s.cfg.Now()
	f.records, s.batch = s.batch, f.records
	f.changes, s.changes = s.changes, f.changes
	f.replies, s.replies = s.replies, f.replies
	f.buf, s.buf = s.buf, f.buf
	f.restores, s.restores = s.restores, false
	s.title = nil
	if s.flight = f; len(f.records) > 0 {
		s.shared = [2]*shared{} // it is the notebook's past, and would be kept for it
	}
	return f
}

// newCount returns how many cells there are, nil if that was said with a batch before.
func (s *Sequencer) newCount() *int {
	n := len(s.book.Cells())
	if len(s.batch) == 0 || n == s.counted {
		return nil
	}
	s.counted = n
	return &n
}

// Store appends the flight to the sequencer's log. It may be called by any goroutine,
// once, while the sequencer's owner does anything but to land the flight.
func (f *Flight) Store(ctx context.Context) error {
	if len(f.records) == 0 {
		return nil
	}
	f.frame = frameOf(f.records)
	b := Batch{After: f.after, Records: f.records, Time: f.time, Title: f.title, Cells: f.cells}
	if err := f.log.Append(ctx, b); err != nil {
		return fmt.Errorf("append %d events after %d: %w", len(b.Records), b.After, err)
	}
	return nil
}

// Land ends the flight under way with what became of storing it, and shows it: to the members
// as events, to the host through Config.Committed. Then it sends the answers to what
// was refused.
//
// When the log did not take the flight, the notebook is folded anew, the batch that
// follows it is dropped, and all members are told to connect again: they then see
// what is in the log, and push what is not. The error is the log's, or that of
// folding.
func (s *Sequencer) Land(ctx context.Context, stored error) error {
	f := s.flight
	s.flight = nil
	if stored != nil {
		return s.startAnew(ctx, stored)
	}
	if len(f.records) > 0 {
		s.publish(ctx, f)
	}
	for _, r := range f.replies {
		if !r.to.answer(r.msg) {
			s.cfg.Behind()
			s.drop(r.to, "too many answers wait to be taken; connect again")
		}
	}
	f.reuse()
	s.spare = f
	return nil
}

// reuse empties the flight, but for the space that the next one can use. The frame
// is the members' now.
func (f *Flight) reuse() {
	clear(f.records)
	clear(f.replies)
	*f = Flight{records: f.records[:0], changes: f.changes[:0], replies: f.replies[:0], buf: f.buf[:0]}
}

// startAnew recovers from a batch of which it is not known whether it is stored.
func (s *Sequencer) startAnew(ctx context.Context, cause error) error {
	why, known := Unwritten(cause)
	if !known {
		why = "the notebook could not be written; connect again"
	}
	for _, m := range slices.Collect(maps.Keys(s.members)) {
		m.tell(&protocol.Resume{Reason: why, Unwritten: known})
		s.Leave(m)
	}
	if err := s.load(ctx); err != nil {
		s.book = nil
		return errors.Join(cause, err)
	}
	s.leaseAll()
	return cause
}
