package view_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/command"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
	"github.com/quirehq/quire/core/view"
)

// other is another user's executor, whose events go to a table's room.
type other struct {
	t *testing.T
	*command.Executor
	r    *replica.Replica
	seq  event.Seq
	made int
}

func newOther(t *testing.T) *other {
	o := &other{t: t, r: replica.New("other")}
	if _, err := o.r.Receive(&protocol.Welcome{Version: protocol.Version, Actor: "person:other", Role: access.Editor}); err != nil {
		t.Fatal(err)
	}
	o.Executor = command.NewExecutor(o.r, func() string { o.made++; return fmt.Sprintf("n%d", o.made) })
	return o
}

// begins creates a cell with a text.
func (o *other) begins(cell event.CellID, source string) {
	key, err := o.r.View().Between(len(o.r.View().Cells()))
	if err != nil {
		o.t.Fatal(err)
	}
	if _, _, err := o.r.Do(&event.CellCreated{Cell: cell, Kind: event.KindCode, Order: key, Source: source}); err != nil {
		o.t.Fatal(err)
	}
}

func (o *other) does(c command.Command) {
	o.t.Helper()
	if _, err := o.Do(c); err != nil {
		o.t.Fatal(err)
	}
}

func (o *other) types(cell event.CellID, e text.Edit) {
	o.t.Helper()
	if _, err := o.Edit(cell, e, false); err != nil {
		o.t.Fatal(err)
	}
}

// events returns the events since the last call as the log has them, and confirms them.
func (o *other) events() []event.Event {
	o.t.Helper()
	var events []event.Event
	for _, msg := range o.r.Outgoing() {
		for _, d := range msg.(*protocol.Push).Events {
			o.seq++
			if e, ok := d.Payload.(*event.SourceEdited); ok {
				d.Payload = &event.SourceEdited{Cell: e.Cell, Rev: o.r.Confirmed().Cell(e.Cell).Rev, Edit: e.Edit}
			}
			one := event.Event{Seq: o.seq, ID: d.ID, Actor: "person:other", Time: 1, Payload: d.Payload}
			if _, err := o.r.Receive(&protocol.Events{Events: []event.Event{one}}); err != nil {
				o.t.Fatal(err)
			}
			events = append(events, one)
		}
	}
	return events
}

// follow returns the batches of a page that receives events in groups of the given sizes.
func follow(t *testing.T, first []event.Event, typed func(*replica.Replica, *view.Pages), events []event.Event, sizes func(left int) int) []*view.Batch {
	t.Helper()
	r, pages := replica.New("me"), view.NewPages()
	receive := func(msg protocol.ToClient) {
		u, err := r.Receive(msg)
		if err != nil {
			t.Fatal(err)
		}
		pages.Receive(r, u)
	}
	receive(&protocol.Welcome{Version: protocol.Version, Actor: "person:me", Role: access.Editor})
	page := pages.Open()
	receive(&protocol.Events{Events: first})
	page.Take(r, view.Link{})
	if typed != nil {
		typed(r, pages)
		page.Take(r, view.Link{})
	}
	var batches []*view.Batch
	for len(events) > 0 {
		n := sizes(len(events))
		receive(&protocol.Events{Events: events[:n]})
		events = events[n:]
		batches = append(batches, page.Take(r, view.Link{}))
	}
	return batches
}

// steps returns the updates and moves of batches in order, and the first texts of cells.
func steps(batches []*view.Batch) (all []any, came map[event.CellID]view.Text) {
	came = map[event.CellID]view.Text{}
	for _, b := range batches {
		if b == nil {
			continue
		}
		for _, c := range b.Cells {
			if c.Text != nil {
				came[c.ID] = *c.Text
			}
		}
		moved := b.Moved
		for i := range len(b.Texts) + 1 {
			for len(moved) > 0 && moved[0].At == i {
				m := moved[0]
				m.At = 0
				all, moved = append(all, m), moved[1:]
			}
			if i < len(b.Texts) {
				all = append(all, b.Texts[i])
			}
		}
	}
	return all, came
}

