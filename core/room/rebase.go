package room

import (
	"context"
	"errors"
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/text"
)

// keepEdits is how many edits of a cell are kept in memory for rebasing, and keepBytes how
// many bytes those of all cells may take. Beyond that the latest few of each cell are kept,
// unless they are large. Older edits are read from the log.
const (
	keepEdits = 2 * protocol.Window
	keepBytes = 16 << 20
	keepFew   = 64
	fewBytes  = 64 << 10
)

// recentEdits has the latest edits of a cell's source. The edit at index i made
// revision base+i+1.
type recentEdits struct {
	base  event.Rev
	edits []text.Edit
	bytes int
}

// drop removes the first n edits, and returns their size.
func (h *recentEdits) drop(n int) (bytes int) {
	for _, e := range h.edits[:n] {
		bytes += e.Size()
	}
	h.edits = append(make([]text.Edit, 0, min(2*keepEdits, 2*(len(h.edits)-n)+1)), h.edits[n:]...)
	h.base += event.Rev(n)
	h.bytes -= bytes
	return bytes
}

// rebaser rebases a member's edits of one cell. A member may push an edit before its earlier
// ones are acknowledged, so an edit is made on the revision that it names and on the
// member's own edits behind that. Concurrent has the edits of others meanwhile, transformed
// so that they apply after the member's own.
type rebaser struct {
	through    event.Rev   // the last revision that concurrent covers
	concurrent text.Chain  // edits of other authors that the member had not seen
	revs       []event.Rev // the revisions that they made
	broken     bool        // an edit was refused, so later ones are made on a text that never existed
	batch      uint64      // the last batch that may have changed the rebaser
}

// rebaser returns the rebaser of a member's cell, to be changed by the open batch. It begins
// at the revision of its first edit.
func (s *Sequencer) rebaser(m *Member, p *event.SourceEdited) *rebaser {
	s.saveRebaser(m, p.Cell)
	l := m.rebasers[p.Cell]
	if l == nil {
		l = &rebaser{through: p.Rev, batch: s.batchNo}
		m.rebasers[p.Cell] = l
	}
	return l
}

// savedRebaser is a rebaser as it was before a batch.
type savedRebaser struct {
	member *Member
	cell   event.CellID
	was    *rebaser // nil if there was none
}

// saveRebaser keeps the rebaser of a member's cell as it was before the open batch.
func (s *Sequencer) saveRebaser(m *Member, cell event.CellID) {
	l := m.rebasers[cell]
	if l != nil && l.batch == s.batchNo {
		return
	}
	saved := savedRebaser{member: m, cell: cell}
	if l != nil {
		was := *l
		was.concurrent, was.revs = l.concurrent.Clone(), slices.Clone(l.revs)
		saved.was, l.batch = &was, s.batchNo
	}
	s.rebasers = append(s.rebasers, saved)
}

// restore puts the rebaser back.
func (r *savedRebaser) restore() {
	if r.was == nil {
		delete(r.member.rebasers, r.cell)
		return
	}
	r.member.rebasers[r.cell] = r.was
}

// rebase returns an edit as it applies to the cell's text now.
func (s *Sequencer) rebase(ctx context.Context, m *Member, p *event.SourceEdited) (*event.SourceEdited, error) {
	c := s.book.Cell(p.Cell)
	if c == nil {
		return nil, refuse(protocol.CodeNotFound, "there is no cell %s", p.Cell)
	}
	l := s.rebaser(m, p)
	switch {
	case l.broken:
		return nil, refuse(protocol.CodeConflict, "the edit follows one that was refused")
	case p.Rev > c.Rev:
		return nil, refuse(protocol.CodeInvalid, "cell %s has revision %d, the edit is of %d", p.Cell, c.Rev, p.Rev)
	}
	if err := s.addConcurrent(ctx, m, l, p.Cell, c.Rev); err != nil {
		return nil, err
	}
	return &event.SourceEdited{Cell: p.Cell, Rev: c.Rev, Edit: l.transform(p)}, nil
}

