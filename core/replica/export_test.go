package replica

import (
	"context"

	"github.com/quirehq/quire/core/event"
)

// Do puts an operation into the room's mailbox.
func (r *Room) Do(ctx context.Context, op func(context.Context)) error { return r.do(ctx, op) }

// Kept returns how many bytes the edits take that are kept to move others over, and Summed
// what they add up to.
func (s *Sequencer) Kept() (kept, summed int) {
	for _, h := range s.history {
		for _, e := range h.edits {
			summed += e.Size()
		}
	}
	return s.kept, summed
}

// SendOne sends a message on a connection.
func (s *Session) SendOne(ctx context.Context, conn Conn, msg ToRoom) error {
	return s.sendOne(ctx, conn, msg)
}

// The two ways to read the events of a message, which must agree.
var (
	DecodePush  = decodePush
	DecodeFrame = decodeFrame
)

// SlowPush reads a push without the fast path.
func SlowPush(data []byte) (ToRoom, error) { return decode(data, new(Push)) }

// SlowFrame reads a frame of events without the fast path.
func SlowFrame(data []byte) (ToClient, error) { return decode(data, new(Events)) }

// Fast reports whether the fast path reads a push or a frame of events.
func Fast(data []byte) bool {
	_, push := decodeEvents(data, pushPrefix, event.DecodeDraft)
	_, frame := decodeEvents(data, framePrefix, event.Decode)
	return push || frame
}
