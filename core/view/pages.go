package view

import (
	"errors"
	"fmt"
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
)

// Book keeps the pages that show one replica. It has the owner that the replica has.
type Book struct {
	texts texts
	pages []*Page
	seq   event.Seq // that is confirmed, as far as the book followed
	act   act       // the latest of another

	untold []Refusal // that there was no page to tell, of very many the latest
}

// maxUntold is how many refusals wait for a page.
const maxUntold = 1_000

// NewBook returns a book without pages.
func NewBook() *Book { return &Book{texts: texts{}} }

// Open adds a page, which is shown everything at first.
func (b *Book) Open() *Page {
	p := &Page{
		book: b, all: true, has: map[event.CellID]bool{}, rows: map[event.CellID]Cell{}, shown: map[event.CellID]bool{}, first: map[event.CellID]Text{},
		lengths: map[event.OutputID]int{}, growth: map[event.OutputID]*Append{}, refused: b.untold,
	}
	b.untold = nil
	b.pages = append(b.pages, p)
	return p
}

// Close takes a page away.
func (b *Book) Close(p *Page) {
	b.pages = slices.DeleteFunc(b.pages, func(q *Page) bool { return q == p })
}

// Follow takes in what a message of the room changed.
func (b *Book) Follow(r *replica.Replica, u replica.Update) {
	b.walk(r, u)
	anew := r.Confirmed().Seq() != b.seq+event.Seq(len(u.Committed)) // a snapshot took the place of events
	b.seq = r.Confirmed().Seq()
	b.settle(r, u.Changes)
	refused := refusals(r.Refused())
	if len(b.pages) == 0 {
		b.untold = append(b.untold, refused...)
		b.untold = b.untold[max(0, len(b.untold)-maxUntold):]
	}
	for _, p := range b.pages {
		for i := range u.Committed {
			switch e := u.Committed[i].Payload.(type) {
			case *event.OutputAppended:
				p.grow(e)
			case *event.OutputStored:
				p.whole(e.Output)
			}
		}
		p.mark(u.Changes)
		p.all = p.all || anew
		p.refused = append(p.refused, refused...)
	}
}

// walk takes in the events of others one by one, as if each had come alone.
func (b *Book) walk(r *replica.Replica, u replica.Update) {
	edits := u.Edits
	for i := range u.Committed {
		e := &u.Committed[i]
		var edit text.Edit
		fits := len(edits) > 0 && edits[0].ID == e.ID
		if fits {
			edit, edits = edits[0].Edit, edits[1:]
		}
		if e.ID.Client == r.Client() && !fits {
			continue // it was told when it was made
		}
		b.act.next(e.ID)
		b.step(r, e.Payload, edit, u.Committed[i+1:], Deed{})
	}
}

// Deed is what was done at one of the pages.
type Deed struct {
	Changes []notebook.Change // the rows that changed
	Edits   []replica.CellEdit
	By      string          // the editor that made the edits, empty if none
	Made    []event.Payload // by a command, with the edits among them
	At      *Page           // which knows where its texts went
}

// Did takes in what was done at one of the pages.
func (b *Book) Did(r *replica.Replica, d Deed) {
	before := b.act
	b.act = act{}
	edits := d.Edits
	for _, p := range d.Made {
		var edit text.Edit
		if _, ok := p.(*event.SourceEdited); ok && len(edits) > 0 {
			edit, edits = edits[0].Edit, edits[1:]
		}
		b.step(r, p, edit, nil, d)
	}
	b.act = before
	for _, e := range d.Edits {
		b.act.over(e.Cell, e.Edit)
	}
	for _, e := range edits {
		b.update(b.texts.edited(e.Cell, e.Edit, d.By))
	}
	b.settle(r, d.Changes)
	for _, p := range b.pages {
		p.mark(d.Changes)
	}
}

// ErrBehind says that a push was made on a version that is past: the editor is to
// take in the updates since, and push again.
var ErrBehind = errors.New("the text has changed since")

// Check reports whether a push may be taken: nil, [ErrBehind], or why never.
func (b *Book) Check(r *replica.Replica, p *TextPush) error {
	c := r.View().Cell(p.Cell)
	if c == nil {
		return fmt.Errorf("there is no cell %s", p.Cell)
	}
	has := b.texts.of(c)
	if p.Version > has.Version || p.Version < 0 {
		return fmt.Errorf("the source of cell %s is at version %d, not at %d", p.Cell, has.Version, p.Version)
	}
	if p.Version < has.Version {
		return ErrBehind
	}
	return nil
}

// settle mends the texts of cells that changed in another way than by edits.
func (b *Book) settle(r *replica.Replica, changes []notebook.Change) {
	for _, change := range changes {
		if change.Table != notebook.TableCells {
			continue
		}
		if c := r.View().Cell(event.CellID(change.ID)); c != nil {
			b.update(b.texts.settle(c))
		}
	}
}

// update shows an update of a text to the pages that have it.
func (b *Book) update(u TextUpdate, ok bool) {
	if !ok {
		return
	}
	for _, p := range b.pages {
		if p.has[u.Cell] {
			p.texts = append(p.texts, u)
		}
	}
}

// refusals returns what pages are told of refused events.
func refusals(list []replica.Refusal) []Refusal {
	var told []Refusal
	for _, no := range list {
		one := Refusal{ID: no.ID, Type: no.Draft.Payload.Type(), Code: no.Code, Message: no.Message}
		if e, ok := no.Draft.Payload.(*event.SourceEdited); ok {
			one.Source = inserted(e.Edit)
		}
		told = append(told, one)
	}
	return told
}
