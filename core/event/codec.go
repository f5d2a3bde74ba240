package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// appender is a payload that encodes itself faster than reflection does. The types that make up nearly all of a log
// implement it.
type appender interface {
	appendJSON(dst []byte) []byte
}

// Append adds the JSON form of e to dst.
func Append(dst []byte, e *Event) ([]byte, error) {
	dst = append(dst, `{"seq":`...)
	dst = strconv.AppendUint(dst, uint64(e.Seq), 10)
	dst = appendID(append(dst, `,"id":"`...), e.ID)
	dst = appendString(append(dst, `","actor":`...), string(e.Actor))
	dst = strconv.AppendInt(append(dst, `,"time":`...), int64(e.Time), 10)
	return appendPayload(append(dst, ','), e.Payload)
}

// AppendDraft adds the JSON form of d to dst.
func AppendDraft(dst []byte, d *Draft) ([]byte, error) {
	dst = appendID(append(dst, `{"id":"`...), d.ID)
	return appendPayload(append(dst, `",`...), d.Payload)
}

func appendID(dst []byte, id ID) []byte {
	dst = append(append(dst, id.Client...), '.')
	return strconv.AppendUint(dst, id.N, 10)
}

// appendPayload ends the JSON object with the type and payload members.
func appendPayload(dst []byte, p Payload) ([]byte, error) {
	if p == nil {
		return dst, errNoPayload
	}
	dst = appendString(append(dst, `"type":`...), string(p.Type()))
	dst = append(dst, `,"payload":`...)
	if a, ok := p.(appender); ok {
		return append(a.appendJSON(dst), '}'), nil
	}
	if u, ok := p.(*Unknown); ok {
		return appendUnknown(dst, u)
	}
	return appendAny(dst, p)
}

// appendUnknown copies the payload, because encoding/json would remove its spaces. Only line breaks become spaces: a
// record is one line.
func appendUnknown(dst []byte, u *Unknown) ([]byte, error) {
	if !validJSON(u.Raw) {
		return dst, fmt.Errorf("encode %s: payload is not valid JSON", u.Name)
	}
	for _, c := range u.Raw {
		if c == '\n' || c == '\r' {
			c = ' '
		}
		dst = append(dst, c)
	}
	return append(dst, '}'), nil
}

// appendAny encodes by reflection and leaves <, > and & unescaped: outputs are full of them, and each would take six
// bytes.
func appendAny(dst []byte, p Payload) ([]byte, error) {
	buf := bytes.NewBuffer(dst)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		return dst, fmt.Errorf("encode %s: %w", p.Type(), err)
	}
	b := buf.Bytes()
	b[len(b)-1] = '}' // replaces the line end that Encode writes
	return b, nil
}

func (e *SourceEdited) appendJSON(dst []byte) []byte {
	dst = appendString(append(dst, `{"cell":`...), string(e.Cell))
	dst = strconv.AppendUint(append(dst, `,"rev":`...), uint64(e.Rev), 10)
	return append(e.Edit.AppendJSON(append(dst, `,"edit":`...)), '}')
}

// appendString adds s as a JSON string. Names and short ASCII texts, its main use, are copied without decoding runes.
func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			b, _ := json.Marshal(s) // a string always has a JSON form
			return append(dst, b...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

// wire is the JSON form of an event.
type wire struct {
	Seq   Seq   `json:"seq"`
	Actor Actor `json:"actor"`
	Time  Time  `json:"time"`
	draftWire
}

// draftWire is the JSON form of a draft.
type draftWire struct {
	ID      ID              `json:"id"`
	Type    Type            `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

func (w *draftWire) payload() (Payload, error) {
	if w.ID == (ID{}) {
		return nil, errNoID
	}
	return decodePayload(w.Type, w.Payload)
}

// Decode reads the JSON form of an event. An event of an unknown type gets the payload [Unknown], and so does one that
// nests too deep (see [CheckDepth]), which an earlier version may have appended to a log: it folds to nothing.
func Decode(data []byte) (Event, error) {
	if tooDeep(data) {
		return decodeDeep(data)
	}
	if e, ok := scanEvent(data); ok {
		return e, nil
	}
	return decodeEvent(data)
}

// decodeEvent reads an event in any JSON form.
func decodeEvent(data []byte) (Event, error) {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	p, err := w.payload()
	if err != nil {
		return Event{}, fmt.Errorf("decode event %d: %w", w.Seq, err)
	}
	return Event{Seq: w.Seq, ID: w.ID, Actor: w.Actor, Time: w.Time, Payload: p}, nil
}

// decodeDeep decodes the envelope of an event and keeps its payload undecoded.
func decodeDeep(data []byte) (Event, error) {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	switch {
	case w.ID == (ID{}):
		return Event{}, fmt.Errorf("decode event %d: %w", w.Seq, errNoID)
	case w.Type == "":
		return Event{}, fmt.Errorf("decode event %d: %w", w.Seq, errNoType)
	}
	p := &Unknown{Name: w.Type, Raw: bytes.Clone(w.Payload)}
	return Event{Seq: w.Seq, ID: w.ID, Actor: w.Actor, Time: w.Time, Payload: p}, nil
}

// DecodeDraft reads the JSON form of a draft. Members that only the room may set, such as an actor, are ignored. With
// an error it returns the draft's id if that could be read, for the answer to the author.
func DecodeDraft(data []byte) (Draft, error) {
	if d, ok := scanDraft(data); ok {
		return d, nil
	}
	return decodeDraft(data)
}

// decodeDraft reads a draft in any JSON form.
func decodeDraft(data []byte) (Draft, error) {
	var w draftWire
	if err := json.Unmarshal(data, &w); err != nil {
		return Draft{ID: w.ID}, fmt.Errorf("decode event: %w", err)
	}
	p, err := w.payload()
	if err != nil {
		return Draft{ID: w.ID}, fmt.Errorf("event %s: %w", w.ID, err)
	}
	return Draft{ID: w.ID, Payload: p}, nil
}

func decodePayload(t Type, raw json.RawMessage) (Payload, error) {
	if t == "" {
		return nil, errNoType
	}
	if len(raw) == 0 {
		return nil, fmt.Errorf("%s: %w", t, errNoPayload)
	}
	p := New(t)
	if p == nil {
		if !validJSON(raw) {
			return nil, fmt.Errorf("%s: payload is not valid JSON", t)
		}
		return &Unknown{Name: t, Raw: bytes.Clone(bytes.TrimSpace(raw))}, nil
	}
	if err := json.Unmarshal(raw, p); err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	return p, nil
}

// MarshalJSON returns the JSON form that [Append] writes.
func (e Event) MarshalJSON() ([]byte, error) { return Append(nil, &e) }

// UnmarshalJSON reads what [Decode] reads.
func (e *Event) UnmarshalJSON(data []byte) error {
	v, err := Decode(data)
	if err != nil {
		return err
	}
	*e = v
	return nil
}

// MarshalJSON returns the JSON form that [AppendDraft] writes.
func (d Draft) MarshalJSON() ([]byte, error) { return AppendDraft(nil, &d) }

// UnmarshalJSON reads what [DecodeDraft] reads.
func (d *Draft) UnmarshalJSON(data []byte) error {
	v, err := DecodeDraft(data)
	if err != nil {
		return err
	}
	*d = v
	return nil
}
