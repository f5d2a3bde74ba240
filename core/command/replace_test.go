package command_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/command"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

func pieces(list ...command.Piece) *command.ReplaceText { return &command.ReplaceText{Pieces: list} }

func TestTextOfManyCellsIsReplacedAndTakenBackAtOnce(t *testing.T) {
	p := alone(t)
	p.create("a", "b", "c")
	p.types("a", text.Insert(1, " 😀 a"))
	result := p.do(pieces(
		command.Piece{Cell: "b", At: 0, Was: "b", Text: "BB"},
		command.Piece{Cell: "a", At: 0, Was: "a", Text: "long"},
		command.Piece{Cell: "a", At: 5, Was: "a"},
	)).Result
	if diff := cmp.Diff(command.Result{Cells: ids{"a", "b"}}, result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	const replaced = "a \"long 😀 \"\nb \"BB\"\nc \"c\""
	p.wantShown(replaced)
	for range 2 {
		p.do(&command.Undo{})
		p.wantShown("a \"a 😀 a\"\nb \"b\"\nc \"c\"")
		p.do(&command.Redo{})
		p.wantShown(replaced)
	}
}

func TestInOneCellAloneAReplacementIsTakenBackThere(t *testing.T) {
	p := alone(t)
	p.create("a", "b")
	p.do(pieces(command.Piece{Cell: "a", Was: "a", Text: "1"}, command.Piece{Cell: "b", Was: "b", Text: "2"}))
	p.do(&command.Undo{Cell: "b"})
	p.wantShown("a \"1\"\nb \"b\"")
	p.do(&command.Undo{})
	p.wantShown("a \"a\"\nb \"b\"")
	p.do(&command.Redo{})
	p.wantShown("a \"1\"\nb \"b\"")
	p.do(&command.Redo{})
	p.wantShown("a \"1\"\nb \"2\"")
}

func TestAPartOfAReplacementInADeletedCellWaitsForIt(t *testing.T) {
	r := newRoom(t)
	ada, bob := r.join("ada", access.Owner), r.join("bob", access.Owner)
	ada.create("a", "b")
	ada.do(pieces(command.Piece{Cell: "a", Was: "a", Text: "1"}, command.Piece{Cell: "b", Was: "b", Text: "2"}))
	r.deliverAll()
	bob.do(&command.DeleteCells{Cells: ids{"b"}})
	r.deliverAll()
	ada.do(&command.Undo{})
	ada.wantShown("a \"a\"")
	bob.do(&command.Undo{})
	r.deliverAll()
	ada.wantShown("a \"a\"\nb \"2\"")
	ada.do(&command.Undo{})
	ada.wantShown("a \"a\"\nb \"b\"")
}

func TestAPieceThatOthersChangedIsLeftOutAndCounted(t *testing.T) {
	p := alone(t)
	p.create("a", "b", "c")
	p.do(&command.DeleteCells{Cells: ids{"c"}})
	result := p.do(pieces(
		command.Piece{Cell: "a", Was: "x", Text: "1"},
		command.Piece{Cell: "a", At: 9, Was: "y", Text: "1"},
		command.Piece{Cell: "b", Was: "b", Text: "2"},
		command.Piece{Cell: "c", Was: "c", Text: "3"},
	)).Result
	if diff := cmp.Diff(command.Result{Cells: ids{"b"}, Skipped: 3}, result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	p.wantShown("a \"a\"\nb \"2\"")
}

func TestPiecesThatMakeNoSenseAreRefused(t *testing.T) {
	p := alone(t)
	p.create("a", "b")
	for want, c := range map[string]*command.ReplaceText{
		"no piece of text is named":  pieces(),
		"there is no cell q":         pieces(command.Piece{Cell: "q", Was: "x"}),
		"the piece at unit 0 is":     pieces(command.Piece{Cell: "a", Text: "x"}),
		"the piece at unit -1 is":    pieces(command.Piece{Cell: "a", At: -1, Was: "a"}),
		"or does not follow the one": pieces(command.Piece{Cell: "a", Was: "a"}, command.Piece{Cell: "a", Was: "a"}),
		"of cell a are not together": pieces(command.Piece{Cell: "a", Was: "a"}, command.Piece{Cell: "b", Was: "b"}, command.Piece{Cell: "a", Was: "a"}),
	} {
		if _, err := p.Do(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	p.wantShown("a \"a\"\nb \"b\"")
}

func TestAReplacementInMoreCellsThanAreRememberedIsTakenBackWhole(t *testing.T) {
	p := alone(t)
	var all []command.Piece
	for i := range 1_200 {
		id := event.CellID(fmt.Sprint("n", i))
		p.create(id)
		all = append(all, command.Piece{Cell: id, Was: string(id), Text: "new"})
	}
	before := show(p.view())
	p.do(pieces(all...))
	p.do(&command.Undo{})
	p.wantShown(before)
	p.do(&command.Redo{})
	p.do(&command.SetTitle{Title: "t"}, &command.SetTitle{Title: "u"}) // drops the older entries, all or none of them
	p.do(&command.Undo{Cell: "n0"})
	if got, want := p.source("n0"), "new"; got != want {
		t.Errorf("a part that was forgotten is taken back: %q, want %q", got, want)
	}
}

func TestAnAttachmentAndTheTextThatShowsItAreTakenBackTogether(t *testing.T) {
	p := alone(t)
	p.create("a")
	p.do(&command.SetMetadata{Cell: "a", Key: "k", Value: json.RawMessage(`1`)})
	p.do(&command.Attach{Cell: "a", Key: "k", Value: json.RawMessage(`2`), At: 99, Text: "😀"})
	wantKept := func(source, value string) {
		t.Helper()
		p.wantSource("a", source)
		if got := string(p.view().Cell("a").Metadata["k"]); got != value {
			t.Errorf("metadata: got %s, want %s", got, value)
		}
	}
	wantKept("a😀", "2")
	p.do(&command.Undo{Cell: "a"})
	wantKept("a", "1")
	p.do(&command.Redo{Cell: "a"})
	wantKept("a😀", "2")
	for want, c := range map[string]*command.Attach{
		"no text that refers to it": {Cell: "a", Key: "k", Value: json.RawMessage(`3`)},
		"there is no cell q":        {Cell: "q", Key: "k", Value: json.RawMessage(`3`), Text: "x"},
	} {
		if _, err := p.Do(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
