package view

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
)

// Page collects the rows that one browser tab has not been sent yet. Its cost is that of the changes: printed text is
// appended to the text that the page has.
type Page struct {
	pages *Pages

	seen      event.Seq // the page shows the notebook up to this number already
	behind    bool      // the replica has less than that, so no rows were sent
	all       bool      // send all rows
	notebook  bool
	cells     rows[event.CellID]
	runs      rows[event.RunID]
	outputs   rows[event.OutputID]
	inputs    rows[event.InputID]
	approvals rows[event.ApprovalID]
	runtimes  bool
	texts     []TextUpdate
	pushed    []TextUpdate // of the push that is being applied: the page has made these edits
	moved     []Moved
	refused   []Refusal

	has     map[event.CellID]bool  // cells whose text the page has or will get in the next batch
	first   map[event.CellID]Text  // first texts of cells that got text by a move
	rows    map[event.CellID]Cell  // rows that the page has, without texts
	shown   map[event.CellID]bool  // cells that the page has with their outputs and run
	lengths map[event.OutputID]int // of the streams that the page has, in UTF-16 code units
	growth  map[event.OutputID]*Append

	queue  []event.RunID
	peers  []Peer
	away   []event.Takes // the kinds of runtimes that are away for the page
	status Status
}

// rows is a set of changed rows, in the order of their changes.
type rows[ID ~string] struct {
	list []ID
	in   map[ID]bool
}

func (r *rows[ID]) add(id ID) {
	if r.in[id] {
		return
	}
	if r.in == nil {
		r.in = map[ID]bool{}
	}
	r.in[id] = true
	r.list = append(r.list, id)
}

// mark records changed rows.
func (p *Page) mark(changes []notebook.Change) {
	for _, c := range changes {
		switch c.Table {
		case notebook.TableNotebook:
			p.notebook = true
		case notebook.TableCells:
			p.cells.add(event.CellID(c.ID))
		case notebook.TableRuns:
			p.runs.add(event.RunID(c.ID))
		case notebook.TableOutputs:
			if p.growth[event.OutputID(c.ID)] == nil {
				p.outputs.add(event.OutputID(c.ID))
			}
		case notebook.TableInputs:
			p.inputs.add(event.InputID(c.ID))
		case notebook.TableApprovals:
			p.approvals.add(event.ApprovalID(c.ID))
		case notebook.TableRuntimes:
			p.runtimes = true
		}
	}
}

// resend records that an output changed otherwise than by appended text.
func (p *Page) resend(id event.OutputID) {
	delete(p.growth, id)
	p.outputs.add(id)
}

// Seen says that the page shows the notebook up to a number already: see [First].
func (p *Page) Seen(seq event.Seq) { p.seen, p.behind = seq, seq > 0 }

// Take returns the changes since the last call, nil if there are none. While the replica has nothing yet, or less than
// the page has [Page.Seen], it reports only trouble: the page keeps showing its old rows.
func (p *Page) Take(r *replica.Replica, l Link) *Batch {
	b := &Batch{}
	p.behind = p.behind && r.Confirmed().Seq() < p.seen && !r.Online() && l.Trouble == "" && l.Closed == nil
	if !p.behind && (r.Confirmed().Seq() > 0 || r.Online()) {
		p.markRuntimes(r)
		p.takeRows(r.View(), b)
		p.takePeers(r, b)
	}
	if !p.behind {
		p.takeStatus(r, l, b)
	}
	if b.empty() {
		return nil
	}
	return b
}

// empty reports whether the batch changes nothing.
func (b *Batch) empty() bool {
	return !b.Reset && b.Notebook == nil && b.Gone == nil && b.Queue == nil && b.Peers == nil && b.Status == nil &&
		len(b.Cells)+len(b.Texts)+len(b.Moved)+len(b.Runs)+len(b.Outputs)+len(b.Appended)+len(b.Runtimes)+len(b.Inputs)+len(b.Approvals)+len(b.Refused) == 0
}

// markRuntimes records that a runtime went away, or came back.
func (p *Page) markRuntimes(r *replica.Replica) {
	if away := awayFrom(r); !slices.Equal(away, p.away) {
		p.away, p.runtimes = away, true
	}
}

