//go:build linux

package faults_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
)

// person is somebody who works in a notebook, connected or not, and whose client may
// be killed: then there is another, which knows nothing.
type person struct {
	book   *book
	name   string
	number int // among those of the book
	made   int // cells; owned by whoever acts

	mu      sync.Mutex
	client  *client
	clients int
}

func newPerson(b *book, name string, number int) *person {
	return &person{book: b, name: name, number: number, client: b.connect(event.ClientID(name + "-0"))}
}

func (p *person) now() *client {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.client
}

// kill kills the client and starts another after some time.
func (p *person) kill(away time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.book.ledger.kill(p.client.id)
	err := p.client.end()
	time.Sleep(away)
	p.clients++
	p.client = p.book.connect(event.ClientID(fmt.Sprintf("%s-%d", p.name, p.clients)))
	return err
}

// act does what the person does, each at its time.
func (p *person) act(ctx context.Context, began time.Time, acts []act) error {
	for _, a := range acts {
		if !sleepUntil(ctx, began, a.at) {
			return nil
		}
		if err := p.do(a); err != nil {
			return fmt.Errorf("person %s %s: %w", p.name, a.verb, err)
		}
	}
	return nil
}

func (p *person) do(a act) error {
	c := p.now()
	switch a.verb {
	case runCells:
		return p.book.request(c, a.a%2 == 0, 1+a.b%2)
	case handle:
		return p.handle(c, a)
	}
	return c.With(func(r *replica.Replica) error { return p.doWith(r, a) })
}

func (p *person) doWith(r *replica.Replica, a act) error {
	if r.Pending() > 500 {
		return nil // it has been away for long
	}
	switch a.verb {
	case typeCommon:
		return p.typeLetter(r, a)
	case edit:
		return p.edit(r, a)
	case addCell, moveCell:
		return p.place(r, a)
	}
	payload := p.payload(r, a)
	if payload == nil {
		return nil
	}
	_, err := p.book.do(r, payload)
	return err
}

// typeLetter types a letter that nobody else types into the common cell.
func (p *person) typeLetter(r *replica.Replica, a act) error {
	c := r.View().Cell(common)
	if c == nil || c.Deleted {
		return nil // it has not got it yet, or another has just deleted it
	}
	b := p.book
	b.mu.Lock()
	defer b.mu.Unlock()
	letter := rune(0x4e00 + len(b.letters))
	edit := text.Insert(a.a%(c.Text().Len()+1), string(letter))
	id, _, err := r.Edit(common, edit)
	if err == nil {
		p.client.executor.Rebase(common, edit)
		b.letters[letter] = id
		b.ledger.state(id, "SourceEdited")
	}
	return err
}

// edit edits one of the first cells that are for that.
func (p *person) edit(r *replica.Replica, a act) error {
	cells := p.editable(r)
	if len(cells) == 0 {
		return nil
	}
	cell := cells[a.a%min(len(cells), 3)] // a few, so that people meet
	n := r.View().Cell(cell).Text().Len()
	edit := text.Insert(a.b%(n+1), fmt.Sprintf("<%s %d>", p.name, a.b))
	if n > 200 {
		edit = text.Delete(a.b%(n-50), 50)
	}
	id, _, err := r.Edit(cell, edit)
	if err == nil {
		p.book.ledger.state(id, "SourceEdited")
	}
	return err
}

// editable returns the cells that are neither the common one nor programs.
func (p *person) editable(r *replica.Replica) (cells []event.CellID) {
	for _, id := range r.View().Cells() {
		if id != common && !strings.HasPrefix(string(id), partOf) && r.View().Cell(id).Kind == event.KindMarkdown {
			cells = append(cells, id)
		}
	}
	return cells
}

// place adds a cell somewhere or moves one.
func (p *person) place(r *replica.Replica, a act) error {
	cells := r.View().Cells()
	key, err := r.View().Between(a.b % (len(cells) + 1))
	if err != nil {
		return err
	}
	if a.verb == moveCell && len(cells) > 0 {
		_, err = p.book.do(r, &event.CellMoved{Cell: cells[a.a%len(cells)], Order: key})
		return err
	}
	p.made++
	id := event.CellID(fmt.Sprintf("%s-c%d", p.name, p.made))
	_, err = p.book.do(r, &event.CellCreated{Cell: id, Kind: event.KindMarkdown, Order: key, Source: "a cell of " + p.name})
	return err
}

// payload returns what there is to state, nil if nothing.
func (p *person) payload(r *replica.Replica, a act) event.Payload {
	cells, queue := p.editable(r), r.View().Queue()
	switch {
	case a.verb == setTitle:
		return &event.NotebookTitled{Title: fmt.Sprintf("title %d", a.a)}
	case a.verb == cancelAll:
		return &event.AllRunsCancelled{}
	case a.verb == cancelRun && len(queue) > 0:
		return &event.RunCancelled{Run: queue[a.a%len(queue)]}
	case a.verb == restore && p.made > 0:
		return &event.CellRestored{Cell: event.CellID(fmt.Sprintf("%s-c%d", p.name, 1+a.a%p.made))}
	case len(cells) == 0:
		return nil
	case a.verb == deleteCell:
		return &event.CellDeleted{Cell: cells[a.a%len(cells)]}
	}
	return nil
}
