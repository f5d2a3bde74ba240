package event

import (
	"encoding/json"

	"github.com/quirehq/quire/core/text"
)

// scanner reads the exact form that [Append] and [AppendDraft] write, without a general JSON parser: logs and sockets
// hold little else. On any deviation it gives up, and the general decoder decides.
type scanner struct {
	data []byte
	ok   bool
}

// lit takes the literal s from the front.
func (s *scanner) lit(lit string) {
	if !s.ok || len(s.data) < len(lit) || string(s.data[:len(lit)]) != lit {
		s.ok = false
		return
	}
	s.data = s.data[len(lit):]
}

// uint takes an unsigned decimal number from the front.
func (s *scanner) uint() uint64 {
	var n uint64
	i := 0
	for i < len(s.data) && i < 18 && s.data[i]-'0' <= 9 {
		n = n*10 + uint64(s.data[i]-'0')
		i++
	}
	if i == 0 || i > 1 && s.data[0] == '0' {
		s.ok = false
	}
	s.data = s.data[i:]
	return n
}

// raw takes a quoted string without escapes from the front, and returns the undecoded bytes between the quotes.
func (s *scanner) raw() []byte {
	s.lit(`"`)
	if !s.ok {
		return nil
	}
	for i, c := range s.data {
		switch {
		case c == '"':
			v := s.data[:i]
			s.data = s.data[i+1:]
			return v
		case c < ' ' || c > '~' || c == '\\':
			s.ok = false
			return nil
		}
	}
	s.ok = false
	return nil
}

func (s *scanner) str() string { return string(s.raw()) }

func (s *scanner) id() ID {
	id, err := ParseID(s.str())
	s.ok = s.ok && err == nil
	return id
}

// payload takes the type and payload members and the end of the object.
func (s *scanner) payload() Payload {
	s.lit(`"type":`)
	t := s.raw()
	s.lit(`,"payload":`)
	last := len(s.data) - 1
	if !s.ok || last < 0 || s.data[last] != '}' {
		s.ok = false
		return nil
	}
	s.data = s.data[:last]
	if string(t) == "SourceEdited" {
		return s.sourceEdited()
	}
	p, err := decodePayload(Type(t), s.data)
	s.ok = err == nil
	return p
}

func (s *scanner) sourceEdited() Payload {
	e := new(SourceEdited)
	s.lit(`{"cell":`)
	e.Cell = CellID(s.str())
	s.lit(`,"rev":`)
	e.Rev = Rev(s.uint())
	s.lit(`,"edit":`)
	last := len(s.data) - 1
	if !s.ok || last < 0 || s.data[last] != '}' {
		s.ok = false
		return nil
	}
	edit, err := text.Parse(s.data[:last])
	s.ok = err == nil
	e.Edit = edit
	return e
}

// scanEvent reads an event in the form of [Append], and reports whether it could.
func scanEvent(data []byte) (Event, bool) {
	s := scanner{data: data, ok: true}
	var e Event
	s.lit(`{"seq":`)
	e.Seq = Seq(s.uint())
	s.lit(`,"id":`)
	e.ID = s.id()
	s.lit(`,"actor":`)
	e.Actor = Actor(s.str())
	s.lit(`,"time":`)
	e.Time = Time(s.uint())
	s.lit(`,`)
	e.Payload = s.payload()
	return e, s.ok
}

// scanDraft reads a draft in the form of [AppendDraft], and reports whether it could.
func scanDraft(data []byte) (Draft, bool) {
	s := scanner{data: data, ok: true}
	var d Draft
	s.lit(`{"id":`)
	d.ID = s.id()
	s.lit(`,`)
	d.Payload = s.payload()
	return d, s.ok
}

// SeqOf returns the number of a record's event without decoding the rest of it,
// 0 if the data is no event.
func SeqOf(data []byte) Seq {
	s := scanner{data: data, ok: true}
	s.lit(`{"seq":`)
	n := s.uint()
	s.lit(`,`)
	if s.ok {
		return Seq(n)
	}
	var w struct {
		Seq Seq `json:"seq"`
	}
	if json.Unmarshal(data, &w) != nil {
		return 0
	}
	return w.Seq
}
