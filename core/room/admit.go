package room

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/bytesize"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
)

// refusal is the reason why the room takes no event.
type refusal struct {
	code protocol.Code
	msg  string
}

func (r *refusal) Error() string { return r.msg }

func refuse(code protocol.Code, format string, args ...any) error {
	return &refusal{code: code, msg: fmt.Sprintf(format, args...)}
}

// authorize checks whether a member may push an event of this type, and whether the event
// is well formed. It does not depend on the notebook's cells.
func (s *Sequencer) authorize(m *Member, d *event.Draft) error {
	if d.ID.Client != m.client {
		return refuse(protocol.CodeForbidden, "event %s has the id of another client than %s", d.ID, m.client)
	}
	action := access.ActionFor(d.Payload)
	if action == "" {
		return refuse(protocol.CodeInvalid, "this server does not know events of type %s", d.Payload.Type())
	}
	if !m.Role.May(action) {
		return refuse(protocol.CodeForbidden, "the role %s may not append %s", m.Role, d.Payload.Type())
	}
	if err := d.Payload.Check(); err != nil {
		return refuse(protocol.CodeInvalid, "%s: %v", d.Payload.Type(), err)
	}
	if action == access.Execute {
		return s.authorizeRuntime(m, d.Payload)
	}
	return nil
}

// authorizeRuntime checks that a runtime starts itself only, and that every other event
// carries the epoch of that start.
func (s *Sequencer) authorizeRuntime(m *Member, p event.Payload) error {
	if start, ok := p.(*event.RuntimeStarted); ok {
		if start.Runtime != m.runtime {
			return refuse(protocol.CodeForbidden, "the connection serves as runtime %q, not %q", m.runtime, start.Runtime)
		}
		if start.Takes != m.takes {
			return refuse(protocol.CodeForbidden, "the connection serves as a runtime that takes %s, not %s", m.takes, start.Takes)
		}
		if start.Brought = ""; m.granted != m.Actor {
			start.Brought = m.granted
		}
		return nil
	}
	rt := s.book.RuntimeByID(m.runtime)
	if rt == nil {
		return refuse(protocol.CodeConflict, "runtime %s is not the notebook's runtime: another took its place, or it was stopped", m.runtime)
	}
	if got := epochOf(p); got != rt.Epoch {
		return refuse(protocol.CodeConflict, "epoch %d is not that of runtime %s, which is %d", got, m.runtime, rt.Epoch)
	}
	if stop, ok := p.(*event.RuntimeStopped); ok && stop.Reason == event.StopIdle && s.hasRun(rt) {
		return refuse(protocol.CodeConflict, "runtime %s is not idle: it has been given a run", m.runtime)
	}
	return nil
}

// hasRun reports whether a runtime has a run that is not finished.
func (s *Sequencer) hasRun(rt *notebook.Runtime) bool {
	return slices.ContainsFunc(s.book.Queue(), func(id event.RunID) bool {
		run := s.book.Run(id)
		return run.State != notebook.RunPending && run.Epoch == rt.Epoch
	})
}

// epochOf returns the epoch that an event of a runtime carries.
func epochOf(p event.Payload) event.Epoch {
	switch p := p.(type) {
	case *event.RuntimeReady:
		return p.Epoch
	case *event.RuntimeStopped:
		return p.Epoch
	case *event.RunAssigned:
		return p.Epoch
	case *event.RunStarted:
		return p.Epoch
	case *event.RunFinished:
		return p.Epoch
	case *event.SourceOffered:
		return p.Epoch
	case *event.InputAsked:
		return p.Epoch
	case *event.InputClosed:
		return p.Epoch
	case *event.OutputAdded:
		return p.Epoch
	case *event.OutputAppended:
		return p.Epoch
	case *event.OutputStored:
		return p.Epoch
	case *event.DisplayUpdated:
		return p.Epoch
	case *event.OutputsCleared:
		return p.Epoch
	case *event.ApprovalAsked:
		return p.Epoch
	case *event.CommOpened:
		return p.Epoch
	case *event.CommUpdated:
		return p.Epoch
	case *event.CommSent:
		return p.Epoch
	case *event.CommClosed:
		return p.Epoch
	case *event.CommsLost:
		return p.Epoch
	}
	return 0
}

