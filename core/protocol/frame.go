package protocol

import (
	"bytes"

	"github.com/quirehq/quire/core/event"
)

// decodeEvents decodes the events of a message in the exact form that the encoders here
// write: it splits the list without a general parser. It reports whether the message has
// that form; if not, the general decoder decides.
func decodeEvents[E any](data []byte, prefix string, decode func([]byte) (E, error)) ([]E, bool) {
	list, ok := bytes.CutPrefix(data, []byte(prefix))
	if !ok {
		return nil, false
	}
	if list, ok = bytes.CutSuffix(list, []byte(FrameSuffix)); !ok {
		return nil, false
	}
	events := make([]E, 0, 1+len(list)/128)
	for len(list) > 0 {
		n := objectLen(list)
		if n == 0 {
			return nil, false
		}
		e, err := decode(list[:n])
		if err != nil {
			return nil, false
		}
		events = append(events, e)
		if list = list[n:]; len(list) > 0 {
			if list[0] != ',' || len(list) == 1 {
				return nil, false
			}
			list = list[1:]
		}
	}
	return events, true
}

// objectLen returns the length of the JSON object that data begins with, 0 if it
// begins with none. It considers braces and strings alone.
func objectLen(data []byte) int {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			n := stringLen(data[i:])
			if n == 0 {
				return 0
			}
			i += n - 1
		}
		if depth == 0 {
			return 0
		}
	}
	return 0
}

// stringLen returns the length of the JSON string that data begins with, with its
// quotes, 0 if it does not end.
func stringLen(data []byte) int {
	for i := 1; i < len(data); i++ {
		j := bytes.IndexByte(data[i:], '"')
		if j < 0 {
			return 0
		}
		i += j
		back := i
		for data[back-1] == '\\' {
			back--
		}
		if (i-back)%2 == 0 {
			return i + 1
		}
	}
	return 0
}

// decodePush decodes a push.
func decodePush(data []byte) (ToRoom, error) {
	if drafts, ok := decodeEvents(data, PushPrefix, event.DecodeDraft); ok {
		return &Push{Events: drafts}, nil
	}
	return decode(data, new(Push))
}

// decodeFrame decodes a frame of events.
func decodeFrame(data []byte) (ToClient, error) {
	if events, ok := decodeEvents(data, FramePrefix, event.Decode); ok {
		return &Events{Events: events}, nil
	}
	return decode(data, new(Events))
}
