package main

import (
	"errors"
	"fmt"
	"strings"
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

func TestACellIsNamedByIDByItsBeginningOrByPosition(t *testing.T) {
	n := fold(t,
		&event.CellCreated{Cell: "abc1", Kind: event.KindCode, Order: "A"},
		&event.CellCreated{Cell: "abd2", Kind: event.KindCode, Order: "B"},
		&event.CellCreated{Cell: "x", Kind: event.KindCode, Order: "C"},
		&event.CellCreated{Cell: "gone", Kind: event.KindCode, Order: "D"},
		&event.CellDeleted{Cell: "gone"},
		&event.CellCreated{Cell: "good", Kind: event.KindCode, Order: "E"},
		&event.CellDeleted{Cell: "good"},
	)
	for _, c := range []struct {
		name string
		want event.CellID
		code int
	}{
		{"abc1", "abc1", 0},
		{"abc", "abc1", 0},
		{"x", "x", 0},
		{"@1", "abc1", 0},
		{"#3", "x", 0},
		{"ab", "", exitUsage},
		{"", "", exitDenied},
		{"nope", "", exitDenied},
		{"@4", "", exitDenied},
		{"@0", "", exitUsage},
		{"@x", "", exitUsage},
		{"gon", "", exitDenied},
		{"gone", "", exitDenied},
		{"g", "", exitUsage},
	} {
		got, err := findLive(n, c.name)
		if c.code != 0 {
			var f *failure
			if !errors.As(err, &f) || f.code != c.code {
				t.Errorf("%q: got %v, want exit code %d", c.name, err, c.code)
			}
			continue
		}
		if err != nil || got.ID != c.want {
			t.Errorf("%q: got %v, %v, want %s", c.name, got, err, c.want)
		}
	}
	if _, err := findLive(n, "gon"); err == nil || !strings.Contains(err.Error(), "cell gone is deleted; `quire restore NOTEBOOK gone` restores it") {
		t.Errorf("got %v, want how to restore the cell", err)
	}
	if c, err := findCell(n, "gone"); err != nil || !c.Deleted {
		t.Errorf("a deleted cell: got %v, %v, want it by its whole id", c, err)
	}
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

func TestOnlyCellsThatARuntimeTakesAreRun(t *testing.T) {
	n := fold(t,
		&event.CellCreated{Cell: "code", Kind: event.KindCode, Order: "A"},
		&event.CellCreated{Cell: "text", Kind: event.KindMarkdown, Order: "B"},
		&event.CellCreated{Cell: "sql", Kind: event.KindSQL, Order: "C"},
		&event.CellCreated{Cell: "ai", Kind: event.KindAI, Order: "D"},
	)
	if got, want := fmt.Sprint(n.CodeCells()), "[code sql]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := execCells(n, execOptions{cells: []string{"code", "text"}}); err == nil {
		t.Error("got no error for a cell that does not run")
	}
	if _, err := execCells(fold(t), execOptions{all: true}); err == nil {
		t.Error("got no error for a notebook without cells")
	}
}
