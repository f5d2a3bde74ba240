package room

import (
	"context"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

const (
	// smallEvent is how many bytes an event may have that is taken in somewhat longer than
	// others: the end of a run, or a person who makes space, must not be refused for want of it.
	smallEvent = 1 << 10
	// sizeEvery is how long the size of a full notebook holds, in milliseconds. It takes a
	// look at every row.
	sizeEvery = event.Time(250)
	// weighEvery is how long the size of a full log holds. It is asked of the disk.
	weighEvery = event.Time(5_000)
)

// fits refuses an event of so many bytes with which the notebook could hold more than it
// may. Held is what it holds at most: what it had when that was last looked at, and all
// events since. A notebook that holds more from before is opened, and can be made smaller.
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

// errLogFull says that a runtime must keep what it states: the log takes no more of it.
var errLogFull = refuse(protocol.CodeUnavailable, "the notebook's history is as large as it may be: the runtime keeps what it has, and its program waits, until there is space")

// logFits decides whether the log may grow by an event. What people state is refused at the
// limit, small events half a log later, so that they can still stop a program. Of a run that
// has begun a quarter of a log more is taken; beyond that the runtime keeps what it states, as
// when the disk is full. What the room states itself, and what a runtime that is gone has left,
// has bounds of its own.
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

// logLimit returns how large the log may be with an event of an actor, 0 for any size.
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

// measureLog asks how large the log is, unless that was done a moment ago. That is less than what
// was counted when records were packed since.
func (s *Sequencer) measureLog(ctx context.Context) {
	now := s.cfg.Clock()
	if s.cfg.LogSize == nil || s.logMeasured != nil && now-*s.logMeasured < weighEvery {
		return
	}
	s.logMeasured = &now
	if size, err := s.cfg.LogSize(ctx); err == nil { // else what was counted holds
		s.logBytes = size + int64(len(s.buf))
		if s.inFlight != nil {
			s.logBytes += int64(len(s.inFlight.buf))
		}
	}
}
