package notebook

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/core/event"
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

// scanSnapshot reads a snapshot in exactly the form in which it is written, without spaces and with its members in
// order, and reports whether it could.
func scanSnapshot(data []byte) (snapshot, bool) {
	s := &scanner{data: data, ok: true, names: map[string]string{}}
	var v snapshot
	s.lit(`{"seq":`)
	v.Seq = event.Seq(s.uint())
	if s.has(`,"title":`) {
		v.Title = s.str()
	}
	if s.has(`,"metadata":`) {
		v.Metadata = s.bundle()
	}
	if s.has(`,"cells":`) {
		v.Cells = list(s, (*scanner).cell)
	}
	if s.has(`,"runs":`) {
		v.Runs = list(s, (*scanner).run)
	}
	if s.has(`}`) {
		return v, s.ok && len(s.data) == 0
	}
	s.lit(`,`)
	return v, s.ok && bytes.HasPrefix(s.data, []byte(`"`)) && scanTail(s.data, &v.snapshotTail)
}

// scanTail reads the rest of a snapshot behind a comma. It is short, and read as an object by the general decoder.
func scanTail(rest []byte, v *snapshotTail) bool {
	dec := json.NewDecoder(io.MultiReader(strings.NewReader(`{`), bytes.NewReader(rest)))
	dec.DisallowUnknownFields()
	return dec.Decode(v) == nil && dec.InputOffset() == int64(len(rest)+1)
}

func (s *scanner) cell() (c snapCell) {
	s.lit(`{"id":`)
	c.ID = event.CellID(s.str())
	s.lit(`,"kind":`)
	c.Kind = event.CellKind(s.name())
	if s.has(`,"language":`) {
		c.Language = s.name()
	}
	s.lit(`,"order":`)
	c.Order = order.Key(s.str())
	if s.has(`,"author":`) {
		c.Author = event.Actor(s.name())
	}
	c.Deleted = s.has(`,"deleted":true`)
	if s.has(`,"source":`) {
		c.Source = s.str()
	}
	if s.has(`,"rev":`) {
		c.Rev = event.Rev(s.uint())
	}
	c.HideSource = s.has(`,"hideSource":true`)
	c.HideOutputs = s.has(`,"hideOutputs":true`)
	c.HideContext = s.has(`,"hideContext":true`)
	if s.has(`,"metadata":`) {
		c.Metadata = s.bundle()
	}
	if s.has(`,"outputs":`) {
		c.Outputs = list(s, (*scanner).output)
	}
	if s.has(`,"run":`) {
		c.Run = event.RunID(s.str())
	}
	if s.has(`,"began":`) {
		c.Began = event.RunID(s.str())
	}
	if s.has(`,"count":`) {
		c.Count = int(s.uint())
	}
	if s.has(`,"clear":`) {
		c.Clear = clearing(s.digit())
	}
	s.lit(`}`)
	return c
}

func (s *scanner) output() (o snapOutput) {
	s.lit(`{"id":`)
	o.ID = event.OutputID(s.str())
	if s.has(`,"run":`) {
		o.Run = event.RunID(s.str())
	}
	o.Late = s.has(`,"late":true`)
	if s.has(`,"after":`) {
		o.After = event.RunID(s.str())
	}
	s.lit(`,"value":{"kind":`)
	v := &o.Value
	v.Kind = event.OutputKind(s.name())
	if s.has(`,"stream":`) {
		v.Stream = s.name()
	}
	if s.has(`,"text":`) {
		v.Text = s.str()
	}
	if s.has(`,"data":`) {
		v.Data = s.bundle()
	}
	if s.has(`,"artifacts":`) {
		s.any(&v.Artifacts)
	}
	if s.has(`,"metadata":`) {
		v.Metadata = s.bundle()
	}
	if s.has(`,"displayId":`) {
		v.DisplayID = s.str()
	}
	if s.has(`,"count":`) {
		v.Count = int(s.uint())
	}
	if s.has(`,"error":`) {
		s.any(&v.Error)
	}
	s.lit(`}}`)
	return o
}

func (s *scanner) run() (r snapRun) {
	s.lit(`{"id":`)
	r.ID = event.RunID(s.str())
	s.lit(`,"cell":`)
	r.Cell = event.CellID(s.str())
	s.lit(`,"batch":`)
	r.Batch = s.id()
	r.KeepGoing = s.has(`,"keepGoing":true`)
	r.MayFail = s.has(`,"mayFail":true`)
	if s.has(`,"allow":`) {
		r.Allow = list(s, (*scanner).name)
	}
	if s.has(`,"actor":`) {
		r.Actor = event.Actor(s.name())
	}
	if s.has(`,"source":`) {
		r.Source = s.str()
	}
	if s.has(`,"rev":`) {
		r.Rev = event.Rev(s.uint())
	}
	if s.has(`,"language":`) {
		r.Language = s.name()
	}
	s.lit(`,"takes":`)
	r.Takes = event.Takes(s.name())
	s.lit(`,"state":`)
	r.State = RunState(s.name())
	if s.has(`,"epoch":`) {
		r.Epoch = event.Epoch(s.uint())
	}
	s.runEnd(&r)
	return r
}

// runEnd reads the members of a run that describe its end.
func (s *scanner) runEnd(r *snapRun) {
	r.Cancelled = s.has(`,"cancelled":true`)
	if s.has(`,"status":`) {
		r.Status = event.RunStatus(s.name())
	}
	r.Exited = s.has(`,"exited":true`)
	r.Offered = s.has(`,"offered":true`)
	if s.has(`,"reason":`) {
		r.Reason = s.name()
	}
	if s.has(`,"cause":`) {
		r.Cause = event.Cause(s.name())
	}
	if s.has(`,"count":`) {
		r.Count = int(s.uint())
	}
	if s.has(`,"took":`) {
		r.Took = int64(s.uint())
	}
	if s.has(`,"requested":`) {
		r.Requested = event.Time(s.uint())
	}
	if s.has(`,"started":`) {
		r.Started = event.Time(s.uint())
	}
	if s.has(`,"finished":`) {
		r.Finished = event.Time(s.uint())
	}
	s.lit(`}`)
}

// id takes the id of an event.
func (s *scanner) id() event.ID {
	id, err := event.ParseID(s.str())
	s.ok = s.ok && err == nil
	return id
}

// bundle takes an object whose values are kept in their JSON form.
func (s *scanner) bundle() map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	s.lit(`{`)
	if s.has(`}`) {
		return m
	}
	for s.ok {
		key := s.name()
		s.lit(`:`)
		if _, twice := m[key]; twice || !utf8.ValidString(key) {
			s.ok = false
			return m
		}
		m[key] = bytes.Clone(s.raw())
		if s.has(`}`) {
			return m
		}
		s.lit(`,`)
	}
	return m
}

// list takes an array whose elements item reads.
func list[T any](s *scanner, item func(*scanner) T) []T {
	s.lit(`[`)
	if s.has(`]`) {
		return []T{}
	}
	var l []T
	for s.ok {
		l = append(l, item(s))
		if s.has(`]`) {
			return l
		}
		s.lit(`,`)
	}
	return nil
}