func TestABatchSaysWhereTextWent(t *testing.T) {
	const a = "aaaa"
	part := func(cell event.CellID, length int) view.MovedPart { return view.MovedPart{Cell: cell, Length: length} }
	tests := []struct {
		name string
		does func(o *other)
		want []view.Moved
	}{
		{"a split", func(o *other) { o.does(split(1)) }, []view.Moved{{Cell: "c", Parts: []view.MovedPart{part("n1", 3)}}}},
		{"a split with line ends", func(o *other) {
			o.types("c", text.Insert(2, "\n\n"))
			o.does(split(3))
		}, []view.Moved{{Cell: "c", Parts: []view.MovedPart{{Cell: "n1", Skip: 2, Length: 2}}}}},
		{"a split behind a line end", func(o *other) {
			o.types("c", text.Insert(4, "\n"))
			o.does(split(5))
		}, []view.Moved{{Cell: "c", Parts: []view.MovedPart{{Cell: "n1", Skip: 1}}}}},
		{"an edit and a split", func(o *other) {
			o.types("c", text.Insert(0, "a"))
			o.does(split(1))
		}, []view.Moved{{Cell: "c", Parts: []view.MovedPart{part("n1", 4)}}}},
		{"a new cell and a split", func(o *other) {
			o.does(&command.AddCell{CellKind: event.KindCode, Source: "a"})
			o.does(split(1))
		}, []view.Moved{{Cell: "c", Parts: []view.MovedPart{part("n2", 3)}}}},
		{"a split in three", func(o *other) { o.does(split(1, 2)) }, []view.Moved{{Cell: "c", Parts: []view.MovedPart{part("n1", 1), part("n2", 2)}}}},
		{"two splits", func(o *other) {
			o.does(split(2))
			o.does(split(1))
		}, []view.Moved{{Cell: "c", Parts: []view.MovedPart{part("n1", 2)}}, {Cell: "c", Parts: []view.MovedPart{part("n2", 1)}}}},
		{"a split that is undone", func(o *other) {
			o.does(split(1))
			o.does(&command.Undo{})
		}, []view.Moved{
			{Cell: "c", Parts: []view.MovedPart{part("n1", 3)}},
			{Cell: "n1", Deleted: true, Parts: []view.MovedPart{{Cell: "c", At: 1, Length: 3}}, Joined: &view.Joined{Cell: "c", At: 1, Length: 3}},
		}},
		{"a split in three that is undone and done again", func(o *other) {
			o.types("c", text.Insert(2, "\n"))
			o.types("c", text.Insert(1, "\n"))
			o.does(split(2, 4))
			o.does(&command.Undo{})
			o.does(&command.Redo{})
		}, []view.Moved{
			{Cell: "c", Parts: []view.MovedPart{{Cell: "n1", Skip: 1, Length: 1}, {Cell: "n2", Skip: 1, Length: 2}}},
			{Cell: "n1", Deleted: true, Parts: []view.MovedPart{{Cell: "c", At: 2, Length: 1}}, Joined: &view.Joined{Cell: "c", At: 1, Length: 5}},
			{Cell: "n2", Deleted: true, Parts: []view.MovedPart{{Cell: "c", At: 4, Length: 2}}},
			{Cell: "c", Parts: []view.MovedPart{{Cell: "n1", Skip: 1, Length: 1}, {Cell: "n2", Skip: 1, Length: 2}}},
		}},
		{"a merge, which is undone", func(o *other) {
			o.does(&command.MergeCells{Cells: []event.CellID{"c", "d", "e"}})
			o.does(&command.Undo{})
		}, []view.Moved{
			{Cell: "d", Deleted: true, Parts: []view.MovedPart{{Cell: "c", At: 6, Length: 4}}, Joined: &view.Joined{Cell: "c", At: 4, Length: 12}},
			{Cell: "e", Deleted: true, Parts: []view.MovedPart{{Cell: "c", At: 12, Length: 4}}},
			{Cell: "c", Parts: []view.MovedPart{{Cell: "d", Skip: 2, Length: 4}, {Cell: "e", Skip: 2, Length: 4}}},
		}},
		{"a cell that is deleted after another was typed in", func(o *other) {
			o.types("c", text.Insert(4, "aa = 1"))
			o.does(&command.DeleteCells{Cells: []event.CellID{"d"}})
		}, nil},
		{"a new cell, and a letter that is deleted", func(o *other) {
			o.does(&command.AddCell{CellKind: event.KindCode, Source: "aaaa"})
			o.types("c", text.Delete(0, 1))
		}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := newOther(t)
			for _, cell := range []event.CellID{"c", "d", "e"} {
				o.begins(cell, a)
			}
			first := o.events()
			test.does(o)
			events := o.events()
			var got []view.Moved
			all, came := steps(follow(t, first, nil, events, func(left int) int { return left }))
			for _, step := range all {
				if m, ok := step.(view.Moved); ok {
					got = append(got, m)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("moved (-want +got):\n%s", diff)
			}
			single, singly := steps(follow(t, first, nil, events, func(int) int { return 1 }))
			if diff := cmp.Diff(single, all); diff != "" {
				t.Errorf("one by one and at once (-one +all):\n%s", diff)
			}
			if diff := cmp.Diff(singly, came); diff != "" && test.want != nil {
				t.Errorf("cells that came one by one and at once (-one +all):\n%s", diff)
			}
		})
	}
}

