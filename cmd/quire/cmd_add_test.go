package main

import (
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// fold returns the notebook of a log with the payloads.
func fold(t *testing.T, payloads ...event.Payload) *notebook.Notebook {
	t.Helper()
	n := notebook.New()
	for i, p := range payloads {
		e := event.Event{
			Seq: event.Seq(i + 1), ID: event.ID{Client: "test", N: uint64(i + 1)},
			Actor: "person:ada", Time: event.Time(1_700_000_000_000 + 1000*i), Payload: p,
		}
		if _, err := n.Apply(&e, nil); err != nil {
			t.Fatalf("event %d: %v", i+1, err)
		}
	}
	return n
}

func TestAPlaceIsBehindACellOrAtTheEnd(t *testing.T) {
	n := fold(t,
		&event.CellCreated{Cell: "a", Kind: event.KindCode, Order: "A"},
		&event.CellCreated{Cell: "b", Kind: event.KindCode, Order: "B"},
	)
	for name, want := range map[string]int{"": 2, "a": 1, "@2": 2} {
		if got, err := indexAfter(n, name); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", name, got, err, want)
		}
	}
}
