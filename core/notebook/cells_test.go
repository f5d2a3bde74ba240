package notebook

import (
	"encoding/json"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/order"
	"github.com/quirehq/quire/core/text"
)

func TestNB10TheFirstCreationOfACellWins(t *testing.T) {
	sc := given(t, created("a", "R", "one"))
	sc.moot(MootConflict, created("a", "Z", "two"))
	sc.add(&event.CellDeleted{Cell: "a"})
	sc.moot(MootConflict, created("a", "Z", "two"))
	c := sc.n.Cell("a")
	check(t, "source", c.Source(), "one")
	check(t, "author", c.Author, event.Actor("person:ada"))
}

func TestNB11AnEditAppliesOnlyAtItsRevision(t *testing.T) {
	sc := given(t, created("a", "R", "hi"), edited("a", 0, text.Insert(2, "!")))
	sc.moot(MootConflict, edited("a", 0, text.Insert(0, "x")))
	sc.moot(MootConflict, edited("a", 2, text.Insert(0, "x")))
	sc.add(edited("a", 1, text.Insert(0, "oh ")), edited("a", 2, text.Edit{}))
	check(t, "source", sc.n.Cell("a").Source(), "oh hi!")
	check(t, "revision", sc.n.Cell("a").Rev, event.Rev(3))
}

func TestNB11AnEditThatDoesNotFitIsMoot(t *testing.T) {
	sc := given(t, created("a", "R", "a😀"))
	sc.moot(MootInvalid, edited("a", 0, text.Insert(4, "x")))
	sc.moot(MootInvalid, edited("a", 0, text.Delete(1, 1)))
	check(t, "revision", sc.n.Cell("a").Rev, event.Rev(0))
}

func TestNB12AChangeOfKindOrLanguageKeepsTheRest(t *testing.T) {
	sc := running(t, "a", "b").add(
		edited("a", 0, text.Insert(0, "x")), printed("o", "r", 1, "out"),
		&event.CellKindChanged{Cell: "a", Kind: event.KindMarkdown}, &event.CellLanguageChanged{Cell: "a", Language: "lua"},
	)
	c := sc.n.Cell("a")
	check(t, "kind", c.Kind, event.KindMarkdown)
	check(t, "language", c.Language, "lua")
	check(t, "source", c.Source(), "x")
	check(t, "revision", c.Rev, event.Rev(1))
	check(t, "outputs", c.Outputs, []event.OutputID{"o"})
	check(t, "state of the run", sc.n.Run("r").State, RunStarted)
}

func TestNB13CellsStandInTheOrderOfTheirPlaces(t *testing.T) {
	sc := given(t, created("c", "S", ""), created("a", "R", ""), created("b", "R", ""))
	check(t, "order", sc.order(), []event.CellID{"a", "b", "c"})
	sc.add(&event.CellMoved{Cell: "a", Order: "Z"})
	check(t, "order after a move", sc.order(), []event.CellID{"b", "c", "a"})
	sc.add(&event.CellMoved{Cell: "a", Order: "Z"})
	check(t, "order after a move to the same place", sc.order(), []event.CellID{"b", "c", "a"})
}

func TestNB13MalformedPlacesThatSpellAlikeAreToldApart(t *testing.T) {
	sc := given(t, created("b", "R!a", ""), created("a!b", "R", ""))
	check(t, "order", sc.order(), []event.CellID{"a!b", "b"})
	sc.add(&event.CellDeleted{Cell: "b"})
	check(t, "order after a deletion", sc.order(), []event.CellID{"a!b"})
}

func TestNB13ACellGoesBetweenItsNeighbours(t *testing.T) {
	sc := given(t, created("a", "R", ""), created("b", "S", ""))
	for i := range 3 {
		key, err := sc.n.Between(i)
		if err != nil {
			t.Fatal(err)
		}
		n := sc.n.Clone()
		if _, err := n.Apply(sc.event(created("new", key, "")), nil); err != nil {
			t.Fatal(err)
		}
		check(t, "cell at the index", n.Cells()[i], event.CellID("new"))
	}
}

// full returns a scenario with a cell that has every field set and a finished run.
func full(t *testing.T) *scenario {
	t.Helper()
	return running(t, "a", "b").add(
		edited("a", 0, text.Insert(0, "x")), printed("o", "r", 1, "out"),
		&event.CellMetadataSet{Cell: "a", Key: "k", Value: json.RawMessage(`1`)},
		&event.RunFinished{Run: "r", Epoch: 1, Status: event.StatusOK, Count: 7},
	)
}

func TestNB14ADeletedCellKeepsAllThatItHas(t *testing.T) {
	sc := full(t).add(&event.CellDeleted{Cell: "a"})
	sc.moot(MootConflict, &event.CellDeleted{Cell: "a"})
	check(t, "order", sc.order(), []event.CellID{"b"})
	c := sc.n.Cell("a")
	check(t, "deleted", c.Deleted, true)
	check(t, "who deleted it", c.Deleter, event.Actor("person:ada"))
	check(t, "source", c.Source(), "x")
	check(t, "metadata", c.Metadata, map[string]json.RawMessage{"k": json.RawMessage(`1`)})
	check(t, "text of the output", sc.n.Output("o").Value().Text, "out")
	check(t, "count", c.Count, 7)
	check(t, "run", c.Run, event.RunID("r"))
}