// addConcurrent extends a rebaser's concurrent edits up to a revision.
func (s *Sequencer) addConcurrent(ctx context.Context, m *Member, l *rebaser, cell event.CellID, to event.Rev) error {
	if l.through >= to {
		return nil
	}
	edits, err := s.editsSince(ctx, m, cell, l.through)
	if err != nil {
		return err
	}
	for _, e := range edits {
		l.through++
		l.concurrent.Add(e)
		l.revs = append(l.revs, l.through)
	}
	return nil
}

// transform transforms an edit over the concurrent ones, and those over the edit.
func (l *rebaser) transform(p *event.SourceEdited) text.Edit {
	seen := 0
	for seen < len(l.revs) && l.revs[seen] <= p.Rev {
		seen++
	}
	l.revs = l.revs[seen:]
	l.concurrent.Drop(seen)
	return l.concurrent.After(p.Edit)
}

// recordEdit keeps an admitted edit for rebasing others, as the member's own if it has one.
func (s *Sequencer) recordEdit(m *Member, p *event.SourceEdited) {
	h := s.recent[p.Cell]
	if h == nil {
		h = &recentEdits{base: p.Rev}
		s.recent[p.Cell] = h
	}
	size := p.Edit.Size()
	h.edits, h.bytes, s.editBytes = append(h.edits, p.Edit), h.bytes+size, s.editBytes+size
	if extra := len(h.edits) - 2*keepEdits; extra >= 0 {
		s.editBytes -= h.drop(extra + keepEdits)
	}
	if s.editBytes > keepBytes {
		s.trimEdits()
	}
	if m != nil {
		m.rebasers[p.Cell].through = p.Rev + 1
	}
}

// trimEdits drops old edits when those of all cells take too much space.
func (s *Sequencer) trimEdits() {
	for cell, h := range s.recent {
		if extra := len(h.edits) - keepFew; extra > 0 {
			s.editBytes -= h.drop(extra)
		}
		if h.bytes > fewBytes {
			s.editBytes -= h.bytes
			delete(s.recent, cell)
		}
	}
	if s.editBytes > keepBytes/2 { // very many cells have edits
		clear(s.recent)
		s.editBytes = 0
	}
}

// editsSince returns the edits of a cell after a revision.
func (s *Sequencer) editsSince(ctx context.Context, m *Member, cell event.CellID, rev event.Rev) ([]text.Edit, error) {
	if h := s.recent[cell]; h != nil && rev >= h.base {
		return h.edits[rev-h.base:], nil
	}
	return s.readEdits(ctx, m, cell, rev)
}

// readEdits is editsSince from the log after the member's start, and from the batches that
// are not in the log yet.
func (s *Sequencer) readEdits(ctx context.Context, m *Member, cell event.CellID, rev event.Rev) ([]text.Edit, error) {
	var edits []text.Edit
	take := func(r event.Record) error {
		e, err := event.Decode(r.Data)
		if err != nil {
			return err
		}
		if p, ok := e.Payload.(*event.SourceEdited); ok && p.Cell == cell && p.Rev == rev+event.Rev(len(edits)) {
			edits = append(edits, p.Edit)
		}
		return nil
	}
	durable := s.durable()
	err := s.cfg.Log.Read(ctx, m.start, func(r event.Record) error {
		if r.Seq > durable { // in flight, or of another process
			return errEnough
		}
		return take(r)
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	if s.inFlight != nil {
		for _, r := range s.inFlight.records {
			err = errors.Join(err, take(r))
		}
	}
	for _, r := range s.batch {
		err = errors.Join(err, take(r))
	}
	if err != nil {
		return nil, err
	}
	if rev+event.Rev(len(edits)) != s.book.Cell(cell).Rev {
		return nil, refuse(protocol.CodeConflict, "the edit is of revision %d, from before this connection began", rev)
	}
	return edits, nil
}
