package main

import (
	"fmt"
	"testing"

	"github.com/quirehq/quire/core/event"
)

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