// appendEvent gives an event its envelope, folds it and adds it to the batch. The
// member is nil for an event that the room makes itself.
func (s *Sequencer) appendEvent(ctx context.Context, m *Member, actor event.Actor, d *event.Draft) error {
	if err := s.checkID(actor, d.ID); err != nil {
		return err
	}
	if err := s.mention(ctx, d.Payload); err != nil {
		return err
	}
	s.recoverBefore(ctx, actor, d.Payload)
	e := event.Event{Seq: s.book.Seq() + 1, ID: d.ID, Actor: actor, Time: s.cfg.Now(), Payload: d.Payload}
	if p, ok := d.Payload.(*event.SourceEdited); ok && m != nil {
		moved, err := s.rebase(ctx, m, p)
		if err != nil {
			return err
		}
		e.Payload = moved
	}
	before := len(s.buf)
	data, err := event.Append(s.buf, &e)
	if err != nil {
		return refuse(protocol.CodeInvalid, "%s: %v", d.Payload.Type(), err)
	}
	if err := event.CheckDepth(data[before:]); err != nil {
		return refuse(protocol.CodeInvalid, "%s: %v", d.Payload.Type(), err)
	}
	if err := s.fits(len(data) - before); err != nil {
		return err
	}
	if err := s.logFits(ctx, actor, d.Payload, len(data)-before); err != nil {
		return err
	}
	if s.changes, err = s.book.Admit(&e, s.changes); err != nil {
		return err
	}
	s.bookBytes += int64(len(data) - before)
	s.logBytes += int64(len(data) - before)
	s.buf = data
	s.batch = append(s.batch, event.Record{Seq: e.Seq, Data: data[before:len(data):len(data)]})
	s.remember(m, &e)
	if p, ok := e.Payload.(*event.SourceOffered); ok {
		s.acceptOffer(ctx, actor, p)
	}
	return nil
}

// maxSkip bounds how far the counter of an event may be beyond the last of its client. A
// client skips the counters of refused events, and of events that a log restored from a
// copy lacks: at 10,000 events a second it takes five days to skip that many. Without a
// bound one event could use up all counters.
const maxSkip = 1 << 32

// checkID checks whether an actor may use an event id.
func (s *Sequencer) checkID(actor event.Actor, id event.ID) error {
	owner, seen := s.book.Owner(id.Client), s.book.Seen(id.Client)
	switch {
	case owner != "" && owner != actor && id.Client != protocol.RoomClient:
		return refuse(protocol.CodeForbidden, "the client id %s belongs to %s, the author of its first event: connect under another id", id.Client, owner)
	case seen >= id.N:
		return refuse(protocol.CodeDuplicate, "event %s is in the log already", id)
	case id.N-seen > maxSkip:
		return refuse(protocol.CodeInvalid, "event %s has a counter far beyond %d, the last of its client", id, seen)
	}
	return nil
}

// remember notes facts of an event that later events of the batch or the commit need.
func (s *Sequencer) remember(m *Member, e *event.Event) {
	if s.author != m {
		s.author = m
		s.turns++
	}
	switch p := e.Payload.(type) {
	case *event.SourceEdited:
		s.recordEdit(m, p)
	case *event.NotebookTitled:
		s.title = &p.Title
	case *event.CellRestored:
		s.restores = true
	}
}

// Submit adds events of the server to the batch, stamped with an actor, such as a user
// who acts by a request instead of a connection. The error is a refusal, whose code
// [CodeOf] returns; the events after the refused one are not submitted.
//
// The events are submitted again if another process appends to the log first. Then the
// result may be another.
func (s *Sequencer) Submit(ctx context.Context, actor event.Actor, payloads ...event.Payload) error {
	return *s.submitRequest(ctx, request{actor: actor, payloads: payloads})
}

// submitRequest is Submit. The error that is pointed to is the result so far, until the
// batch is stored.
func (s *Sequencer) submitRequest(ctx context.Context, r request) *error {
	defer s.assign(ctx)
	r.refused = new(error)
	s.requests = append(s.requests, r)
	*r.refused = s.submit(ctx, r.actor, r.payloads...)
	return r.refused
}

