package notebook

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/internal/jsonscan"
	"github.com/quirehq/quire/core/order"
)

// decodeSnapshot reads a snapshot. The exact form that [Notebook.Snapshot] writes has a fast path, several times faster
// than reflection: opening a notebook waits for it.
func decodeSnapshot(data []byte) (snapshot, error) {
	if s, ok := scanSnapshot(data); ok {
		return s, nil
	}
	var s snapshot
	err := json.Unmarshal(data, &s)
	return s, err
}

// scanner reads the parts of a snapshot.
type scanner struct{ jsonscan.Scanner }

// scanSnapshot reads a snapshot in exactly the form in which it is written, without spaces and with its members in
// order, and reports whether it could.
func scanSnapshot(data []byte) (snapshot, bool) {
	s := &scanner{jsonscan.New(data)}
	var v snapshot
	s.Lit(`{"seq":`)
	v.Seq = event.Seq(s.Uint())
	if s.Has(`,"title":`) {
		v.Title = s.Str()
	}
	if s.Has(`,"metadata":`) {
		v.Metadata = s.bundle()
	}
	if s.Has(`,"cells":`) {
		v.Cells = list(s, (*scanner).cell)
	}
	if s.Has(`,"runs":`) {
		v.Runs = list(s, (*scanner).run)
	}
	if s.Has(`}`) {
		return v, s.OK() && len(s.Rest()) == 0
	}
	s.Lit(`,`)
	return v, s.OK() && bytes.HasPrefix(s.Rest(), []byte(`"`)) && scanTail(s.Rest(), &v.snapshotTail)
}

// scanTail reads the rest of a snapshot behind a comma. It is short, and read as an object by the general decoder.
func scanTail(rest []byte, v *snapshotTail) bool {
	dec := json.NewDecoder(io.MultiReader(strings.NewReader(`{`), bytes.NewReader(rest)))
	dec.DisallowUnknownFields()
	return dec.Decode(v) == nil && dec.InputOffset() == int64(len(rest)+1)
}

func (s *scanner) cell() (c snapCell) {
	s.Lit(`{"id":`)
	c.ID = event.CellID(s.Str())
	s.Lit(`,"kind":`)
	c.Kind = event.CellKind(s.Name())
	if s.Has(`,"language":`) {
		c.Language = s.Name()
	}
	s.Lit(`,"order":`)
	c.Order = order.Key(s.Str())
	if s.Has(`,"author":`) {
		c.Author = event.Actor(s.Name())
	}
	c.Deleted = s.Has(`,"deleted":true`)
	if s.Has(`,"source":`) {
		c.Source = s.Str()
	}
	if s.Has(`,"rev":`) {
		c.Rev = event.Rev(s.Uint())
	}
	c.HideSource = s.Has(`,"hideSource":true`)
	c.HideOutputs = s.Has(`,"hideOutputs":true`)
	c.HideContext = s.Has(`,"hideContext":true`)
	if s.Has(`,"metadata":`) {
		c.Metadata = s.bundle()
	}
	if s.Has(`,"outputs":`) {
		c.Outputs = list(s, (*scanner).output)
	}
	if s.Has(`,"run":`) {
		c.Run = event.RunID(s.Str())
	}
	if s.Has(`,"began":`) {
		c.Began = event.RunID(s.Str())
	}
	if s.Has(`,"count":`) {
		c.Count = int(s.Uint())
	}
	if s.Has(`,"clear":`) {
		c.Clear = clearing(s.digit())
	}
	s.Lit(`}`)
	return c
}

