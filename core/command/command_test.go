package command_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/command"
	"github.com/quirehq/quire/core/event"
)

type ids = []event.CellID

// begun is a notebook with the cells a, b, c and d, and the deleted cell x between b and c; c is Markdown and d has
// outputs.
func begun(t testing.TB) *peer {
	p := alone(t)
	p.create("a", "b", "x", "c", "d")
	p.propose(
		&event.CellDeleted{Cell: "x"},
		&event.CellKindChanged{Cell: "c", Kind: event.KindMarkdown},
		&event.CellMetadataSet{Cell: "b", Key: "tags", Value: json.RawMessage(`["t"]`)},
		&event.CellVisibilitySet{Cell: "b", Context: new(false)},
		&event.OutputsImported{Cell: "d", Outputs: []event.Output{printed("1"), printed("2")}, Count: 7},
		&event.NotebookTitled{Title: "T"},
	)
	return p
}

const asBegun = `
title "T"
a "a"
b "b" no context tags=["t"]
c "c" markdown
d "d" out "1" out "2" count 7`

var commands = []struct {
	name  string
	do    command.Command
	want  string // as in show, empty for no change
	cells ids    // that are selected
	edits int    // of sources
}{
	{
		name: "a cell is added after another",
		do:   &command.AddCell{CellKind: event.KindSQL, Language: "sqlite", Source: "s", After: "a"},
		want: `
title "T"
a "a"
ada1 "s" sql in sqlite
b "b" no context tags=["t"]
c "c" markdown
d "d" out "1" out "2" count 7`,
		cells: ids{"ada1"},
	},
	{
		name:  "a cell is added before another",
		do:    &command.AddCell{CellKind: event.KindCode, Before: "a"},
		want:  strings.Replace(asBegun, "\na", "\nada1 \"\"\na", 1),
		cells: ids{"ada1"},
	},
	{
		name:  "a cell is added at the end",
		do:    &command.AddCell{CellKind: event.KindCode},
		want:  asBegun + "\nada1 \"\"",
		cells: ids{"ada1"},
	},
	{
		name:  "a cell is added after one that is deleted",
		do:    &command.AddCell{CellKind: event.KindCode, After: "x"},
		want:  strings.Replace(asBegun, "\nc", "\nada1 \"\"\nc", 1),
		cells: ids{"ada1"},
	},
	{
		name: "cells are deleted, and the next is selected",
		do:   &command.DeleteCells{Cells: ids{"c", "b", "b", "x"}},
		want: `
title "T"
a "a"
d "d" out "1" out "2" count 7`,
		cells: ids{"d"},
	},
	{
		name:  "the last cell is deleted, and the one before is selected",
		do:    &command.DeleteCells{Cells: ids{"d"}},
		want:  strings.Split(asBegun, "\nd")[0],
		cells: ids{"c"},
	},
	{
		name: "all cells are deleted",
		do:   &command.DeleteCells{Cells: ids{"a", "b", "c", "d"}},
		want: `title "T"`,
	},
	{
		name:  "what is deleted is not deleted again",
		do:    &command.DeleteCells{Cells: ids{"x"}},
		cells: ids{"c"},
	},
	{
		name:  "a cell is restored",
		do:    &command.RestoreCells{Cells: ids{"x", "a"}},
		want:  strings.Replace(asBegun, "\nc", "\nx \"x\"\nc", 1),
		cells: ids{"a", "x"},
	},
	{
		name: "a block is moved in its order",
		do:   &command.MoveCells{Cells: ids{"c", "x", "a"}, After: "d"},
		want: `
title "T"
b "b" no context tags=["t"]
d "d" out "1" out "2" count 7
a "a"
c "c" markdown`,
		cells: ids{"a", "c"},
	},
	{
		name: "a block is moved to before one of its own",
		do:   &command.MoveCells{Cells: ids{"b", "d"}, Before: "d"},
		want: `
title "T"
a "a"
c "c" markdown
b "b" no context tags=["t"]
d "d" out "1" out "2" count 7`,
		cells: ids{"b", "d"},
	},
	{
		name: "a cell is moved to the start",
		do:   &command.MoveCells{Cells: ids{"d"}, Before: "a"},
		want: `
title "T"
d "d" out "1" out "2" count 7
a "a"
b "b" no context tags=["t"]
c "c" markdown`,
		cells: ids{"d"},
	},
	{
		name:  "a block that is where it goes stays",
		do:    &command.MoveCells{Cells: ids{"b", "c"}, After: "a"},
		cells: ids{"b", "c"},
	},
	{
		name:  "a cell that is at the end stays",
		do:    &command.MoveCells{Cells: ids{"d"}},
		cells: ids{"d"},
	},
	{
		name:  "a cell that goes beside itself stays",
		do:    &command.MoveCells{Cells: ids{"b"}, After: "b"},
		cells: ids{"b"},
	},
	{
		name:  "cells become another kind",
		do:    &command.ChangeKind{Cells: ids{"c", "d", "x"}, CellKind: event.KindCode},
		want:  strings.Replace(asBegun, " markdown", "", 1),
		cells: ids{"c", "d"},
	},
	{
		name:  "cells are in another language",
		do:    &command.ChangeLanguage{Cells: ids{"a"}, Language: "lua"},
		want:  strings.Replace(asBegun, `a "a"`, `a "a" in lua`, 1),
		cells: ids{"a"},
	},
	{
		name: "parts of cells are shown and hidden",
		do:   &command.SetVisibility{Cells: ids{"a", "b"}, Source: new(false), Context: new(true)},
		want: strings.NewReplacer(`a "a"`, `a "a" no source`, `no context`, `no source`).Replace(asBegun),

		cells: ids{"a", "b"},
	},
	{
		name:  "what is shown is not shown again",
		do:    &command.SetVisibility{Cells: ids{"a"}, Source: new(true)},
		cells: ids{"a"},
	},
	{
		name:  "cells are merged, with the outputs of the last",
		do:    &command.MergeCells{Cells: ids{"d", "c", "x", "b"}},
		want:  "title \"T\"\na \"a\"\n" + `b "b\n\nc\n\nd" no context tags=["t"] out "1" out "2" count 7`,
		cells: ids{"b"},
		edits: 1,
	},
	{
		name: "cells are pasted whole",
		do: &command.PasteCells{Before: "b", Items: []command.Copied{
			{CellKind: event.KindCode, Language: "r", Source: "1", Outputs: []event.Output{printed("o")}, Count: 3},
			{CellKind: event.KindRaw, Source: "2", Metadata: map[string]json.RawMessage{"k": json.RawMessage(`1`)}},
		}},
		want: strings.Replace(asBegun, "\nb", `
ada1 "1" in r out "o" count 3
ada2 "2" raw k=1
b`, 1),
		cells: ids{"ada1", "ada2"},
	},
	{
		name: "the notebook is named",
		do:   &command.SetTitle{Title: "U"},
		want: strings.Replace(asBegun, `"T"`, `"U"`, 1),
	},
	{
		name: "the notebook's metadata is set",
		do:   &command.SetMetadata{Key: "k", Value: json.RawMessage(`{"a":"<"}`)},
		want: strings.Replace(asBegun, `"T"`, `"T" k={"a":"<"}`, 1),
	},
	{
		name:  "a cell's metadata is set",
		do:    &command.SetMetadata{Cell: "b", Key: "tags", Value: json.RawMessage(`[]`)},
		want:  strings.Replace(asBegun, `["t"]`, `[]`, 1),
		cells: ids{"b"},
	},
	{
		name:  "a cell's metadata is removed",
		do:    &command.SetMetadata{Cell: "b", Key: "tags", Value: json.RawMessage(`null`)},
		want:  strings.Replace(asBegun, ` tags=["t"]`, ``, 1),
		cells: ids{"b"},
	},
	{
		name:  "metadata that is there is not set again",
		do:    &command.SetMetadata{Cell: "b", Key: "tags", Value: json.RawMessage(` [ "t" ]`)},
		cells: ids{"b"},
	},
}

