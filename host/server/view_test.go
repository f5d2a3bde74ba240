package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/view"
)

// bookOfCells makes a notebook with so many cells, each with a source, an output and
// some metadata, as it comes from a file.
func (w *world) bookOfCells(t *testing.T, token, title string, n int) directory.Listing {
	t.Helper()
	type object = map[string]any
	cells := []object{}
	for i := range n {
		cells = append(cells, object{
			"cell_type": "code", "id": fmt.Sprint("cell", i), "source": fmt.Sprint("print(", i, ")"),
			"metadata": object{"n": i}, "execution_count": i + 1,
			"outputs": []object{{"output_type": "stream", "name": "stdout", "text": fmt.Sprint(i, "\n")}},
		})
	}
	file, err := json.Marshal(object{
		"nbformat": 4, "nbformat_minor": 5, "cells": cells,
		"metadata": object{"title": title, "kernelspec": object{"name": "r", "language": "R", "display_name": "R"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var made directory.Listing
	w.do(t, request{method: "POST", path: "/api/notebooks/import", token: token, body: string(file)}).want(t, 201).into(t, &made)
	return made
}

// viewed reads the first rows of a notebook.
func (w *world) viewed(t *testing.T, id, query string) view.Batch {
	t.Helper()
	var b view.Batch
	w.do(t, request{method: "GET", path: "/api/notebooks/" + id + "/view" + query, token: ownerToken}).want(t, 200).into(t, &b)
	return b
}

func TestTheFirstRowsAreThoseOfTheRoomOrOfTheLog(t *testing.T) {
	w := newWorld(t)
	made := w.bookOfCells(t, ownerToken, "Fish", 60)
	open := w.viewed(t, made.ID, "")
	if open.Notebook.Title != "Fish" || open.Notebook.Language != "r" || len(open.Notebook.Cells) != 60 || !open.Reset || !open.Partial {
		t.Errorf("got %+v of %+v, want the notebook and a part of its cells", open.Notebook, open)
	}
	if len(open.Cells) != 40 || len(open.Outputs) != 40 || open.Status == nil || open.Status.Seq == 0 {
		t.Fatalf("got %d cells, %d outputs and %v, want 40 and where the log was", len(open.Cells), len(open.Outputs), open.Status)
	}
	if got, want := open.Cells[39].Text.Source, "print(39)"; got != want {
		t.Errorf("got source %q, want %q", got, want)
	}

	w = w.again(t)
	if diff := cmp.Diff(open, w.viewed(t, made.ID, "")); diff != "" {
		t.Errorf("without a room (-in one +without):\n%s", diff)
	}
	w.eventually(t, "quire_rooms 0")
}

func TestTheFirstRowsAreAsManyAsAskedFor(t *testing.T) {
	w := newWorld(t)
	made := w.bookOfCells(t, ownerToken, "Fish", 3)
	for query, want := range map[string]int{"?cells=1": 1, "?cells=3": 3, "?cells=500": 3} {
		b := w.viewed(t, made.ID, query)
		if len(b.Cells) != want || b.Partial != (want < 3) {
			t.Errorf("%s: got %d cells, partial: %v, want %d", query, len(b.Cells), b.Partial, want)
		}
	}
	for _, bad := range []string{"0", "-1", "501", "x", "1e2", "99999999999999999999"} {
		w.do(t, request{method: "GET", path: "/api/notebooks/" + made.ID + "/view?cells=" + bad, token: ownerToken}).want(t, 400).problem(t)
	}
}

func TestTheFirstRowsAreReadWhileTheNotebookChanges(t *testing.T) {
	w := newWorld(t)
	made := w.bookOfCells(t, ownerToken, "Fish", 5)
	p := w.join(t, made.ID, ownerToken, "c1")
	var all []event.Payload
	for i := range 200 {
		value := fmt.Appendf(nil, "%d", i)
		all = append(all, metadata("k", value), &event.CellMetadataSet{Cell: "cell1", Key: fmt.Sprint("k", i), Value: value})
	}
	ids := p.push(all...)
	for range 20 {
		w.viewed(t, made.ID, "")
	}
	p.committed(ids[len(ids)-1])
	if got, want := string(w.viewed(t, made.ID, "").Notebook.Metadata["k"]), "199"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFirstRowsThatCannotBeReadAreAProblem(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	old := w.store.log("b1")
	w.store.crash("b1")
	w.store.put("b1", old)
	w.do(t, request{method: "GET", path: "/api/notebooks/b1/view", token: ownerToken}).want(t, 503).problem(t)
}

func TestTheFirstRowsOfALargeNotebookAreFewer(t *testing.T) {
	w := newWorld(t)
	made := w.bookOfCells(t, ownerToken, "Fish", 5)
	p := w.join(t, made.ID, ownerToken, "c1")
	large := func(n int) []byte { return []byte(`"` + strings.Repeat("x", n<<20) + `"`) }
	for _, e := range []event.Payload{
		metadata("large", large(9)),
		&event.CellMetadataSet{Cell: "cell1", Key: "k", Value: large(1)},
		&event.CellMetadataSet{Cell: "cell2", Key: "k", Value: large(9)},
	} {
		p.committed(p.push(e)[0])
	}
	a := w.do(t, request{method: "GET", path: "/api/notebooks/" + made.ID + "/view", token: ownerToken}).want(t, 200)
	if got := len(a.body); got > 9<<20 {
		t.Errorf("got %d bytes, want 8 MiB at most", got)
	}
	b := w.viewed(t, made.ID, "")
	if !b.Partial || len(b.Cells) == 0 || len(b.Cells) >= 5 || len(b.Notebook.Metadata) != 0 || len(b.Notebook.Cells) != 5 {
		t.Errorf("got %d of %d cells, partial: %v, with %d keys of metadata", len(b.Cells), len(b.Notebook.Cells), b.Partial, len(b.Notebook.Metadata))
	}
}
