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

// Executor executes the commands of one user on a replica. Its owner is that of the replica, and several executors may
// share one replica.
//
// It keeps the undo history of its user for its lifetime. Runs and answers cannot be undone.
type Executor struct {
	replica *replica.Replica
	newID   func() string
	history history
	typing  event.CellID // the cell of the last edit, if no other change came since
}

// Done is the result of a command or an edit, with its changes.
type Done struct {
	Result  Result
	Changes []notebook.Change // rows that changed in the view
	// Edits are the edits of sources, in order, for editors to apply.
	Edits []replica.CellEdit
	IDs   []event.ID      // of the events, each once
	Made  []event.Payload // the events of a command, in order
}

// NewExecutor returns an executor for a replica. newID returns a unique id for a cell or a run.
func NewExecutor(r *replica.Replica, newID func() string) *Executor {
	return &Executor{replica: r, newID: newID, history: newHistory()}
}

// planner is a command that has its own events.
type planner interface {
	Command
	plan(p *plan) (Result, error)
}

// Do executes a command. It tries all events before it makes the first: an error means that nothing was done. Should
// the replica refuse a later event all the same, Done has the changes up to that.
func (x *Executor) Do(c Command) (Done, error) {
	x.typing = ""
	done, err := x.do(c)
	if err != nil && c != nil {
		err = fmt.Errorf("%s: %w", words(c.command()), err)
	}
	return done, err
}

func (x *Executor) do(c Command) (Done, error) {
	switch c := c.(type) {
	case *Undo:
		return x.revert(&x.history.undo, &x.history.redo, scope{c.Cell, c.Outputs})
	case *Redo:
		return x.revert(&x.history.redo, &x.history.undo, scope{cell: c.Cell})
	case planner:
		p := x.plan()
		result, err := c.plan(p)
		if err != nil {
			return Done{}, err
		}
		done, made, err := x.commit(p)
		done.Result = result
		x.history.record(made...)
		return done, err
	}
	return Done{}, errors.New("there is no command")
}

// Edit edits a cell's source in the view. It is an undo entry of its own, or with join a part of the last edit's entry,
// if no other change came since.
func (x *Executor) Edit(cell event.CellID, edit text.Edit, join bool) (Done, error) {
	done, inverse, err := x.edit(cell, edit)
	if err != nil {
		return Done{}, fmt.Errorf("edit cell %s: %w", cell, err)
	}
	if len(done.IDs) == 0 {
		return done, nil
	}
	e := &entry{cell: cell, edit: inverse}
	if !join || x.typing != cell || !x.history.join(e) {
		x.history.record(e)
	}
	x.typing = cell
	return done, nil
}

// edit makes an edit, and returns its inverse.
func (x *Executor) edit(cell event.CellID, edit text.Edit) (Done, text.Edit, error) {
	if err := may(x.replica.Role(), access.Edit); err != nil {
		return Done{}, text.Edit{}, err
	}
	c := x.replica.View().Cell(cell)
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
	before := x.history.check(c)
	id, changes, err := x.replica.Edit(cell, edit)
	if err != nil {
		return Done{}, text.Edit{}, err
	}
	x.history.units[cell] = before + edit.Delta()
	done.Changes, done.IDs = changes, []event.ID{id}
	return done, inverse, nil
}

// Rebase transforms the undo history over an edit of a cell's source in the view by another: another user's, as
// [replica.Update] has it, or one by another executor of the replica. Each edit must be reported, in order, before any
// other call; for a replaced text, [text.Diff] is the edit. If one was not reported, the history of the text is
// dropped.
func (x *Executor) Rebase(cell event.CellID, edit text.Edit) {
	x.history.rebase(cell, edit)
}

// Offered records an edit by the room of a source that a run of this user offered. It is reported in order with the
// calls of [Executor.Rebase], and undone like an edit of the user.
func (x *Executor) Offered(e replica.CellEdit) {
	if n, ok := x.history.units[e.Cell]; ok {
		x.history.units[e.Cell] = n + e.Edit.Delta()
	}
	x.typing = ""
	x.history.record(&entry{cell: e.Cell, edit: e.Inverse})
}

