package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
)

// Desk is where one person works on a replica. It has the owner that the replica
// has, and several desks may share one.
//
// It remembers what was done at it, so that it can be undone, for as long as it
// lives. Runs and answers cannot be undone.
type Desk struct {
	replica *replica.Replica
	newID   func() string
	history history
	typing  event.CellID // the cell that was edited last, if nothing else was done since
}

// Done is what came of a command or an edit.
type Done struct {
	Result  Result
	Changes []notebook.Change // rows that changed in the view
	// Edits are the edits of sources that were made, in their order, for editors to
	// follow.
	Edits []replica.CellEdit
	IDs   []event.ID      // of the events that were made, each once
	Made  []event.Payload // what a command made, in its order
}

// NewDesk returns a desk at a replica. The function returns a name that was never
// used, for a cell or a run.
func NewDesk(r *replica.Replica, newID func() string) *Desk {
	return &Desk{replica: r, newID: newID, history: newHistory()}
}

// planner is a command that becomes events of its own.
type planner interface {
	Command
	plan(p *plan) (Result, error)
}

// Do does a command. All of it is tried before the first event is made: an error
// says why it cannot be done, and then nothing was. Should the replica refuse a
// later event all the same, Done has what was done until then.
func (d *Desk) Do(c Command) (Done, error) {
	d.typing = ""
	done, err := d.do(c)
	if err != nil && c != nil {
		err = fmt.Errorf("%s: %w", words(c.command()), err)
	}
	return done, err
}

func (d *Desk) do(c Command) (Done, error) {
	switch c := c.(type) {
	case *Undo:
		return d.takeBack(&d.history.undo, &d.history.redo, scope{c.Cell, c.Outputs})
	case *Redo:
		return d.takeBack(&d.history.redo, &d.history.undo, scope{cell: c.Cell})
	case planner:
		p := d.plan()
		result, err := c.plan(p)
		if err != nil {
			return Done{}, err
		}
		done, made, err := d.commit(p)
		done.Result = result
		d.history.record(made...)
		return done, err
	}
	return Done{}, errors.New("there is no command")
}

// Edit edits a cell's source, as it is in the view. It is undone by itself, or with
// join together with the edit before it, if that was the last thing done here.
func (d *Desk) Edit(cell event.CellID, edit text.Edit, join bool) (Done, error) {
	done, inverse, err := d.edit(cell, edit)
	if err != nil {
		return Done{}, fmt.Errorf("edit cell %s: %w", cell, err)
	}
	if len(done.IDs) == 0 {
		return done, nil
	}
	e := &entry{cell: cell, edit: inverse}
	if !join || d.typing != cell || !d.history.join(e) {
		d.history.record(e)
	}
	d.typing = cell
	return done, nil
}

// edit makes an edit, and returns what takes it back.
func (d *Desk) edit(cell event.CellID, edit text.Edit) (Done, text.Edit, error) {
	if err := may(d.replica.Role(), access.Edit); err != nil {
		return Done{}, text.Edit{}, err
	}
	c := d.replica.View().Cell(cell)
	if c == nil {
		return Done{}, text.Edit{}, noCell(cell)
	}
	done := Done{Edits: []replica.CellEdit{{Cell: cell, Edit: edit}}}
	if edit.IsZero() {
		return done, text.Edit{}, nil
	}
	inverse, err := edit.Invert(c.Text())
	if err != nil {
		return Done{}, text.Edit{}, err
	}
	before := d.history.check(c)
	id, changes, err := d.replica.Edit(cell, edit)
	if err != nil {
		return Done{}, text.Edit{}, err
	}
	d.history.units[cell] = before + edit.Delta()
	done.Changes, done.IDs = changes, []event.ID{id}
	return done, inverse, nil
}

// Over says that somebody else edited a cell's source in the view: another person,
// as [replica.Update] has it, or one at another desk of the same replica. What is
// undone later is moved over it. Each edit must be told, in their order, before
// anything else is done here; of a text that was replaced, [text.Diff] is the edit.
// Where that was not done, what this desk remembers of the text is forgotten.
func (d *Desk) Over(cell event.CellID, edit text.Edit) {
	d.history.over(cell, edit)
}