func (s *Sequencer) submit(ctx context.Context, actor event.Actor, payloads ...event.Payload) error {
	for _, p := range payloads {
		if err := p.Check(); err != nil {
			return refuse(protocol.CodeInvalid, "%s: %v", p.Type(), err)
		}
		id := event.ID{Client: protocol.RoomClient, N: s.book.Seen(protocol.RoomClient) + 1}
		if err := s.appendEvent(ctx, nil, actor, &event.Draft{ID: id, Payload: p}); err != nil {
			return err
		}
	}
	return nil
}

// CodeOf returns the code of a refusal, and [protocol.CodeInternal] for any other error.
func CodeOf(err error) protocol.Code {
	switch {
	case errors.Is(err, ErrNotFound):
		return protocol.CodeNotFound
	case errors.Is(err, ErrUnavailable):
		return protocol.CodeUnavailable
	}
	return refused(event.ID{}, err).Code
}

const (
	// smallEvent is the most bytes of an event that has a higher limit than others: the end
	// of a run, or a user who makes space, must not be refused for want of space.
	smallEvent = 1 << 10
	// sizeEvery is how long a measured size of a full notebook is used, in milliseconds.
	// Measuring visits every row.
	sizeEvery = event.Time(250)
	// weighEvery is how long a measured size of a full log is used. Measuring asks the disk.
	weighEvery = event.Time(5_000)
)

// fits refuses an event of a size that could take the notebook over its limit. The size of
// the notebook is an upper bound: the size when last measured, and all events since. A
// notebook that is over the limit already can be opened, and made smaller.
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
	return refuse(protocol.CodeInvalid, "the notebook holds %s, and this server lets one hold %s: clear outputs, or go on in another notebook",
		bytesize.About(s.bookBytes), bytesize.Text(s.cfg.MaxSize))
}

// errLogFull makes a runtime keep its events: the log takes no more of them.
var errLogFull = refuse(protocol.CodeUnavailable, "the notebook's history is as large as it may be: the runtime keeps what it has, and its program waits, until there is space")

// logFits checks whether the log may grow by an event. Events of users are refused at the
// limit, small ones at one and a half times the limit, so users can still stop a program. Events of a
// runtime are taken up to one and a quarter times the limit; beyond that the runtime keeps them, as when
// the disk is full. The room's own events, and spooled events of a dead runtime, are bounded
// elsewhere.
func (s *Sequencer) logFits(ctx context.Context, actor event.Actor, p event.Payload, bytes int) error {
	limit := s.logLimit(actor, p, bytes)
	if limit == 0 || s.logBytes+int64(bytes) <= limit {
		return nil
	}
	s.measureLog(ctx)
	switch {
	case s.logBytes+int64(bytes) <= limit:
		return nil
	case serves(actor, p):
		return errLogFull
	}
	return refuse(protocol.CodeInvalid, "the notebook's history takes %s, and this server lets it take %s: go on in a duplicate of the notebook, which begins without history, or have the server started with a larger --history-size",
		bytesize.About(s.logBytes), bytesize.Text(s.cfg.MaxLog))
}

// logLimit returns the limit of the log's size for an event of an actor, 0 for none.
func (s *Sequencer) logLimit(actor event.Actor, p event.Payload, bytes int) int64 {
	limit, kind := s.cfg.MaxLog, actor.Kind()
	_, runs := p.(*event.RunRequested)
	switch {
	case kind == event.ActorRoom, kind.Serves() && s.recovering:
		return 0
	case serves(actor, p):
		return limit + limit/4
	case bytes <= smallEvent && !runs:
		return limit + limit/2
	}
	return limit
}

// serves reports whether an event is that of a runtime as such. An assistant also edits, as users do.
func serves(actor event.Actor, p event.Payload) bool {
	return actor.Kind().Serves() && access.ActionOf(p.Type()) == access.Execute
}

