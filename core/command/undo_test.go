package command_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/command"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

func TestTypingThatIsJoinedIsUndoneTogether(t *testing.T) {
	p := alone(t)
	p.create("a", "b")
	p.types("a", text.Insert(1, "1"))
	p.typesOn("a", text.Insert(2, "2"), true)
	p.types("a", text.Insert(3, "3"))
	p.typesOn("b", text.Insert(1, "4"), true) // another cell
	p.typesOn("a", text.Delete(0, 1), true)   // another change came between
	for _, want := range []string{"a123", "a123", "a12", "a"} {
		p.do(&command.Undo{})
		p.wantSource("a", want)
	}
	p.wantSource("b", "b")
	if p.CanUndo() {
		t.Error("there is more to undo, want nothing")
	}
	for range 4 {
		p.do(&command.Redo{})
	}
	p.wantShown("a \"123\"\nb \"b4\"")
}

func TestTypingDoesNotJoinWhatACommandCameBetween(t *testing.T) {
	p := alone(t)
	p.create("a")
	p.types("a", text.Insert(1, "1"))
	p.do(&command.RunCells{})
	p.typesOn("a", text.Insert(2, "2"), true)
	p.do(&command.Undo{})
	p.wantSource("a", "a1")
	p.typesOn("a", text.Insert(2, "3"), true)
	p.do(&command.Undo{})
	p.wantSource("a", "a1")
}

