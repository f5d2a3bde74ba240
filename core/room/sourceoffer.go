package room

import (
	"context"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/text"
)

// acceptOffer appends the effect of an offered source, in the batch of the offer: so it
// happens once, whichever members are connected. The actor is the runtime; the role of the
// requester of the run decides whether the source goes into the notebook.
func (s *Sequencer) acceptOffer(ctx context.Context, actor event.Actor, p *event.SourceOffered) {
	if s.cfg.KeepSources {
		return
	}
	run := s.book.Run(p.Run)
	if s.mayEdit(ctx, run) {
		if written := s.offeredEvent(run, p); written != nil && s.submit(ctx, actor, written) == nil {
			return
		}
	}
	shown := event.Output{Kind: event.OutputStream, Stream: event.Stdout, Text: p.Source}
	if shown.Text != "" { // refused as well, if the notebook is full
		_ = s.submit(ctx, actor, &event.OutputAdded{Output: event.OutputID(p.Cell), Run: p.Run, Epoch: p.Epoch, Value: shown})
	}
}

// mayEdit reports whether the requester of a run may edit the notebook: by the role of the
// connection that requested it, or by MayEdit if that connection is gone.
func (s *Sequencer) mayEdit(ctx context.Context, run *notebook.Run) bool {
	for m := range s.members {
		if m.client == run.Batch.Client && m.Actor == run.Actor {
			return m.Role.May(access.Edit)
		}
	}
	return s.cfg.MayEdit != nil && s.cfg.MayEdit(ctx, run.Actor)
}

// offeredEvent returns the event that puts an offered source into the notebook. The source
// replaces the one that ran only if that is unchanged; else it becomes a new cell behind it,
// so edits made meanwhile stay.
func (s *Sequencer) offeredEvent(run *notebook.Run, p *event.SourceOffered) event.Payload {
	c := s.book.Cell(run.Cell)
	if p.Replace && c.Rev == run.Rev {
		return &event.SourceEdited{Cell: c.ID, Rev: c.Rev, Edit: text.Diff(c.Source(), p.Source)}
	}
	at := s.book.Index(c)
	if !c.Deleted {
		at++
	}
	key, err := s.book.Between(at)
	if err != nil {
		return nil
	}
	return &event.CellCreated{Cell: p.Cell, Kind: event.KindCode, Language: c.Language, Order: key, Source: p.Source}
}
