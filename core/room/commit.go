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

// Commit is a batch that is being appended to the log, with the changes and replies to
// publish afterwards. Meanwhile the sequencer fills the next batch.
type Commit struct {
	log      Log
	after    event.Seq
	records  []event.Record
	changes  []notebook.Change
	replies  []reply
	requests []request
	rebasers []savedRebaser
	title    *string
	cells    *int
	time     event.Time
	buf      []byte // backs the records
	frame    []byte // the records as members get them

	restores bool // a deleted cell is restored
}

// BeginCommit closes the batch: events admitted from now on belong to the next one. It
// returns nil when there is nothing to store and nothing to answer. No commit may be in
// flight.
func (s *Sequencer) BeginCommit() *Commit {
	s.batchNo++
	if len(s.batch) == 0 && len(s.replies) == 0 {
		s.requests, s.rebasers = s.requests[:0], s.rebasers[:0] // of refused events of the server
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
	f.requests, s.requests = s.requests, f.requests
	f.rebasers, s.rebasers = s.rebasers, f.rebasers
	f.buf, s.buf = s.buf, f.buf
	f.restores, s.restores = s.restores, false
	s.title = nil
	if s.inFlight = f; len(f.records) > 0 {
		s.snapshots = [2]*sharedSnapshot{} // they are outdated, and would only hold memory
	}
	return f
}

// newCount returns the number of cells, nil if the last batch that named it named the same.
func (s *Sequencer) newCount() *int {
	n := len(s.book.Cells())
	if len(s.batch) == 0 || n == s.counted {
		return nil
	}
	s.counted = n
	return &n
}

// Store appends the batch to the sequencer's log. It may be called by any goroutine, once,
// while the sequencer's owner does anything except finishing the commit.
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

// FinishCommit ends the commit in flight with the result of Store, and publishes it: to the
// members as events, to the host through Config.Committed. Then it sends the refusals.
//
// When another process has appended first, its events are published, and what the batch and
// the one behind it were made of becomes the open batch: the result is ErrConflict, and the
// caller commits again.
//
// When the log failed to take the batch, the notebook is folded from the log again, the next
// batch is dropped, and all members are told to connect again: they then get the events
// that are in the log, and push the others. The error is that of the log, or of folding.
func (s *Sequencer) FinishCommit(ctx context.Context, stored error) error {
	f := s.inFlight
	s.inFlight = nil
	if errors.Is(stored, ErrConflict) {
		if err := s.readmit(ctx, f); err != nil {
			return s.reload(ctx, err)
		}
		return ErrConflict
	}
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

// reuse empties the commit, and keeps its buffers for the next one. The frame belongs to
// the outboxes of members now.
func (f *Commit) reuse() {
	clear(f.records)
	clear(f.replies)
	clear(f.requests)
	clear(f.rebasers)
	*f = Commit{
		records: f.records[:0], changes: f.changes[:0], replies: f.replies[:0], buf: f.buf[:0],
		requests: f.requests[:0], rebasers: f.rebasers[:0],
	}
}

// Batched returns the number of events that wait for the next commit.
func (s *Sequencer) Batched() int { return len(s.batch) }

// Commit appends the batch and publishes it, as [Sequencer.FinishCommit] does, again until no
// other process appends first. No commit may be in flight.
func (s *Sequencer) Commit(ctx context.Context) error {
	for {
		f := s.BeginCommit()
		if f == nil {
			return nil
		}
		if err := s.FinishCommit(ctx, f.Store(ctx)); !errors.Is(err, ErrConflict) {
			return err
		}
	}
}

// reload folds the log again after a failed append, of which the room cannot know whether
// the batch is stored.
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

// errEnough stops a read of the log early.
var errEnough = errors.New("enough read")

// chunk is about the size of a frame from the log, for a member that is behind.
const chunk = 256 << 10

// restoredReason tells a member without the past why it has to connect again.
const restoredReason = "a cell was restored whose text you do not have; connect again"

// publish sends a stored commit to all members.
func (s *Sequencer) publish(ctx context.Context, f *Commit) {
	last := f.after + event.Seq(len(f.records))
	s.unsaved += len(f.records)
	for m := range s.members {
		if f.restores && m.Present {
			s.drop(m, restoredReason)
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
		frame, last, err := s.readChunk(ctx, m.sent, durable)
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

// readChunk returns a frame of about a chunk of events from the log, none behind a number:
// those are not folded yet, and may be of another process.
func (s *Sequencer) readChunk(ctx context.Context, after, until event.Seq) (frame []byte, last event.Seq, err error) {
	frame, last = append(frame, protocol.FramePrefix...), after
	err = s.cfg.Log.Read(ctx, after, func(r event.Record) error {
		if r.Seq > until {
			return errEnough
		}
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