func split(at ...int) *command.SplitCell { return &command.SplitCell{Cell: "c", At: at} }

func TestWhatIsNotConfirmedStaysApartFromTextThatMoves(t *testing.T) {
	o := newOther(t)
	o.begins("c", "aaaa")
	o.begins("d", "aaaa")
	first := o.events()
	o.does(split(2))
	o.does(&command.MergeCells{Cells: []event.CellID{"n1", "d"}})
	typed := func(r *replica.Replica, pages *view.Pages) {
		for cell, e := range map[event.CellID]text.Edit{"c": text.Insert(3, "a"), "d": text.Replace(1, 1, "aa")} {
			_, changes, err := r.Edit(cell, e)
			if err != nil {
				t.Fatal(err)
			}
			pages.ApplyLocal(r, view.LocalChange{Changes: changes, Edits: []replica.CellEdit{{Cell: cell, Edit: e}}, By: "editor"})
		}
	}
	all, _ := steps(follow(t, first, typed, o.events(), func(left int) int { return left }))
	ahead := text.Replace(1, 1, "aa")
	want := []any{
		view.Moved{Cell: "c", Parts: []view.MovedPart{{Cell: "n1", Length: 2}}},
		view.TextUpdate{Cell: "c", Version: 2, Edit: edit(t, `[2,-1,1,-1]`)},
		view.TextUpdate{Cell: "n1", Version: 1, Edit: text.Insert(2, "\n\naaaa")},
		view.Moved{
			Cell: "d", Deleted: true, Parts: []view.MovedPart{{Cell: "n1", At: 4, Length: 5, Edit: &ahead}},
			Joined: &view.Joined{Cell: "n1", At: 2, Length: 6},
		},
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

func edit(t *testing.T, json string) text.Edit {
	t.Helper()
	var e text.Edit
	if err := e.UnmarshalJSON([]byte(json)); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestHowEventsComeTogetherChangesNothingOfWhereTextWent(t *testing.T) {
	for seed := range uint64(200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 2))
			o := newOther(t)
			o.begins("c", "aaaa\naaaa")
			o.begins("d", "aa\naa")
			first := o.events()
			for range 1 + random.IntN(6) {
				o.acts(random)
			}
			events := o.events()
			single, _ := steps(follow(t, first, nil, events, func(int) int { return 1 }))
			all, _ := steps(follow(t, first, nil, events, func(left int) int { return 1 + random.IntN(left) }))
			if diff := cmp.Diff(moves(single), moves(all)); diff != "" {
				t.Errorf("(-one by one +together):\n%s", diff)
			}
		})
	}
}

func moves(steps []any) []any {
	return slices.DeleteFunc(steps, func(step any) bool { _, ok := step.(view.TextUpdate); return ok })
}

// acts randomly does things that move text, and others.
func (o *other) acts(random *rand.Rand) {
	cells := o.r.View().Cells()
	i := random.IntN(len(cells))
	c := o.r.View().Cell(cells[i])
	length := c.Text().Len()
	switch random.IntN(8) {
	case 0, 1:
		o.types(c.ID, text.Insert(random.IntN(length+1), []string{"a", "\n", "aa"}[random.IntN(3)]))
	case 2:
		if length > 0 {
			o.types(c.ID, text.Delete(random.IntN(length), 1))
		}
	case 3, 4:
		o.does(&command.SplitCell{Cell: c.ID, At: []int{random.IntN(length + 1)}})
	case 5:
		if i+1 < len(cells) {
			o.does(&command.MergeCells{Cells: cells[i : i+2]})
		}
	case 6:
		o.does(&command.Undo{})
	default:
		o.does(&command.Redo{})
	}
	if len(o.r.View().Cells()) == 0 {
		o.does(&command.AddCell{CellKind: event.KindCode})
	}
}
