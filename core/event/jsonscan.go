package event

import (
	"encoding/json"

	"github.com/quirehq/quire/core/internal/jsonscan"
	"github.com/quirehq/quire/core/text"
)

// scanner reads the exact form that [Append] and [AppendDraft] write. On any deviation it gives up, and the general
// decoder decides.
type scanner struct{ jsonscan.Scanner }

func newScanner(data []byte) scanner { return scanner{jsonscan.New(data)} }

func (s *scanner) id() ID {
	id, err := ParseID(string(s.Plain()))
	if err != nil {
		s.Fail()
	}
	return id
}

// payload takes the type and payload members and the end of the object.
func (s *scanner) payload() Payload {
	s.Lit(`"type":`)
	t := s.Plain()
	s.Lit(`,"payload":`)
	data, ok := s.cutEnd()
	if !ok {
		return nil
	}
	if string(t) == "SourceEdited" {
		return s.sourceEdited(data)
	}
	p, err := decodePayload(Type(t), data)
	if err != nil {
		s.Fail()
	}
	return p
}

// cutEnd returns the data that is left without the brace that ends an object, which must be the last byte.
func (s *scanner) cutEnd() (data []byte, ok bool) {
	data = s.Rest()
	last := len(data) - 1
	if !s.OK() || last < 0 || data[last] != '}' {
		s.Fail()
		return nil, false
	}
	return data[:last], true
}

func (s *scanner) sourceEdited(data []byte) Payload {
	in := newScanner(data)
	e := new(SourceEdited)
	in.Lit(`{"cell":`)
	e.Cell = CellID(in.Plain())
	in.Lit(`,"rev":`)
	e.Rev = Rev(in.Uint())
	in.Lit(`,"edit":`)
	if data, ok := in.cutEnd(); ok {
		var err error
		if e.Edit, err = text.Parse(data); err == nil {
			return e
		}
	}
	s.Fail()
	return nil
}

// scanEvent reads an event in the form of [Append], and reports whether it could.
func scanEvent(data []byte) (Event, bool) {
	s := newScanner(data)
	var e Event
	s.Lit(`{"seq":`)
	e.Seq = Seq(s.Uint())
	s.Lit(`,"id":`)
	e.ID = s.id()
	s.Lit(`,"actor":`)
	e.Actor = Actor(s.Plain())
	s.Lit(`,"time":`)
	e.Time = Time(s.Uint())
	s.Lit(`,`)
	e.Payload = s.payload()
	return e, s.OK()
}

// scanDraft reads a draft in the form of [AppendDraft], and reports whether it could.
func scanDraft(data []byte) (Draft, bool) {
	s := newScanner(data)
	var d Draft
	s.Lit(`{"id":`)
	d.ID = s.id()
	s.Lit(`,`)
	d.Payload = s.payload()
	return d, s.OK()
}

// SeqOf returns the number of a record's event without decoding the rest of it,
// 0 if the data is no event.
func SeqOf(data []byte) Seq {
	s := newScanner(data)
	s.Lit(`{"seq":`)
	n := s.Uint()
	s.Lit(`,`)
	if s.OK() {
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