func TestACommandDoesWhatItSaysAndIsUndoneAndRedone(t *testing.T) {
	for _, test := range commands {
		t.Run(test.name, func(t *testing.T) {
			p := begun(t)
			p.wantShown(asBegun)
			pending := p.replica.Pending()
			done := p.do(test.do)
			if diff := cmp.Diff(test.cells, done.Result.Cells); diff != "" {
				t.Errorf("selected (-want +got):\n%s", diff)
			}
			if len(done.Edits) != test.edits || len(done.IDs) != p.replica.Pending()-pending {
				t.Errorf("got %d edits and %d events, want %d and %d",
					len(done.Edits), len(done.IDs), test.edits, p.replica.Pending()-pending)
			}
			if test.want == "" {
				p.wantShown(asBegun)
				if len(done.IDs)+len(done.Changes) > 0 || p.CanUndo() {
					t.Errorf("got events %v, want none", done.IDs)
				}
				return
			}
			wantUndone(t, p, asBegun, test.want)
		})
	}
}

// wantUndone undoes and redoes a change twice, and requires it to be one undo entry.
func wantUndone(t *testing.T, p *peer, before, after string) {
	t.Helper()
	p.wantShown(after)
	for range 2 {
		if !p.CanUndo() || p.CanRedo() {
			t.Errorf("got undo %v and redo %v, want only undo", p.CanUndo(), p.CanRedo())
		}
		p.do(&command.Undo{})
		p.wantShown(before)
		if p.CanUndo() || !p.CanRedo() {
			t.Errorf("got undo %v and redo %v, want only redo", p.CanUndo(), p.CanRedo())
		}
		p.do(&command.Redo{})
		p.wantShown(after)
	}
}