func TestNB15ARestoredCellIsAsItWas(t *testing.T) {
	sc := full(t)
	sc.moot(MootConflict, &event.CellRestored{Cell: "a"})
	before := state(t, sc.n)
	sc.add(&event.CellDeleted{Cell: "a"}, &event.CellRestored{Cell: "a"})
	check(t, "state", state(t, sc.n), before)
}

func TestNB16WhatIsSaidOfADeletedCellShowsWhenItIsRestored(t *testing.T) {
	no := false
	said := []event.Payload{
		edited("a", 1, text.Insert(1, "y")), &event.CellMoved{Cell: "a", Order: "Z"},
		&event.CellKindChanged{Cell: "a", Kind: event.KindSQL}, &event.CellLanguageChanged{Cell: "a", Language: "r"},
		&event.CellVisibilitySet{Cell: "a", Source: &no}, &event.CellMetadataSet{Cell: "a", Key: "k"},
		&event.OutputsImported{Cell: "a", Count: 9},
	}
	want := full(t).add(said...)
	got := full(t).add(&event.CellDeleted{Cell: "a"}).add(said...)
	check(t, "order while deleted", got.order(), []event.CellID{"b"})
	got.add(&event.CellRestored{Cell: "a"})
	check(t, "order", got.order(), []event.CellID{"b", "a"})
	// The two differ in the events that imported the outputs, which the state does not have.
	check(t, "state", state(t, got.n), state(t, want.n))
}

func TestNB17VisibilityIsSetPartByPart(t *testing.T) {
	yes, no := true, false
	tests := []struct {
		name                     string
		set                      event.CellVisibilitySet
		source, outputs, context bool
	}{
		{"nothing", event.CellVisibilitySet{}, true, false, true},
		{"source", event.CellVisibilitySet{Source: &no}, false, false, true},
		{"outputs", event.CellVisibilitySet{Outputs: &yes}, true, true, true},
		{"context", event.CellVisibilitySet{Context: &no}, true, false, false},
		{"all", event.CellVisibilitySet{Source: &no, Outputs: &yes, Context: &no}, false, true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.set.Cell = "a"
			sc := given(t, created("a", "R", ""), &event.CellVisibilitySet{Cell: "a", Outputs: &no}, &tt.set)
			c := sc.n.Cell("a")
			check(t, "source", !c.HideSource, tt.source)
			check(t, "outputs", !c.HideOutputs, tt.outputs)
			check(t, "context", !c.HideContext, tt.context)
		})
	}
}

func TestNB18MetadataTakesTheLastValueAndNullRemovesIt(t *testing.T) {
	set := func(key, value string) []event.Payload {
		v := json.RawMessage(value)
		return []event.Payload{
			&event.CellMetadataSet{Cell: "a", Key: key, Value: v}, &event.NotebookMetadataSet{Key: key, Value: v},
		}
	}
	sc := given(t, created("a", "R", ""))
	for _, kv := range [][2]string{
		{"stays", `{"x":[1,2]}`},
		{"twice", `1`},
		{"twice", `"two"`},
		{"nulled", `1`},
		{"nulled", `null`},
		{"unset", `1`},
		{"unset", ``},
		{"never", `null`},
	} {
		sc.add(set(kv[0], kv[1])...)
	}
	want := map[string]json.RawMessage{"stays": json.RawMessage(`{"x":[1,2]}`), "twice": json.RawMessage(`"two"`)}
	check(t, "metadata of the cell", sc.n.Cell("a").Metadata, want)
	check(t, "metadata of the notebook", sc.n.Metadata(), want)
}

func TestNB19AnEventAboutACellThatNeverWasIsMoot(t *testing.T) {
	for _, p := range []event.Payload{
		edited("x", 0, text.Insert(0, "a")), &event.CellMoved{Cell: "x", Order: "R"}, &event.CellDeleted{Cell: "x"},
		&event.CellRestored{Cell: "x"}, &event.CellKindChanged{Cell: "x", Kind: event.KindAI},
		&event.CellLanguageChanged{Cell: "x"}, &event.CellVisibilitySet{Cell: "x"},
		&event.CellMetadataSet{Cell: "x", Key: "k", Value: json.RawMessage(`1`)}, &event.OutputsImported{Cell: "x"},
		requested("r", "x"), &event.CellOutputsCleared{Cells: []event.CellID{"x"}},
	} {
		t.Run(string(p.Type()), func(t *testing.T) { given(t, created("a", "R", "")).moot(MootNotFound, p) })
	}
}

func TestNB13TheOrderOfManyCellsIsThatOfTheirPlaces(t *testing.T) {
	sc := given(t)
	var last order.Place
	var want []event.CellID
	for i := range 100 {
		key, err := order.Between(order.Place{}, last)
		if err != nil {
			t.Fatal(err)
		}
		id := string(rune('a'+i%26)) + string(rune('a'+i/26))
		last = order.Place{Key: key, ID: id}
		sc.add(created(event.CellID(id), key, ""))
		want = append([]event.CellID{event.CellID(id)}, want...)
	}
	check(t, "order", sc.order(), want)
}
