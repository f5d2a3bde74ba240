package protocol

import "github.com/quirehq/quire/core/event"

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
	_, _, push := decodeEvents(data, PushPrefix, event.DecodeDraft)
	_, _, frame := decodeEvents(data, FramePrefix, event.Decode)
	return push || frame
}
