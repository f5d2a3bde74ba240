package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/internal/jsonscan"
)

// EncodeToRoom returns the JSON form of a message to a room: an object whose first member
// is the kind of the message.
func EncodeToRoom(m ToRoom) ([]byte, error) {
	if p, ok := m.(*Push); ok {
		return encodePush(p)
	}
	return encode(m.toRoom(), m)
}

// EncodeToClient returns the JSON form of a message to a client, with a kind as in
// [EncodeToRoom].
func EncodeToClient(m ToClient) ([]byte, error) { return encode(m.toClient(), m) }

func encode(kind string, m any) ([]byte, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", kind, err)
	}
	head := `{"kind":"` + kind + `"`
	if len(body) > len(`{}`) {
		head += ","
	}
	return append([]byte(head), body[1:]...), nil
}

func encodePush(p *Push) ([]byte, error) {
	dst := []byte(PushPrefix)
	for i := range p.Events {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = event.AppendDraft(dst, &p.Events[i]); err != nil {
			return nil, err
		}
	}
	return append(dst, `]}`...), nil
}

// The parts around the events in a frame and in a push, so that records can be joined
// without decoding them.
const (
	FramePrefix = `{"kind":"events","events":[`
	PushPrefix  = `{"kind":"push","events":[`
	FrameSuffix = `]}`
)

// JoinEvents returns the JSON form of an [Events] message, from lists of encoded events
// that are already joined by commas.
func JoinEvents(lists [][]byte) []byte {
	n := len(FramePrefix) + len(FrameSuffix) + len(lists)
	for _, l := range lists {
		n += len(l)
	}
	dst := append(make([]byte, 0, n), FramePrefix...)
	for i, l := range lists {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, l...)
	}
	return append(dst, FrameSuffix...)
}

// JoinFrames returns one frame with the events of several, which [JoinEvents] made.
func JoinFrames(frames [][]byte) []byte {
	lists := make([][]byte, len(frames))
	for i, f := range frames {
		lists[i] = f[len(FramePrefix) : len(f)-len(FrameSuffix)]
	}
	return JoinEvents(lists)
}

// DecodeToRoom decodes a message to a room. Its error is sent to the client.
func DecodeToRoom(data []byte) (ToRoom, error) {
	kind, err := kindOf(data)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "hello":
		return decode(data, new(Hello))
	case "push":
		return decodePush(data)
	case "presence":
		return decode(data, new(Presence))
	case "call":
		return decode(data, new(Call))
	case "answer":
		return decode(data, new(Answer))
	}
	return nil, fmt.Errorf("a client sends no message of kind %q", kind)
}

// DecodeToClient decodes a message to a client.
func DecodeToClient(data []byte) (ToClient, error) {
	kind, err := kindOf(data)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "welcome":
		return decode(data, new(Welcome))
	case "events":
		return decodeFrame(data)
	case "refused":
		return decode(data, new(Refused))
	case "peers":
		return decode(data, new(Peers))
	case "call":
		return decode(data, new(Call))
	case "answer":
		return decode(data, new(Answer))
	case "resume":
		return decode(data, new(Resume))
	case "closed":
		return decode(data, new(Closed))
	}
	return nil, fmt.Errorf("a room sends no message of kind %q", kind)
}

func decode[M any](data []byte, m *M) (*M, error) {
	if err := json.Unmarshal(data, m); err != nil {
		return m, fmt.Errorf("message: %w", err)
	}
	return m, nil
}

// kindOf returns the kind of a message, without parsing the rest if the kind is first.
func kindOf(data []byte) (string, error) {
	if rest, ok := bytes.CutPrefix(data, []byte(`{"kind":"`)); ok {
		if kind, _, ok := bytes.Cut(rest, []byte(`"`)); ok {
			return string(kind), nil
		}
	}
	var head struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return "", fmt.Errorf("message is not a JSON object: %w", err)
	}
	return head.Kind, nil
}

// decodeEvents decodes the events of a message in the exact form that the encoders here
// write: it splits the list without a general parser. It reports whether the message has
// that form; if not, the general decoder decides. The parts of the message that the events
// are in come with them.
func decodeEvents[E any](data []byte, prefix string, decode func([]byte) (E, error)) (events []E, parts [][]byte, ok bool) {
	list, ok := bytes.CutPrefix(data, []byte(prefix))
	if !ok {
		return nil, nil, false
	}
	if list, ok = bytes.CutSuffix(list, []byte(FrameSuffix)); !ok {
		return nil, nil, false
	}
	events, parts = make([]E, 0, 1+len(list)/128), make([][]byte, 0, 1+len(list)/128)
	for len(list) > 0 {
		n := jsonscan.ObjectLen(list)
		if n == 0 {
			return nil, nil, false
		}
		e, err := decode(list[:n])
		if err != nil {
			return nil, nil, false
		}
		events, parts = append(events, e), append(parts, list[:n:n])
		if list = list[n:]; len(list) > 0 {
			if list[0] != ',' || len(list) == 1 {
				return nil, nil, false
			}
			list = list[1:]
		}
	}
	return events, parts, true
}

// decodePush decodes a push.
func decodePush(data []byte) (ToRoom, error) {
	if drafts, _, ok := decodeEvents(data, PushPrefix, event.DecodeDraft); ok {
		return &Push{Events: drafts}, nil
	}
	return decode(data, new(Push))
}

// decodeFrame decodes a frame of events.
func decodeFrame(data []byte) (ToClient, error) {
	if events, records, ok := decodeEvents(data, FramePrefix, event.Decode); ok {
		return &Events{Events: events, Records: records}, nil
	}
	return decode(data, new(Events))
}