func TestACommandThatCannotBeDoneSaysWhyAndDoesNothing(t *testing.T) {
	long := strings.Repeat("x", 17<<20)
	tests := []struct {
		do   command.Command
		want string
	}{
		{&command.AddCell{CellKind: event.KindCode, After: "q"}, "add cell: there is no cell q"},
		{&command.AddCell{CellKind: event.KindCode, After: "a", Before: "b"}, "add cell: two places are named"},
		{&command.AddCell{CellKind: "rust"}, `add cell: kind "rust" is none of`},
		{&command.AddCell{CellKind: event.KindCode, Source: long}, "add cell: CellCreated takes 178260"},
		{&command.DeleteCells{}, "delete cells: no cell is named"},
		{&command.DeleteCells{Cells: ids{"a", "q"}}, "delete cells: there is no cell q"},
		{&command.RestoreCells{Cells: ids{"q"}}, "restore cells: there is no cell q"},
		{&command.MoveCells{Cells: ids{"x"}}, "move cells: cell x is deleted: restore it first"},
		{&command.MoveCells{Cells: ids{"a"}, Before: "q"}, "move cells: there is no cell q"},
		{&command.ChangeKind{Cells: ids{"a", "b"}, CellKind: "?"}, `change kind: kind "?" is none of`},
		{&command.ChangeLanguage{Cells: ids{"a"}, Language: long}, "change language: language is"},
		{&command.SetVisibility{Cells: ids{"q"}}, "set visibility: there is no cell q"},
		{&command.SplitCell{Cell: "a"}, "split cell: cell a: no place is named"},
		{&command.SplitCell{Cell: "a", At: []int{2}}, "split cell: cell a: unit 2 of its source is not between"},
		{&command.SplitCell{Cell: "a", At: []int{-1}}, "split cell: cell a: unit -1 of its source is not between"},
		{&command.SplitCell{Cell: "q", At: []int{0}}, "split cell: there is no cell q"},
		{&command.MergeCells{Cells: ids{"a", "a", "x"}}, "merge cells: one cell alone cannot be merged"},
		{&command.PasteCells{}, "paste cells: there is nothing to paste"},
		{&command.PasteCells{Items: []command.Copied{{CellKind: "code"}, {CellKind: "no"}}}, `paste cells: kind "no"`},
		{&command.SetTitle{}, "set title: title is missing"},
		{&command.SetMetadata{Key: "k", Value: json.RawMessage(`{`)}, "set metadata: value is not valid JSON"},
		{&command.SetMetadata{Cell: "q", Key: "k"}, "set metadata: there is no cell q"},
		{&command.RunCells{Cells: ids{"q"}}, "run cells: there is no cell q"},
		{&command.CancelRuns{Cells: ids{"q"}}, "cancel runs: there is no cell q"},
		{&command.AnswerInput{Input: "q"}, "answer input: there is no input that is waited for q"},
		{&command.ClearOutputs{Cells: ids{"q"}}, "clear outputs: there is no cell q"},
		{nil, "there is no command"},
	}
	for _, test := range tests {
		p := begun(t)
		pending := p.replica.Pending()
		done, err := p.Do(test.do)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("got error %.200v, want %s", err, test.want)
		}
		if n := p.replica.Pending() - pending; n != 0 || len(done.IDs) != 0 || p.CanUndo() {
			t.Errorf("%s: got %d events, want none", test.want, n)
		}
		p.wantShown(asBegun)
	}
}

func TestABlockIsMovedToBetweenTwoCellsWithoutTouchingOthers(t *testing.T) {
	p := alone(t)
	p.create("a", "b", "c", "d", "e")
	done := p.do(&command.MoveCells{Cells: ids{"b", "e"}, After: "a"})
	p.wantShown("a \"a\"\nb \"b\"\ne \"e\"\nc \"c\"\nd \"d\"")
	if len(done.IDs) != 1 {
		t.Errorf("got %d events, want 1: b was there", len(done.IDs))
	}
}
