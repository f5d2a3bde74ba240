package view

import (
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
)

// Page is what one page is to be shown the next time that it asks. It costs what
// changed: text that a program prints is added to what the page has.
type Page struct {
	book *Book

	seen     event.Seq // up to which the page shows the notebook already
	behind   bool      // it has been given no rows, for the replica is behind that
	all      bool      // everything anew
	notebook bool
	cells    rows[event.CellID]
	runs     rows[event.RunID]
	outputs  rows[event.OutputID]
	inputs   rows[event.InputID]
	runtimes bool
	texts    []TextUpdate
	moved    []Moved
	refused  []Refusal

	has     map[event.CellID]bool  // cells whose text the page has, or is to get
	first   map[event.CellID]Text  // with which it is to get those to which text went
	rows    map[event.CellID]Cell  // that the page has, without texts
	shown   map[event.CellID]bool  // cells that the page has with their outputs and run
	lengths map[event.OutputID]int // of the streams that the page has, in UTF-16 code units
	growth  map[event.OutputID]*Append

	queue  []event.RunID
	peers  []Peer
	away   []event.Takes // the kinds of runtimes that the page knows to be away
	status Status
}

// rows is a set of rows that changed, in the order in which they did.
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

// mark notes which rows changed.
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
		case notebook.TableRuntimes:
			p.runtimes = true
		}
	}
}

// grow notes that a stream grew. One of which the page is to be sent the whole, or
// has nothing, is sent whole.
func (p *Page) grow(e *event.OutputAppended) {
	if _, has := p.lengths[e.Output]; !has || p.outputs.in[e.Output] {
		return
	}
	a := p.growth[e.Output]
	if a == nil {
		a = &Append{Output: e.Output}
		p.growth[e.Output] = a
	}
	a.extend(e.Drop, e.Text)
}

// whole notes that more of an output changed than its text.
func (p *Page) whole(id event.OutputID) {
	delete(p.growth, id)
	p.outputs.add(id)
}

// Seen says that the page shows the notebook up to a number already: see [First].
func (p *Page) Seen(seq event.Seq) { p.seen, p.behind = seq, seq > 0 }

// Take returns what changed since the last time, nil if nothing did. Of a replica
// that has nothing yet, or less than the page has [Page.Seen], it is what is wrong
// alone: what the page shows until then is better than nothing.
func (p *Page) Take(r *replica.Replica, l Link) *Batch {
	b := &Batch{}
	p.behind = p.behind && r.Confirmed().Seq() < p.seen && !r.Online() && l.Trouble == "" && l.Closed == nil
	if !p.behind && (r.Confirmed().Seq() > 0 || r.Online()) {
		p.lookForRuntimes(r)
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

// lookForRuntimes notes that a runtime has gone away, or come back.
func (p *Page) lookForRuntimes(r *replica.Replica) {
	if away := awayFrom(r); !slices.Equal(away, p.away) {
		p.away, p.runtimes = away, true
	}
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
	if p.runtimes {
		b.Runtimes = runtimeRows(n, p.away)
	}
	b.Texts, b.Moved, b.Refused = p.texts, p.moved, p.refused
	p.clear()
}

// markAll notes everything that there is.
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
}

// clear forgets what was noted.
func (p *Page) clear() {
	p.all, p.notebook, p.runtimes, p.refused = false, false, false, nil
	p.cells, p.runs = rows[event.CellID]{}, rows[event.RunID]{}
	p.outputs, p.inputs = rows[event.OutputID]{}, rows[event.InputID]{}
	p.texts, p.moved = nil, nil
	clear(p.growth)
}

func (p *Page) takeCells(n *notebook.Notebook, b *Batch) {
	for _, id := range p.cells.list {
		c := n.Cell(id)
		if c == nil {
			continue // its author took it back
		}
		row, changed := p.changed(c)
		if !changed {
			continue // but for its text
		}
		p.rows[id] = row
		if first, ok := p.first[id]; ok {
			row.Text = &first
			delete(p.first, id)
		} else if !p.has[id] {
			has := *p.book.texts.of(c)
			row.Text = &has
			p.has[id] = true
		}
		b.Cells = append(b.Cells, row)
		p.takeWith(n, c)
	}
}

// changed returns the row of a cell, and whether the page has another one.
func (p *Page) changed(c *notebook.Cell) (row Cell, changed bool) {
	row = cellRow(c)
	had, has := p.rows[c.ID]
	return row, !has || !p.has[c.ID] || !sameRow(had, row)
}

// Pressing reports whether there is more to take than how the replica stands to its
// room, which changes with every key and may be shown a moment later.
func (p *Page) Pressing(n *notebook.Notebook) bool {
	return p.all || p.notebook || p.runtimes || len(p.texts)+len(p.refused)+len(p.growth) > 0 ||
		len(p.runs.list)+len(p.outputs.list)+len(p.inputs.list) > 0 || p.pressingCell(n)
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

// takeWith adds what belongs to a cell that the page shows for the first time, or
// again: what a deleted cell has was not sent to a page that came after.
func (p *Page) takeWith(n *notebook.Notebook, c *notebook.Cell) {
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
	slices.SortFunc(b.Appended, func(x, y Append) int { return compare(x.Output, y.Output) })
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

// takePeers adds who is here, if that changed.
func (p *Page) takePeers(r *replica.Replica, b *Batch) {
	if here := peers(r); b.Reset || !slices.Equal(here, p.peers) {
		p.peers, b.Peers = here, &here
	}
}

// takeStatus adds how the replica stands, if that changed.
func (p *Page) takeStatus(r *replica.Replica, l Link, b *Batch) {
	if now := status(r, l); b.Reset || now != p.status {
		p.status, b.Status = now, &now
	}
}