// awayFrom returns the kinds of runtimes that are away, to the knowledge of a replica.
func awayFrom(r *replica.Replica) (away []event.Takes) {
	for _, takes := range event.Kinds() {
		if r.IsAway(takes) {
			away = append(away, takes)
		}
	}
	return away
}

func (p *Page) takeRows(n *notebook.Notebook, b *Batch) {
	if p.all {
		b.Reset = true
		p.markAll(n)
	}
	if p.notebook {
		b.Notebook = notebookRow(n)
	}
	p.takeCells(n, b)
	p.takeOutputs(n, b)
	p.takeRuns(n, b)
	p.takeInputs(n, b)
	p.takeApprovals(n, b)
	if p.runtimes {
		b.Runtimes = runtimeRows(n, p.away)
	}
	b.Texts, b.Moved, b.Refused = p.texts, p.moved, p.refused
	p.clear()
}

// markAll marks all rows.
func (p *Page) markAll(n *notebook.Notebook) {
	texts, moved, refused := p.texts, p.moved, p.refused
	p.clear()
	p.texts, p.moved, p.refused = texts, moved, refused // an editor that runs ahead needs every update
	clear(p.lengths)
	clear(p.shown)
	clear(p.rows)
	p.notebook, p.runtimes = true, true
	for _, id := range n.Cells() {
		p.cells.add(id)
	}
	for _, id := range n.Queue() {
		p.runs.add(id)
	}
	for _, id := range n.Inputs() {
		p.inputs.add(id)
	}
	for _, id := range n.Approvals() {
		p.approvals.add(id)
	}
}

// clear drops the recorded changes.
func (p *Page) clear() {
	p.all, p.notebook, p.runtimes, p.refused = false, false, false, nil
	p.cells, p.runs = rows[event.CellID]{}, rows[event.RunID]{}
	p.outputs, p.inputs, p.approvals = rows[event.OutputID]{}, rows[event.InputID]{}, rows[event.ApprovalID]{}
	p.texts, p.moved = nil, nil
	clear(p.growth)
}

func (p *Page) takeCells(n *notebook.Notebook, b *Batch) {
	for _, id := range p.cells.list {
		c := n.Cell(id)
		if c == nil {
			continue // its author undid it
		}
		row, changed := p.changed(c)
		if !changed {
			continue // only its text changed
		}
		p.rows[id] = row
		if first, ok := p.first[id]; ok {
			row.Text = &first
			delete(p.first, id)
		} else if !p.has[id] {
			has := p.pages.texts.lookup(c).row()
			row.Text = &has
			p.has[id] = true
		}
		b.Cells = append(b.Cells, row)
		p.markContents(n, c)
	}
}

// changed returns the row of a cell, and whether it differs from the page's.
func (p *Page) changed(c *notebook.Cell) (row Cell, changed bool) {
	row = cellRow(c)
	had, has := p.rows[c.ID]
	return row, !has || !p.has[c.ID] || !sameRow(had, row)
}

// sameRow reports whether two rows of a cell are equal. Rows have no texts here.
func sameRow(a, b Cell) bool {
	return a.ID == b.ID && a.Kind == b.Kind && a.Language == b.Language && a.Author == b.Author && a.Deleted == b.Deleted && a.Deleter == b.Deleter &&
		a.HideSource == b.HideSource && a.HideOutputs == b.HideOutputs && a.HideContext == b.HideContext &&
		a.Stale == b.Stale && a.Run == b.Run && a.Count == b.Count &&
		slices.Equal(a.Outputs, b.Outputs) && maps.EqualFunc(a.Metadata, b.Metadata, func(x, y json.RawMessage) bool { return bytes.Equal(x, y) })
}

// Pressing reports whether there is more to take than the status, which changes with every key and may be shown a
// moment later.
func (p *Page) Pressing(n *notebook.Notebook) bool {
	return p.all || p.notebook || p.runtimes || len(p.texts)+len(p.refused)+len(p.growth) > 0 ||
		len(p.runs.list)+len(p.outputs.list)+len(p.inputs.list)+len(p.approvals.list) > 0 || p.pressingCell(n)
}

func (p *Page) pressingCell(n *notebook.Notebook) bool {
	return slices.ContainsFunc(p.cells.list, func(id event.CellID) bool {
		c := n.Cell(id)
		if c == nil {
			return false
		}
		_, changed := p.changed(c)
		return changed
	})
}

