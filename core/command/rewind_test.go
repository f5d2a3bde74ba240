package command_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/command"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// rewound returns a copy of a notebook that was rewound to another.
func rewound(t *testing.T, now, then *notebook.Notebook, role access.Role) (*notebook.Notebook, []event.Payload) {
	t.Helper()
	payloads, err := command.Rewind(now, then, role)
	if err != nil {
		t.Fatal(err)
	}
	n := now.Clone()
	for i, p := range payloads {
		if err := p.Check(); err != nil {
			t.Fatalf("%s: %v", p.Type(), err)
		}
		e := &event.Event{Seq: n.Seq() + 1, ID: event.ID{Client: event.ClientID(fmt.Sprint("rewind", now.Seq())), N: uint64(i + 1)}, Payload: p}
		if _, err := n.Admit(e, nil); err != nil {
			t.Fatalf("%s: %v", p.Type(), err)
		}
	}
	return n, payloads
}

func TestRewindMakesANotebookWhatItWasAtAnyMoment(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds) {
		g := newGame(t, seed)
		g.ada.propose(&event.NotebookTitled{Title: "first"})
		moments := []*notebook.Notebook{g.ada.view().Clone()}
		for range 25 {
			g.act([]*peer{g.ada, g.bob}[g.rand.IntN(2)])
			g.deliverAll()
			moments = append(moments, g.ada.view().Clone())
		}
		now := moments[g.rand.IntN(len(moments))] // later states are as good as earlier ones
		if g.rand.IntN(2) == 0 {
			now = moments[len(moments)-1]
		}
		then := moments[g.rand.IntN(slices.Index(moments, now)+1)]
		n, _ := rewound(t, now, then, access.Owner)
		if got, want := show(n), show(then); got != want {
			t.Fatalf("seed %d: got\n%s\nwant\n%s\nfrom\n%s", seed, got, want, show(now))
		}
		if _, more := rewound(t, n, then, access.Owner); len(more) > 0 {
			t.Fatalf("seed %d: a second time has %d events, want none", seed, len(more))
		}
		back, _ := rewound(t, n, now, access.Owner)
		if got, want := show(back), show(now); got != want {
			t.Fatalf("seed %d: taken back: got\n%s\nwant\n%s", seed, got, want)
		}
	}
}

func TestRewindTakesTheMarkOfALaterRunAway(t *testing.T) {
	p := alone(t)
	p.create("ran", "same")
	p.propose(&event.OutputsImported{Cell: "ran", Outputs: []event.Output{printed("old")}, Count: 3})
	then := p.view().Clone()
	p.propose(
		&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode},
		&event.RunRequested{Runs: []event.RunOf{{Run: "r", Cell: "ran"}}},
		&event.RunAssigned{Run: "r", Epoch: 1},
		&event.RunStarted{Run: "r", Epoch: 1},
		&event.OutputAdded{Output: "o", Run: "r", Epoch: 1, Value: printed("new")},
		&event.RunFinished{Run: "r", Epoch: 1, Status: event.StatusError, Count: 4},
	)
	n, _ := rewound(t, p.view(), then, access.Editor)
	c := n.Cell("ran")
	if c.Run != "" || c.Count != 3 || len(c.Outputs) != 1 || n.Output(c.Outputs[0]).Value().Text != "old" {
		t.Errorf("got run %q, count %d and outputs %v, want those of then and no run", c.Run, c.Count, c.Outputs)
	}
}

func TestRewindLeavesTheTitleToWhoMayChangeIt(t *testing.T) {
	p := alone(t)
	p.propose(&event.NotebookTitled{Title: "old"})
	p.create("a")
	then := p.view().Clone()
	p.propose(&event.NotebookTitled{Title: "new"}, &event.CellDeleted{Cell: "a"})
	for role, want := range map[access.Role][]event.Type{
		access.Owner:  {"NotebookTitled", "CellRestored"},
		access.Editor: {"CellRestored"},
	} {
		var got []event.Type
		_, payloads := rewound(t, p.view(), then, role)
		for _, payload := range payloads {
			got = append(got, payload.Type())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", role, diff)
		}
	}
	if _, err := command.Rewind(p.view(), then, access.Viewer); err == nil {
		t.Error("got no error for one who may change nothing")
	}
}