// Offered says that the room edited a source for the program of a run that was requested at
// this desk. It is told in its turn among those that [Desk.Over] is told, and undone as if
// it had been done here.
func (d *Desk) Offered(e replica.CellEdit) {
	if n, ok := d.history.units[e.Cell]; ok {
		d.history.units[e.Cell] = n + e.Edit.Delta()
	}
	d.typing = ""
	d.history.record(&entry{cell: e.Cell, edit: e.Inverse})
}

// OfferedCell is Offered for a cell that the room made.
func (d *Desk) OfferedCell(cell event.CellID) {
	if c := d.replica.View().Cell(cell); c != nil {
		d.typing = ""
		d.history.record(&entry{steps: []step{existence{about(cell), true, fingerprint(c.Source())}}})
	}
}

// CanUndo reports whether there is something that [Undo] would take back.
func (d *Desk) CanUndo() bool { return d.can(d.history.undo) }

// CanRedo reports whether there is something that [Redo] would do again.
func (d *Desk) CanRedo() bool { return d.can(d.history.redo) }

func (d *Desk) can(entries []*entry) bool {
	view := d.replica.View()
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].applies(view) {
			return true
		}
	}
	return false
}

// scope is what of the history is taken back: all of it, or of a cell's source the
// latest edit, or the latest clearing of outputs, which depends on nothing else.
type scope struct {
	cell    event.CellID
	outputs bool
}

func (s scope) all() bool { return s == scope{} }

func (s scope) has(e *entry) bool {
	return (s.cell == "" || e.cell == s.cell) && (!s.outputs || e.clears())
}

// takeBack takes back the latest of some entries that can be, with those of its
// group, or the latest alone that is in a scope. What takes that back again joins the
// others.
func (d *Desk) takeBack(from, to *[]*entry, of scope) (Done, error) {
	p := d.plan()
	skipped, err := d.planBack(p, from, of)
	if err != nil || len(p.acts) == 0 {
		return Done{Result: Result{Skipped: skipped}}, err
	}
	done, back, err := d.commit(p)
	d.history.put(to, back...)
	done.Result = Result{Cells: p.selection(), Skipped: skipped}
	return done, err
}

// planBack plans what takeBack does, and returns how many entries it passed over.
func (d *Desk) planBack(p *plan, from *[]*entry, of scope) (skipped int, err error) {
	group := 0
	for i := len(*from) - 1; i >= 0; i-- {
		e := (*from)[i]
		if len(p.acts) > 0 && e.group != group {
			break
		}
		if !of.has(e) || e.waits(p.book) {
			continue
		}
		d.history.checkEntry(e, p.book)
		before := len(p.acts)
		if err := e.plan(p); err != nil {
			return skipped, err
		}
		*from = slices.Delete(*from, i, i+1)
		if len(p.acts) == before {
			skipped++
			continue
		}
		if group = e.group; group == 0 || !of.all() {
			break
		}
	}
	return skipped, nil
}

// commit makes the events of a plan, and returns the entries that take them back.
func (d *Desk) commit(p *plan) (Done, []*entry, error) {
	var done Done
	made := []*entry{{}}
	for _, a := range p.acts {
		if err := d.act(a, &done); err != nil {
			return done, made, err
		}
		if last := made[len(made)-1]; !last.fits(a) {
			made = append(made, &entry{})
		}
		made[len(made)-1].add(a)
	}
	return done, made, nil
}

// act makes one event. An edit is joined with nothing that is typed before or after:
// what follows a split or a merge is told from the very edit that moved the text.
func (d *Desk) act(a act, done *Done) error {
	edit, isEdit := a.payload.(*event.SourceEdited)
	before := 0
	if isEdit {
		before = d.history.check(d.replica.View().Cell(edit.Cell))
		d.replica.Seal()
	}
	id, changes, err := d.replica.Do(a.payload)
	if err != nil {
		return err
	}
	done.Made = append(done.Made, a.payload)
	if isEdit {
		d.replica.Seal()
		d.history.units[edit.Cell] = before + edit.Edit.Delta()
		done.Edits = append(done.Edits, replica.CellEdit{Cell: edit.Cell, Edit: edit.Edit})
	}
	done.Changes = append(done.Changes, changes...)
	done.IDs = append(done.IDs, id)
	return nil
}

// words spells the name of a command: moveCells is "move cells".
func words(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