// OfferedCell is Offered for a cell that the room created.
func (x *Executor) OfferedCell(cell event.CellID) {
	if c := x.replica.View().Cell(cell); c != nil {
		x.typing = ""
		x.history.record(&entry{steps: []step{existence{about(cell), true, fingerprint(c.Source())}}})
	}
}

// CanUndo reports whether [Undo] would change the notebook.
func (x *Executor) CanUndo() bool { return x.can(x.history.undo) }

// CanRedo reports whether [Redo] would change the notebook.
func (x *Executor) CanRedo() bool { return x.can(x.history.redo) }

func (x *Executor) can(entries []*entry) bool {
	view := x.replica.View()
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].applies(view) {
			return true
		}
	}
	return false
}

// scope selects the entry to undo: the latest, or the latest edit of a cell's source, or the latest removal of outputs,
// which no other entry depends on.
type scope struct {
	cell    event.CellID
	outputs bool
}

func (s scope) all() bool { return s == scope{} }

func (s scope) has(e *entry) bool {
	return (s.cell == "" || e.cell == s.cell) && (!s.outputs || e.clears())
}

// revert undoes the latest entry that can be undone, with its group, or the latest alone within a scope. The entries
// that revert this are added to the other list.
func (x *Executor) revert(from, to *[]*entry, of scope) (Done, error) {
	p := x.plan()
	skipped, err := x.planRevert(p, from, of)
	if err != nil || len(p.acts) == 0 {
		return Done{Result: Result{Skipped: skipped}}, err
	}
	done, back, err := x.commit(p)
	x.history.push(to, back...)
	done.Result = Result{Cells: p.selection(), Skipped: skipped}
	return done, err
}

// selection returns the cells for a page to select after the plan: those that it changed, or the one at the position of
// those that it deleted.
func (p *plan) selection() []event.CellID {
	var live, deleted []event.CellID
	for _, a := range p.acts {
		id := a.cell()
		switch c := p.notebook.Cell(id); {
		case c == nil:
		case c.Deleted:
			deleted = append(deleted, id)
		default:
			live = append(live, id)
		}
	}
	if len(live) == 0 {
		return p.inPlaceOf(deleted)
	}
	return p.sorted(live)
}

// cell returns the cell that an act changes, empty for the notebook.
func (a act) cell() event.CellID {
	if e, ok := a.payload.(*event.SourceEdited); ok {
		return e.Cell
	}
	if a.back != nil {
		return a.back.of()
	}
	return ""
}

// planRevert plans revert, and returns the number of skipped entries.
func (x *Executor) planRevert(p *plan, from *[]*entry, of scope) (skipped int, err error) {
	group := 0
	for i := len(*from) - 1; i >= 0; i-- {
		e := (*from)[i]
		if len(p.acts) > 0 && e.group != group {
			break
		}
		if !of.has(e) || e.waits(p.notebook) {
			continue
		}
		x.history.checkEntry(e, p.notebook)
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

// commit makes the events of a plan, and returns the entries that undo them.
func (x *Executor) commit(p *plan) (Done, []*entry, error) {
	var done Done
	made := []*entry{{}}
	for _, a := range p.acts {
		if err := x.act(a, &done); err != nil {
			return done, made, err
		}
		if last := made[len(made)-1]; !last.fits(a) {
			made = append(made, &entry{})
		}
		made[len(made)-1].add(a)
	}
	return done, made, nil
}

// act makes one event. An edit is not joined with earlier or later typing: a split or a merge is recognised by the edit
// that moved the text.
func (x *Executor) act(a act, done *Done) error {
	edit, isEdit := a.payload.(*event.SourceEdited)
	before := 0
	if isEdit {
		before = x.history.check(x.replica.View().Cell(edit.Cell))
		x.replica.Seal()
	}
	id, changes, err := x.replica.Do(a.payload)
	if err != nil {
		return err
	}
	done.Made = append(done.Made, a.payload)
	if isEdit {
		x.replica.Seal()
		x.history.units[edit.Cell] = before + edit.Edit.Delta()
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