// measureLog asks for the size of the log, unless it did so a moment ago. It is less than the
// counted size when records have been packed since.
func (s *Sequencer) measureLog(ctx context.Context) {
	now := s.cfg.Clock()
	if s.cfg.LogSize == nil || s.logMeasured != nil && now-*s.logMeasured < weighEvery {
		return
	}
	s.logMeasured = &now
	if size, err := s.cfg.LogSize(ctx); err == nil { // else the counted size holds
		s.logBytes = size + int64(len(s.buf))
		if s.inFlight != nil {
			s.logBytes += int64(len(s.inFlight.buf))
		}
	}
}

// ErrNoArtifact says that a notebook lacks an artifact that an event mentions.
var ErrNoArtifact = errors.New("the notebook has no such artifact")

// errMention says that the artifacts could not be looked up.
var errMention = errors.Join(ErrUnavailable, errors.New("the notebook's artifacts cannot be looked up; try again"))

// mention lets the host note the artifacts that an event mentions, before the event is
// appended. It refuses an event that mentions an artifact which the notebook lacks.
func (s *Sequencer) mention(ctx context.Context, p event.Payload) error {
	if s.cfg.Mention == nil {
		return nil
	}
	list := mentioned(p)
	if len(list) == 0 {
		return nil
	}
	switch err := s.cfg.Mention(ctx, list); {
	case errors.Is(err, ErrNoArtifact):
		return refuse(protocol.CodeNotFound, "%s mentions an artifact that the notebook does not have: upload it first", p.Type())
	case err != nil:
		return errMention
	}
	return nil
}

// mentioned returns the artifacts that an event mentions.
func mentioned(p event.Payload) []event.Artifact {
	switch p := p.(type) {
	case *event.OutputAdded:
		return inBundle(p.Value.Artifacts)
	case *event.OutputStored:
		return inBundle(p.Artifacts)
	case *event.DisplayUpdated:
		return inBundle(p.Artifacts)
	case *event.OutputsImported:
		return inOutputs(p.Outputs)
	case *event.FileAttached:
		return []event.Artifact{p.Artifact}
	case *event.CommOpened:
		return inBuffers(p.Buffers)
	case *event.CommUpdated:
		return inBuffers(p.Buffers)
	case *event.CommSent:
		return inBuffers(p.Buffers)
	}
	return nil
}

func inBundle(m map[string]event.Artifact) []event.Artifact {
	if len(m) == 0 {
		return nil
	}
	return slices.Collect(maps.Values(m))
}

func inOutputs(outputs []event.Output) (list []event.Artifact) {
	for i := range outputs {
		list = append(list, inBundle(outputs[i].Artifacts)...)
	}
	return list
}

func inBuffers(buffers []event.Buffer) (list []event.Artifact) {
	for i := range buffers {
		if a := buffers[i].Artifact; a != nil {
			list = append(list, *a)
		}
	}
	return list
}

// recoverBefore appends the spooled events of a dead runtime before an event of another
// actor that ends it.
func (s *Sequencer) recoverBefore(ctx context.Context, actor event.Actor, p event.Payload) {
	var ends event.RuntimeID
	switch p := p.(type) {
	case *event.RuntimeStopped:
		ends = p.Runtime
	case *event.RuntimeStarted:
		if rt := s.book.Runtime(p.Takes); rt != nil && rt.State != notebook.RuntimeStopped && rt.ID != p.Runtime {
			ends = rt.ID
		}
	default:
		return
	}
	if rt := s.book.RuntimeByID(ends); rt != nil && actor != rt.Takes.Actor(ends) {
		s.recoverSpool(ctx, rt)
	}
}

// recoverSpool appends the events of an absent runtime that it could not push: after its
// end they would be refused. Events that the log has already, and moot or malformed ones,
// are skipped.
func (s *Sequencer) recoverSpool(ctx context.Context, rt *notebook.Runtime) {
	if s.cfg.Spooled == nil || s.serves(rt.ID) {
		return
	}
	id, actor, epoch := rt.ID, rt.Takes.Actor(rt.ID), rt.Epoch
	s.recovering = true
	defer func() { s.recovering = false }()
	drafts := s.cfg.Spooled(id)
	for i := range drafts {
		p := drafts[i].Payload
		if access.ActionOf(p.Type()) == access.Execute && epochOf(p) == epoch && p.Check() == nil {
			_ = s.appendEvent(ctx, nil, actor, &drafts[i])
		}
	}
}
