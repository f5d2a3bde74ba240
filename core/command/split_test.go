package command_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/command"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/text"
)

func TestACellIsSplitAtPlacesInItsSource(t *testing.T) {
	tests := []struct {
		name, source string
		at           []int
		want         []string
	}{
		{"in a line", "abc", []int{1}, []string{"a", "bc"}},
		{"at several places in any order", "abc", []int{2, 1, 2}, []string{"a", "b", "c"}},
		{"between lines, whose ends go", "a\n\nb\nc\n", []int{2, 5}, []string{"a", "b", "c\n"}},
		{"behind a character of two units", "\U0001F600é", []int{2}, []string{"\U0001F600", "é"}},
		{"at the start", "a", []int{0}, []string{"", "a"}},
		{"at the end", "a", []int{1}, []string{"a", ""}},
		{"where there is nothing", "", []int{0}, []string{"", ""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := alone(t)
			p.create("c")
			p.types("c", text.Replace(0, 1, test.source))
			before := show(p.view())
			done := p.do(&command.SplitCell{Cell: "c", At: test.at})
			var got []string
			for _, id := range p.view().Cells() {
				got = append(got, p.source(id))
			}
			if !slices.Equal(got, test.want) || !slices.Equal(done.Result.Cells, p.view().Cells()) {
				t.Errorf("got %q with %v selected, want %q and all", got, done.Result.Cells, test.want)
			}
			after := show(p.view())
			p.do(&command.Undo{})
			p.wantShown(before)
			p.do(&command.Redo{})
			p.wantShown(after)
		})
	}
}

func TestACellIsNotSplitWithinACharacter(t *testing.T) {
	p := alone(t)
	p.create("c")
	p.types("c", text.Replace(0, 1, "a\U0001F600"))
	_, err := p.Do(&command.SplitCell{Cell: "c", At: []int{2}})
	if err == nil || !strings.Contains(err.Error(), "unit 2 of its source is not between two characters") {
		t.Errorf("got %v, want an error that names the place", err)
	}
}

func TestThePartsOfACellAreLikeIt(t *testing.T) {
	p := begun(t)
	p.do(
		&command.ChangeLanguage{Cells: ids{"b"}, Language: "r"},
		&command.ChangeKind{Cells: ids{"b"}, CellKind: event.KindSQL},
		&command.SplitCell{Cell: "b", At: []int{0}},
	)
	want := `"b" sql in r no context tags=["t"]`
	if got := show(p.view()); !strings.Contains(got, "\nada1 "+want) {
		t.Errorf("got\n%s\nwant a part that is %s", got, want)
	}
}

func TestEmptySourcesAddNothingToAMergedCell(t *testing.T) {
	p := alone(t)
	p.create("a", "b", "c", "d")
	p.types("a", text.Delete(0, 1))
	p.types("c", text.Delete(0, 1))
	p.do(&command.MergeCells{Cells: ids{"a", "b", "c", "d"}})
	p.wantSource("a", "b\n\nd")
}

func TestMergingPutsTheOutputsOfTheLastInPlaceOfThoseOfTheFirst(t *testing.T) {
	p := alone(t)
	p.create("a", "b")
	p.propose(&event.OutputsImported{Cell: "a", Outputs: []event.Output{printed("of a")}, Count: 4})
	before := show(p.view())
	p.do(&command.MergeCells{Cells: ids{"a", "b"}})
	p.wantShown(`a "a\n\nb"`)
	p.do(&command.Undo{})
	p.wantShown(before)
}

func TestACaretInTheFirstOfMergedCellsStays(t *testing.T) {
	p := alone(t)
	p.create("a", "b")
	done := p.do(&command.MergeCells{Cells: ids{"a", "b"}})
	if got := done.Edits[0].Edit.Position(1, text.Before); got != 1 {
		t.Errorf("the caret is at %d, want 1", got)
	}
}

func TestTheEditOfASplitIsJoinedWithNothingThatIsTyped(t *testing.T) {
	p := newRoom(t).join("ada", access.Editor)
	p.create("c")
	p.types("c", text.Insert(1, "ab"))
	p.do(&command.SplitCell{Cell: "c", At: []int{2}})
	p.types("c", text.Insert(2, "x"))
	p.types("c", text.Insert(3, "y"))
	var got []string
	for _, msg := range p.replica.Outgoing() {
		for _, d := range msg.(*protocol.Push).Events {
			if e, ok := d.Payload.(*event.SourceEdited); ok {
				got = append(got, e.Edit.String())
			}
		}
	}
	if want := []string{`[1,"ab"]`, `[2,-1]`, `[2,"xy"]`}; !slices.Equal(got, want) {
		t.Errorf("got the edits %v, want %v", got, want)
	}
}

func TestTextThatGoesToAnotherCellIsAlwaysInOne(t *testing.T) {
	p := alone(t)
	p.create("c")
	p.types("c", text.Replace(0, 1, "aaaa"))
	for _, c := range []command.Command{
		&command.SplitCell{Cell: "c", At: []int{1, 2}}, &command.Undo{}, &command.Redo{},
		&command.MergeCells{Cells: ids{"c", "ada1", "ada2"}}, &command.Undo{}, &command.Redo{},
	} {
		state := p.view().Clone()
		for i, payload := range p.do(c).Made {
			one := event.Event{ID: event.ID{Client: "test", N: uint64(i + 1)}, Payload: payload}
			if _, err := state.Apply(&one, nil); err != nil {
				t.Fatal(err)
			}
			letters := 0
			for _, id := range state.Cells() {
				letters += strings.Count(state.Cell(id).Source(), "a")
			}
			if letters < 4 {
				t.Errorf("%T: after event %d the cells have %d letters, want 4 or more", c, i+1, letters)
			}
		}
	}
}