func (s *scanner) output() (o snapOutput) {
	s.Lit(`{"id":`)
	o.ID = event.OutputID(s.Str())
	if s.Has(`,"run":`) {
		o.Run = event.RunID(s.Str())
	}
	o.Late = s.Has(`,"late":true`)
	if s.Has(`,"after":`) {
		o.After = event.RunID(s.Str())
	}
	s.Lit(`,"value":{"kind":`)
	v := &o.Value
	v.Kind = event.OutputKind(s.Name())
	if s.Has(`,"stream":`) {
		v.Stream = s.Name()
	}
	if s.Has(`,"text":`) {
		v.Text = s.Str()
	}
	if s.Has(`,"data":`) {
		v.Data = s.bundle()
	}
	if s.Has(`,"artifacts":`) {
		s.Any(&v.Artifacts)
	}
	if s.Has(`,"metadata":`) {
		v.Metadata = s.bundle()
	}
	if s.Has(`,"displayId":`) {
		v.DisplayID = s.Str()
	}
	if s.Has(`,"count":`) {
		v.Count = int(s.Uint())
	}
	if s.Has(`,"error":`) {
		s.Any(&v.Error)
	}
	s.Lit(`}}`)
	return o
}

func (s *scanner) run() (r snapRun) {
	s.Lit(`{"id":`)
	r.ID = event.RunID(s.Str())
	s.Lit(`,"cell":`)
	r.Cell = event.CellID(s.Str())
	s.Lit(`,"batch":`)
	r.Batch = s.id()
	r.KeepGoing = s.Has(`,"keepGoing":true`)
	r.MayFail = s.Has(`,"mayFail":true`)
	if s.Has(`,"allow":`) {
		r.Allow = list(s, (*scanner).Name)
	}
	if s.Has(`,"actor":`) {
		r.Actor = event.Actor(s.Name())
	}
	if s.Has(`,"source":`) {
		r.Source = s.Str()
	}
	if s.Has(`,"rev":`) {
		r.Rev = event.Rev(s.Uint())
	}
	if s.Has(`,"language":`) {
		r.Language = s.Name()
	}
	s.Lit(`,"takes":`)
	r.Takes = event.Takes(s.Name())
	s.Lit(`,"state":`)
	r.State = RunState(s.Name())
	if s.Has(`,"epoch":`) {
		r.Epoch = event.Epoch(s.Uint())
	}
	s.runEnd(&r)
	return r
}

// runEnd reads the members of a run that describe its end.
func (s *scanner) runEnd(r *snapRun) {
	r.Cancelled = s.Has(`,"cancelled":true`)
	if s.Has(`,"status":`) {
		r.Status = event.RunStatus(s.Name())
	}
	r.Exited = s.Has(`,"exited":true`)
	r.Offered = s.Has(`,"offered":true`)
	if s.Has(`,"reason":`) {
		r.Reason = s.Name()
	}
	if s.Has(`,"cause":`) {
		r.Cause = event.Cause(s.Name())
	}
	if s.Has(`,"count":`) {
		r.Count = int(s.Uint())
	}
	if s.Has(`,"took":`) {
		r.Took = int64(s.Uint())
	}
	if s.Has(`,"requested":`) {
		r.Requested = event.Time(s.Uint())
	}
	if s.Has(`,"started":`) {
		r.Started = event.Time(s.Uint())
	}
	if s.Has(`,"finished":`) {
		r.Finished = event.Time(s.Uint())
	}
	s.Lit(`}`)
}

// digit takes a number of one digit.
func (s *scanner) digit() uint8 {
	n := s.Uint()
	if n > 9 {
		s.Fail()
	}
	return uint8(n)
}

// id takes the id of an event.
func (s *scanner) id() event.ID {
	id, err := event.ParseID(s.Str())
	if err != nil {
		s.Fail()
	}
	return id
}

// bundle takes an object whose values are kept in their JSON form.
func (s *scanner) bundle() map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	s.Lit(`{`)
	if s.Has(`}`) {
		return m
	}
	for s.OK() {
		key := s.Name()
		s.Lit(`:`)
		if _, twice := m[key]; twice || !utf8.ValidString(key) {
			s.Fail()
			return m
		}
		m[key] = bytes.Clone(s.Raw())
		if s.Has(`}`) {
			return m
		}
		s.Lit(`,`)
	}
	return m
}

// list takes an array whose elements item reads.
func list[T any](s *scanner, item func(*scanner) T) []T {
	s.Lit(`[`)
	if s.Has(`]`) {
		return []T{}
	}
	var l []T
	for s.OK() {
		l = append(l, item(s))
		if s.Has(`]`) {
			return l
		}
		s.Lit(`,`)
	}
	return nil
}