// markContents marks the run and the outputs of a cell that the page shows for the first time, or again: those of a
// deleted cell were not sent to a page that opened later.
func (p *Page) markContents(n *notebook.Notebook, c *notebook.Cell) {
	if c.Deleted {
		delete(p.shown, c.ID)
		return
	}
	if p.shown[c.ID] {
		return
	}
	p.shown[c.ID] = true
	if n.Run(c.Run) != nil {
		p.runs.add(c.Run)
	}
	for _, o := range c.Outputs {
		if p.growth[o] == nil {
			p.outputs.add(o)
		}
	}
}

func (p *Page) takeOutputs(n *notebook.Notebook, b *Batch) {
	for id, a := range p.growth {
		o := n.Output(id)
		if o != nil && p.lengths[id]-a.Drop+text.UTF16Len(a.Text) == o.Len() {
			p.lengths[id] = o.Len()
			b.Appended = append(b.Appended, *a)
			continue
		}
		p.outputs.add(id)
	}
	slices.SortFunc(b.Appended, func(x, y Append) int { return cmp.Compare(x.Output, y.Output) })
	for _, id := range p.outputs.list {
		if o := n.Output(id); o != nil {
			b.Outputs = append(b.Outputs, outputRow(o))
			p.lengths[id] = o.Len()
			continue
		}
		delete(p.lengths, id)
		b.gone().Outputs = append(b.gone().Outputs, id)
	}
}

// gone returns the list of removed rows.
func (b *Batch) gone() *Gone {
	if b.Gone == nil {
		b.Gone = &Gone{}
	}
	return b.Gone
}

func (p *Page) takeRuns(n *notebook.Notebook, b *Batch) {
	for _, id := range p.runs.list {
		if r := n.Run(id); r != nil {
			b.Runs = append(b.Runs, runRow(r))
			continue
		}
		b.gone().Runs = append(b.gone().Runs, id)
	}
	if q := n.Queue(); b.Reset || !slices.Equal(q, p.queue) {
		p.queue = slices.Clone(q)
		b.Queue = queue(n)
	}
}

func (p *Page) takeInputs(n *notebook.Notebook, b *Batch) {
	for _, id := range p.inputs.list {
		if in := n.Input(id); in != nil {
			b.Inputs = append(b.Inputs, inputRow(in))
			continue
		}
		b.gone().Inputs = append(b.gone().Inputs, id)
	}
}

func (p *Page) takeApprovals(n *notebook.Notebook, b *Batch) {
	for _, id := range p.approvals.list {
		if a := n.Approval(id); a != nil {
			b.Approvals = append(b.Approvals, approvalRow(n, a))
			continue
		}
		b.gone().Approvals = append(b.gone().Approvals, id)
	}
}

// takePeers adds the connected members, if they changed.
func (p *Page) takePeers(r *replica.Replica, b *Batch) {
	if here := peers(r); b.Reset || !slices.Equal(here, p.peers) {
		p.peers, b.Peers = here, &here
	}
}

// peers returns the connected members, sorted by client. The page knows the position of its own user: sending it would
// be work at every key.
func peers(r *replica.Replica) []Peer {
	list := []Peer{}
	for id, p := range r.Peers() {
		row := Peer{Client: id, Actor: p.Actor, Presence: p.Presence, Self: id == r.Client()}
		if row.Self {
			row.Presence = protocol.Presence{Name: p.Presence.Name}
		}
		list = append(list, row)
	}
	slices.SortFunc(list, func(a, b Peer) int { return strings.Compare(string(a.Client), string(b.Client)) })
	return list
}

// takeStatus adds the status of the replica, if it changed.
func (p *Page) takeStatus(r *replica.Replica, l Link, b *Batch) {
	if now := status(r, l); b.Reset || now != p.status {
		p.status, b.Status = now, &now
	}
}

func status(r *replica.Replica, l Link) Status {
	s := Status{
		Seq: r.Confirmed().Seq(), Pending: r.Pending(), Online: r.Online(),
		Actor: r.Actor(), Role: r.Role(), Closed: l.Closed, Unstored: l.Unstored,
	}
	if !s.Online {
		s.Trouble = l.Trouble
	}
	return s
}