func TestAnEditThatIsNoneOrDoesNotFitChangesNothing(t *testing.T) {
	p := alone(t)
	p.create("a")
	if done, err := p.Edit("a", text.Edit{}, false); err != nil || len(done.IDs) != 0 || p.CanUndo() {
		t.Errorf("got %v and %v, want nothing", done.IDs, err)
	}
	for cell, want := range map[event.CellID]string{"a": "edit cell a: invert edit: edit reaches", "q": "edit cell q: there is no cell q"} {
		if _, err := p.Edit(cell, text.Delete(0, 9), false); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestAViewerMayNotType(t *testing.T) {
	r := newRoom(t)
	r.join("eve", access.Owner).create("a")
	p := r.join("ada", access.Viewer)
	r.deliverAll()
	_, err := p.Edit("a", text.Insert(0, "x"), false)
	if err == nil || !strings.Contains(err.Error(), "a viewer may not change the notebook") {
		t.Errorf("got %v, want that a viewer may not", err)
	}
}

func TestUndoOfACellTakesBackTheLatestEditOfItsSourceAlone(t *testing.T) {
	p := alone(t)
	p.create("a", "b")
	p.types("a", text.Insert(1, "1"))
	p.types("b", text.Insert(1, "2"))
	p.do(&command.ChangeKind{Cells: ids{"a"}, CellKind: event.KindRaw})
	done := p.do(&command.Undo{Cell: "a"})
	p.wantShown("a \"a\" raw\nb \"b2\"")
	if !slices.Equal(done.Result.Cells, ids{"a"}) || len(done.Edits) != 1 {
		t.Errorf("got %v and edits %v, want those of a", done.Result.Cells, done.Edits)
	}
	if done := p.do(&command.Undo{Cell: "a"}); len(done.IDs) != 0 {
		t.Errorf("got events %v, want nothing to be left", done.IDs)
	}
	p.do(&command.Redo{Cell: "b"})
	p.wantSource("b", "b2")
	p.do(&command.Redo{Cell: "a"})
	p.wantSource("a", "a1")
}

func TestUndoOfNothingIsNoError(t *testing.T) {
	p := alone(t)
	for _, c := range []command.Command{&command.Undo{}, &command.Redo{}, &command.Undo{Cell: "q"}} {
		if done := p.do(c); len(done.IDs) != 0 {
			t.Errorf("%T: got events %v, want none", c, done.IDs)
		}
	}
}

func TestUndoingAnAddedCellSelectsTheOneInItsPlace(t *testing.T) {
	p := alone(t)
	p.create("a", "b")
	p.do(&command.AddCell{CellKind: event.KindCode, After: "a"})
	if done := p.do(&command.Undo{}); !slices.Equal(done.Result.Cells, ids{"b"}) {
		t.Errorf("got %v, want b", done.Result.Cells)
	}
}

func TestWhatIsDoneAnewEndsRedoOfTheSameCells(t *testing.T) {
	p := alone(t)
	p.create("a", "b", "c")
	p.types("a", text.Insert(1, "1"))
	p.types("b", text.Insert(1, "2"))
	p.do(&command.Undo{}, &command.Undo{})
	p.types("b", text.Insert(1, "3"))
	p.do(&command.Redo{})
	p.wantShown("a \"a1\"\nb \"b3\"\nc \"c\"")
	if p.CanRedo() {
		t.Error("the edit of b can be done again, want it forgotten")
	}
}

func TestWhatDependsOnAForgottenRedoIsForgottenToo(t *testing.T) {
	p := alone(t)
	p.create("a", "b")
	p.do(&command.MergeCells{Cells: ids{"a", "b"}})
	p.types("a", text.Insert(4, "!"))
	p.do(&command.Undo{}, &command.Undo{})
	p.do(&command.ChangeKind{Cells: ids{"b"}, CellKind: event.KindRaw})
	if p.CanRedo() {
		t.Error("what was typed into the merged cell can be done again, want it forgotten with the merge")
	}
}

// met returns two peers in a room, and a notebook with the cells a, b and c.
func met(t *testing.T) (r *testRoom, ada, bob *peer) {
	t.Helper()
	r = newRoom(t)
	ada, bob = r.join("ada", access.Owner), r.join("bob", access.Owner)
	ada.create("a", "b", "c")
	r.deliverAll()
	return r, ada, bob
}

func TestUndoLeavesOutWhatOthersHaveChangedAndSaysSo(t *testing.T) {
	yes, no := new(true), new(false)
	tests := []struct {
		name      string
		mine, his command.Command
	}{
		{
			"a place", &command.MoveCells{Cells: ids{"a"}, After: "b"},
			&command.MoveCells{Cells: ids{"a"}, After: "c"},
		},
		{
			"a kind", &command.ChangeKind{Cells: ids{"a"}, CellKind: event.KindSQL},
			&command.ChangeKind{Cells: ids{"a"}, CellKind: event.KindRaw},
		},
		{
			"a language", &command.ChangeLanguage{Cells: ids{"a"}, Language: "r"},
			&command.ChangeLanguage{Cells: ids{"a"}, Language: "lua"},
		},
		{
			"what is hidden", &command.SetVisibility{Cells: ids{"a"}, Source: no},
			&command.SetVisibility{Cells: ids{"a"}, Source: yes},
		},
		{
			"metadata of a cell", &command.SetMetadata{Cell: "a", Key: "k", Value: json.RawMessage(`1`)},
			&command.SetMetadata{Cell: "a", Key: "k", Value: json.RawMessage(`2`)},
		},
		{
			"metadata", &command.SetMetadata{Key: "k", Value: json.RawMessage(`1`)},
			&command.SetMetadata{Key: "k", Value: json.RawMessage(`2`)},
		},
		{"a title", &command.SetTitle{Title: "2"}, &command.SetTitle{Title: "3"}},
		{"a deletion", &command.DeleteCells{Cells: ids{"a"}}, &command.RestoreCells{Cells: ids{"a"}}},
		{"a restoration", &command.RestoreCells{Cells: ids{"x"}}, &command.DeleteCells{Cells: ids{"x"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, ada, bob := met(t)
			ada.create("x")
			ada.propose(&event.CellDeleted{Cell: "x"}, &event.NotebookTitled{Title: "1"})
			ada.do(&command.ChangeKind{Cells: ids{"c"}, CellKind: event.KindAI}, test.mine)
			r.deliverAll()
			bob.do(test.his)
			r.deliverAll()
			want := strings.Replace(show(ada.view()), " ai", "", 1)
			done := ada.do(&command.Undo{})
			ada.wantShown(want)
			if done.Result.Skipped != 1 || ada.CanUndo() {
				t.Errorf("got %d left out, want 1", done.Result.Skipped)
			}
			r.deliverAll()
		})
	}
}

func TestUndoKeepsACellIntoWhichAnotherHasWritten(t *testing.T) {
	r, ada, bob := met(t)
	made := ada.do(&command.AddCell{CellKind: event.KindCode, Source: "mine"}).Result.Cells[0]
	r.deliverAll()
	bob.types(made, text.Insert(4, " and his"))
	r.deliverAll()
	if done := ada.do(&command.Undo{}); done.Result.Skipped != 1 {
		t.Errorf("got %d left out, want 1", done.Result.Skipped)
	}
	ada.wantSource(made, "mine and his")
	if ada.view().Cell(made).Deleted {
		t.Error("the cell is gone, want it to stay")
	}
}

func TestRedoKeepsACellIntoWhichAnotherWroteWhileItWasDeleted(t *testing.T) {
	r, ada, bob := met(t)
	ada.do(&command.DeleteCells{Cells: ids{"a"}})
	bob.types("a", text.Insert(1, " and his"))
	r.deliverAll()
	ada.do(&command.Undo{})
	if done := ada.do(&command.Redo{}); done.Result.Skipped != 1 || ada.view().Cell("a").Deleted {
		t.Errorf("got %d left out, want 1 and the cell to stay", done.Result.Skipped)
	}
	ada.wantSource("a", "a and his")
	r.deliverAll()
}

func TestWhatWasDoneToADeletedCellWaitsUntilItIsBack(t *testing.T) {
	r, ada, bob := met(t)
	ada.do(&command.ChangeKind{Cells: ids{"c"}, CellKind: event.KindRaw})
	ada.types("a", text.Insert(1, "1"))
	ada.do(&command.ChangeKind{Cells: ids{"a"}, CellKind: event.KindRaw})
	r.deliverAll()
	bob.do(&command.DeleteCells{Cells: ids{"a"}})
	r.deliverAll()
	if done := ada.do(&command.Undo{}); !slices.Equal(done.Result.Cells, ids{"c"}) || done.Result.Skipped != 0 {
		t.Errorf("got %v undone, want c", done.Result)
	}
	if ada.CanUndo() || len(ada.do(&command.Undo{Cell: "a"}).IDs) != 0 {
		t.Error("something can be undone, want it to wait")
	}
	r.deliverAll()
	bob.do(&command.RestoreCells{Cells: ids{"a"}})
	r.deliverAll()
	ada.do(&command.Undo{}, &command.Undo{})
	ada.wantShown("a \"a\"\nb \"b\"\nc \"c\"")
}

func TestUndoOfAMoveReturnsToTheNeighboursWhereverTheyAre(t *testing.T) {
	r, ada, bob := met(t)
	ada.do(&command.MoveCells{Cells: ids{"a", "b"}, After: "c"})
	r.deliverAll()
	bob.do(&command.AddCell{CellKind: event.KindCode, Before: "c"})
	r.deliverAll()
	ada.do(&command.Undo{})
	r.deliverAll()
	if got := ada.view().Cells(); !slices.Equal(slices.DeleteFunc(slices.Clone(got), func(id event.CellID) bool { return id == "bob1" }), ids{"a", "b", "c"}) {
		t.Errorf("got %v, want a, b and c in their order", got)
	}
}

func TestUndoTakesBackOnesOwnTextAroundWhatOthersTyped(t *testing.T) {
	r, ada, bob := met(t)
	ada.types("a", text.Insert(1, "[mine]"))
	r.deliverAll()
	bob.types("a", text.Insert(4, "his"))
	ada.types("a", text.Delete(0, 1))
	r.deliverAll()
	ada.do(&command.Undo{}, &command.Undo{})
	r.deliverAll()
	ada.wantSource("a", "ahis")
	ada.do(&command.Redo{}, &command.Redo{})
	r.deliverAll()
	ada.wantSource("a", "[mihisne]")
}

func TestUndoOfWhatOthersHaveTakenAwayGoesOnToWhatIsLeft(t *testing.T) {
	r, ada, bob := met(t)
	ada.types("b", text.Insert(1, "1"))
	ada.types("a", text.Insert(1, "2"))
	r.deliverAll()
	bob.types("a", text.Delete(1, 1))
	r.deliverAll()
	if done := ada.do(&command.Undo{}); done.Result.Skipped != 1 {
		t.Errorf("got %d left out, want 1", done.Result.Skipped)
	}
	ada.wantShown("a \"a\"\nb \"b\"\nc \"c\"")
}

func TestTwoExecutorsOfOneReplicaUndoOnlyTheirOwn(t *testing.T) {
	p := alone(t)
	p.create("a")
	other := command.NewExecutor(p.replica, func() string { return "other1" })
	p.types("a", text.Insert(1, "1"))
	other.Rebase("a", text.Insert(1, "1"))
	done, err := other.Edit("a", text.Insert(0, "2"), false)
	if err != nil {
		t.Fatal(err)
	}
	p.Rebase(done.Edits[0].Cell, done.Edits[0].Edit)
	p.do(&command.Undo{})
	p.wantSource("a", "2a")
}

func TestATextThatChangedUnseenIsNotUndone(t *testing.T) {
	p := alone(t)
	p.create("a", "b")
	p.types("b", text.Insert(1, "1"))
	p.types("a", text.Insert(1, "2"))
	if _, _, err := p.replica.Edit("a", text.Insert(0, "unseen")); err != nil {
		t.Fatal(err)
	}
	if done := p.do(&command.Undo{}); done.Result.Skipped != 1 {
		t.Errorf("got %d left out, want 1", done.Result.Skipped)
	}
	p.wantShown("a \"unseena2\"\nb \"b\"")
	p.types("a", text.Insert(0, "3"))
	p.do(&command.Undo{})
	p.wantSource("a", "unseena2")
}

func TestASplitOfATextThatChangedUnseenIsNotUndoneByHalf(t *testing.T) {
	p := alone(t)
	p.create("ab")
	p.do(&command.SplitCell{Cell: "ab", At: []int{1}})
	if _, _, err := p.replica.Edit("ab", text.Insert(0, "unseen")); err != nil {
		t.Fatal(err)
	}
	before := show(p.view())
	p.do(&command.Undo{})
	p.wantShown(before)
}

func TestACellThatTheRoomRefusedIsLeftOutOfUndo(t *testing.T) {
	r, ada, _ := met(t)
	ada.do(&command.SetTitle{Title: "1"}, &command.SetTitle{Title: "2"}, &command.AddCell{CellKind: event.KindRaw})
	ada.send()
	ada.do(&command.RestoreCells{Cells: ids{"a"}}, &command.AddCell{CellKind: event.KindRaw})
	ada.member.Role = access.Viewer
	ada.send()
	ada.member.Role = access.Owner
	r.deliverAll()
	if c := ada.view().Cell("ada2"); c != nil {
		t.Fatalf("the room took cell %s, want it refused", c.ID)
	}
	done := ada.do(&command.Undo{})
	if done.Result.Skipped != 1 || !ada.view().Cell("ada1").Deleted {
		t.Errorf("got %d left out, want 1 and the first cell undone", done.Result.Skipped)
	}
	r.deliverAll()
}

func TestUndoRemembersAThousandEntries(t *testing.T) {
	p := alone(t)
	p.create("a")
	for range 1_001 {
		p.types("a", text.Insert(0, "x"))
	}
	undone := 0
	for p.CanUndo() {
		p.do(&command.Undo{})
		undone++
	}
	p.wantSource("a", "xa")
	if undone != 1_000 {
		t.Errorf("got %d undone, want 1,000", undone)
	}
}

func TestUndoForgetsTheOldestBeyondEightMegabytes(t *testing.T) {
	p := alone(t)
	p.create("a")
	const size = 3 << 20
	p.types("a", text.Insert(1, strings.Repeat("x", 3*size)))
	for range 3 {
		p.types("a", text.Delete(1, size))
	}
	undone := 0
	for p.CanUndo() {
		p.do(&command.Undo{})
		undone++
	}
	if got := p.view().Cell("a").Text().Len(); undone != 2 || got != 1+2*size {
		t.Errorf("got %d undone and %d units, want 2 and %d", undone, got, 1+2*size)
	}
}

func TestUndoKeepsTheLatestHoweverLarge(t *testing.T) {
	p := alone(t)
	p.create("a")
	p.types("a", text.Insert(1, strings.Repeat("x", 9<<20)))
	p.types("a", text.Delete(0, 1+9<<20))
	p.do(&command.Undo{})
	if got := p.view().Cell("a").Text().Len(); got != 1+9<<20 {
		t.Errorf("got %d units, want all back", got)
	}
}
