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

// Commit is a batch on its way into the log, with what is to be shown and said when
// it is there. While it is under way the sequencer fills the next batch.
type Commit struct {
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

// BeginCommit closes the batch: what is stated from now on belongs to the next one. It
// returns nil when there is nothing to store and nothing to answer. There must not
// be a flight under way.
func (s *Sequencer) BeginCommit() *Commit {
	if len(s.batch) == 0 && len(s.replies) == 0 {
		return nil
	}
	f := s.spare
	s.spare = nil
	if f == nil {
		f = &Commit{}
	}
	f.log, f.after = s.cfg.Log, s.book.Seq()-event.Seq(len(s.batch))
	f.title, f.cells, f.time = s.title, s.newCount(), s.cfg.Now()
	f.records, s.batch = s.batch, f.records
	f.changes, s.changes = s.changes, f.changes
	f.replies, s.replies = s.replies, f.replies
	f.buf, s.buf = s.buf, f.buf
	f.restores, s.restores = s.restores, false
	s.title = nil
	if s.inFlight = f; len(f.records) > 0 {
		s.snapshots = [2]*sharedSnapshot{} // it is the notebook's past, and would be kept for it
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
func (f *Commit) Store(ctx context.Context) error {
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

// FinishCommit ends the flight under way with what became of storing it, and shows it: to the members
// as events, to the host through Config.Committed. Then it sends the answers to what
// was refused.
//
// When the log did not take the flight, the notebook is folded anew, the batch that
// follows it is dropped, and all members are told to connect again: they then see
// what is in the log, and push what is not. The error is the log's, or that of
// folding.
func (s *Sequencer) FinishCommit(ctx context.Context, stored error) error {
	f := s.inFlight
	s.inFlight = nil
	if stored != nil {
		return s.reload(ctx, stored)
	}
	if len(f.records) > 0 {
		s.publish(ctx, f)
	}
	for _, r := range f.replies {
		if !r.to.trySend(r.msg) {
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
func (f *Commit) reuse() {
	clear(f.records)
	clear(f.replies)
	*f = Commit{records: f.records[:0], changes: f.changes[:0], replies: f.replies[:0], buf: f.buf[:0]}
}

// Batched returns how many events wait for the commit.
func (s *Sequencer) Batched() int { return len(s.batch) }

// crowdTurns is how often the author changes in a batch that many wrote at once.
const crowdTurns = 5

// resetCrowd reports whether many members have events in the batch, one among the
// other, and forgets who has.
func (s *Sequencer) resetCrowd() bool {
	crowd := s.turns >= crowdTurns
	s.author, s.turns = nil, 0
	return crowd
}

// Commit appends the batch and shows it, as [Sequencer.Land] does. There must not be
// a flight under way.
func (s *Sequencer) Commit(ctx context.Context) error {
	f := s.BeginCommit()
	if f == nil {
		return nil
	}
	return s.FinishCommit(ctx, f.Store(ctx))
}

// reload recovers from a batch of which it is not known whether it is stored.
func (s *Sequencer) reload(ctx context.Context, cause error) error {
	why, known := Unwritten(cause)
	if !known {
		why = "the notebook could not be written; connect again"
	}
	for _, m := range slices.Collect(maps.Keys(s.members)) {
		m.send(&protocol.Resume{Reason: why, Unwritten: known})
		s.Leave(m)
	}
	if err := s.load(ctx); err != nil {
		s.book = nil
		return errors.Join(cause, err)
	}
	s.startLeases()
	return cause
}
