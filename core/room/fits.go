package room

import (
	"context"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

const (
	// smallEvent is the most bytes of an event that has a higher limit than others: the end
	// of a run, or a user who makes space, must not be refused for want of space.
	smallEvent = 1 << 10
	// sizeEvery is how long a measured size of a full notebook is used, in milliseconds.
	// Measuring visits every row.
	sizeEvery = event.Time(250)
	// weighEvery is how long a measured size of a full log is used. Measuring asks the disk.
	weighEvery = event.Time(5_000)
)

// fits refuses an event of a size that could take the notebook over its limit. The size of
// the notebook is an upper bound: the size when last measured, and all events since. A
// notebook that is over the limit already can be opened, and made smaller.
func (s *Sequencer) fits(bytes int) error {
	limit := s.cfg.MaxSize
	if limit == 0 || s.bookBytes+int64(bytes) <= limit {
		return nil
	}
	if now := s.cfg.Clock(); s.bookMeasured == nil || now-*s.bookMeasured >= sizeEvery {
		s.bookBytes, s.bookMeasured = s.book.Size(), &now
	}
	if bytes <= smallEvent {
		limit += limit / 4
	}
	if s.bookBytes+int64(bytes) <= limit {
		return nil
	}
	return refuse(protocol.CodeInvalid, "the notebook holds %d MiB, and this server lets one hold %d MiB: clear outputs, or go on in another notebook",
		s.bookBytes>>20, s.cfg.MaxSize>>20)
}

// errLogFull makes a runtime keep its events: the log takes no more of them.
var errLogFull = refuse(protocol.CodeUnavailable, "the notebook's history is as large as it may be: the runtime keeps what it has, and its program waits, until there is space")

// logFits checks whether the log may grow by an event. Events of users are refused at the
// limit, small ones at one and a half times the limit, so users can still stop a program. Events of a
// runtime are taken up to one and a quarter times the limit; beyond that the runtime keeps them, as when
// the disk is full. The room's own events, and spooled events of a dead runtime, are bounded
// elsewhere.
func (s *Sequencer) logFits(ctx context.Context, actor event.Actor, p event.Payload, bytes int) error {
	limit := s.logLimit(actor, p, bytes)
	if limit == 0 || s.logBytes+int64(bytes) <= limit {
		return nil
	}
	s.measureLog(ctx)
	switch {
	case s.logBytes+int64(bytes) <= limit:
		return nil
	case actor.Kind() == event.ActorRuntime:
		return errLogFull
	}
	return refuse(protocol.CodeInvalid, "the notebook's history takes %d MiB, and this server lets it take %d MiB: go on in a duplicate of the notebook, which begins without history, or have the server started with a larger --history-size",
		s.logBytes>>20, s.cfg.MaxLog>>20)
}

// logLimit returns the limit of the log's size for an event of an actor, 0 for none.
func (s *Sequencer) logLimit(actor event.Actor, p event.Payload, bytes int) int64 {
	limit, kind := s.cfg.MaxLog, actor.Kind()
	_, runs := p.(*event.RunRequested)
	switch {
	case kind == event.ActorRoom, kind == event.ActorRuntime && s.recovering:
		return 0
	case kind == event.ActorRuntime:
		return limit + limit/4
	case bytes <= smallEvent && !runs:
		return limit + limit/2
	}
	return limit
}

// measureLog asks for the size of the log, unless it did so a moment ago. It is less than the
// counted size when records have been packed since.
func (s *Sequencer) measureLog(ctx context.Context) {
	now := s.cfg.Clock()
	if s.cfg.LogSize == nil || s.logMeasured != nil && now-*s.logMeasured < weighEvery {
		return
	}
	s.logMeasured = &now
	if size, err := s.cfg.LogSize(ctx); err == nil { // else the counted size holds
		s.logBytes = size + int64(len(s.buf))
		if s.inFlight != nil {
			s.logBytes += int64(len(s.inFlight.buf))
		}
	}
}
