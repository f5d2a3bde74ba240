package event_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

func TestEV5TimeIsAWholeNumberOfMilliseconds(t *testing.T) {
	const form = `{"seq":1,"id":"a.1","actor":"person:ada","time":%s,"type":"AllRunsCancelled","payload":{}}`
	e, err := event.Decode(fmt.Appendf(nil, form, "1760000000123"))
	if err != nil || e.Time != 1_760_000_000_123 {
		t.Errorf("got time %d, %v, want 1760000000123", e.Time, err)
	}
	for _, bad := range []string{"1.5", `"2025-10-09T08:53:20Z"`, `"1760000000123"`, "{}", "9223372036854775808"} {
		if e, err := event.Decode(fmt.Appendf(nil, form, bad)); err == nil {
			t.Errorf("time %s: got %d, want an error", bad, e.Time)
		}
	}
}

func titled(seq event.Seq, at event.Time, title string) *event.Event {
	id := event.ID{Client: "c", N: uint64(seq)}
	return &event.Event{Seq: seq, ID: id, Actor: "person:ada", Time: at, Payload: &event.NotebookTitled{Title: title}}
}

func TestEV5NothingIsOrderedByTime(t *testing.T) {
	n := notebook.New()
	for i, at := range []event.Time{9_000, 10, 0, -5, 8_000} { // a clock may be set back
		if _, err := n.Apply(titled(event.Seq(i+1), at, fmt.Sprint("title ", i)), nil); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := n.Title(), "title 4"; got != want {
		t.Errorf("got %q, want that of the last number, %q", got, want)
	}
}

// epochField returns the epoch of a payload, and false if it has none.
func epochField(p event.Payload) (reflect.Value, bool) {
	v := reflect.ValueOf(p).Elem()
	if v.Kind() != reflect.Struct {
		return reflect.Value{}, false
	}
	f := v.FieldByName("Epoch")
	return f, f.IsValid()
}

func TestEV12WhatARuntimeStatesCarriesItsEpochAndNothingElseDoes(t *testing.T) {
	for _, typ := range event.Types() {
		_, has := epochField(event.New(typ))
		want := access.ActionOf(typ) == access.Execute && typ != "RuntimeStarted" // it gets its epoch from the fold
		if has != want {
			t.Errorf("%s: got an epoch %t, want %t", typ, has, want)
		}
	}
}

func TestEV12AnEpochIsOneOrMore(t *testing.T) {
	seen := 0
	for _, p := range examples() {
		epoch, ok := epochField(p)
		if !ok {
			continue
		}
		seen++
		for n, want := range map[uint64]bool{0: false, 1: true, 1 << 40: true} {
			epoch.SetUint(n)
			if got := p.Check() == nil; got != want {
				t.Errorf("%s with epoch %d: got well formed %t, want %t", p.Type(), n, got, want)
			}
			if data := marshal(t, p); !strings.Contains(data, fmt.Sprintf(`"epoch":%d`, n)) {
				t.Errorf("%s: got %s, want the epoch in it", p.Type(), data)
			}
		}
	}
	if seen == 0 {
		t.Error("got no example with an epoch")
	}
}

func TestEV13AnOutputIsOfOneOfTheKinds(t *testing.T) {
	for _, test := range []struct {
		output event.Output
		want   bool
	}{
		{event.Output{Kind: "stream", Stream: "stdout", Text: "x"}, true},
		{event.Output{Kind: "stream", Stream: "stderr"}, true},
		{event.Output{Kind: "stream", Text: "x"}, false},
		{event.Output{Kind: "stream", Stream: "stdin"}, false},
		{event.Output{Kind: "display"}, true},
		{event.Output{Kind: "result"}, true},
		{event.Output{Kind: "error", Error: &event.Error{}}, true},
		{event.Output{Kind: "error"}, false},
		{event.Output{Kind: "markdown"}, true},
		{event.Output{Kind: "Stream", Stream: "stdout"}, false},
		{event.Output{Kind: "image"}, false},
		{event.Output{}, false},
	} {
		if got := test.output.Check() == nil; got != test.want {
			t.Errorf("%+v: got well formed %t, want %t", test.output, got, test.want)
		}
	}
}

func TestEV13LengthsAreInUTF16CodeUnits(t *testing.T) {
	n := notebook.New()
	for i, p := range []event.Payload{
		&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode},
		&event.CellCreated{Cell: "c", Kind: event.KindCode, Order: "R"},
		&event.RunRequested{Runs: []event.RunOf{{Run: "r", Cell: "c"}}},
		&event.RunAssigned{Run: "r", Epoch: 1},
		&event.RunStarted{Run: "r", Epoch: 1},
		&event.OutputAdded{Output: "o", Run: "r", Epoch: 1, Value: event.Output{Kind: event.OutputStream, Stream: event.Stdout, Text: "é😀"}},
		&event.OutputAppended{Output: "o", Run: "r", Epoch: 1, Drop: 2, Text: "!"},
	} {
		e := event.Event{Seq: event.Seq(i + 1), ID: event.ID{Client: "c", N: uint64(i + 1)}, Payload: p}
		if _, err := n.Apply(&e, nil); err != nil {
			t.Fatalf("%s: %v", p.Type(), err)
		}
	}
	if got, want := n.Output("o").Value().Text, "é!"; got != want {
		t.Errorf("got %q, want %q: the emoji is two units, and the letter before it one", got, want)
	}
}

func TestEV14AnArtifactIsAHashInLowerCaseAndASize(t *testing.T) {
	const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	for _, test := range []struct {
		artifact event.Artifact
		want     bool
	}{
		{event.Artifact{Hash: hash}, true},
		{event.Artifact{Hash: hash, Size: 1 << 40}, true},
		{event.Artifact{Hash: hash, Size: -1}, false},
		{event.Artifact{Hash: strings.ToUpper(hash)}, false},
		{event.Artifact{Hash: hash[1:]}, false},
		{event.Artifact{Hash: hash + "0"}, false},
		{event.Artifact{Hash: "g" + hash[1:]}, false},
		{event.Artifact{Hash: "../" + hash[3:]}, false},
		{event.Artifact{}, false},
	} {
		if got := test.artifact.Check() == nil; got != test.want {
			t.Errorf("%+v: got well formed %t, want %t", test.artifact, got, test.want)
		}
	}
	data := marshal(t, &event.FileAttached{Name: "a", Artifact: event.Artifact{Hash: hash, Size: 4}})
	if want := `"artifact":{"hash":"` + hash + `","size":4}`; !strings.Contains(data, want) {
		t.Errorf("got %s, want %s in it", data, want)
	}
}

func TestEV15AFileNameStaysInsideTheNotebooksFolder(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "data/Größe.csv": true, "..hidden": true, "a/...": true, " ": true, strings.Repeat("n", 255): true,
		"": false, strings.Repeat("n", 256): false, "/a": false, "a/": false, "a//b": false, ".": false, "..": false,
		"a/../b": false, "./a": false, `a\b`: false, "a\x00b": false, "a\xff": false,
	} {
		attached := &event.FileAttached{Name: name, Artifact: png()}
		if got := attached.Check() == nil; got != want {
			t.Errorf("attached %q: got well formed %t, want %t", name, got, want)
		}
		if got := (&event.FileRemoved{Name: name}).Check() == nil; got != want {
			t.Errorf("removed %q: got well formed %t, want %t", name, got, want)
		}
	}
}
