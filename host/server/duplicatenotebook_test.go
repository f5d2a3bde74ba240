package server_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/directory"
)

func TestACopyHasTheCellsAndOutputsAndBelongsToWhoMadeIt(t *testing.T) {
	w := newWorld(t)
	made := w.bookOfCells(t, person(t, "ada"), "Fish", 3)
	w.store.grant(made.ID, "bob", "viewer")
	copied := func(token, body string) directory.Listing {
		var l directory.Listing
		a := w.do(t, request{method: "POST", path: "/api/notebooks/" + made.ID + "/duplicate", token: token, body: body}).want(t, 201)
		a.into(t, &l)
		if got, want := a.header.Get("Location"), "/api/notebooks/"+l.ID; got != want {
			t.Errorf("got Location %q, want %q", got, want)
		}
		return l
	}
	l := copied(person(t, "bob"), `{}`)
	if l.ID == made.ID || l.Title != "Fish copy" || l.Owner != "bob" || l.Role != "owner" {
		t.Errorf("got %+v, want a notebook of bob's", l)
	}
	was, is := w.viewed(t, made.ID, ""), w.viewed(t, l.ID, "")
	was.Notebook.Title = "Fish copy"
	if diff := cmp.Diff(was.Notebook, is.Notebook); diff != "" {
		t.Errorf("notebook (-was +is):\n%s", diff)
	}
	for i := range was.Cells {
		if was.Cells[i].Text.Source != is.Cells[i].Text.Source || was.Cells[i].Count != is.Cells[i].Count || was.Outputs[i].Value.Text != is.Outputs[i].Value.Text {
			t.Errorf("got cell %+v, want %+v", is.Cells[i], was.Cells[i])
		}
	}
	w.do(t, request{method: "PATCH", path: "/api/notebooks/" + l.ID, token: person(t, "bob"), body: `{"title":"Mine"}`}).want(t, 200)
	if got := w.viewed(t, made.ID, "").Notebook.Title; got != "Fish" {
		t.Errorf("got title %q of the first, want it unchanged", got)
	}
	if l := copied(person(t, "ada"), `{"title":"Chips"}`); l.Title != "Chips" {
		t.Errorf("got title %q, want the one asked for", l.Title)
	}
	w.do(t, request{method: "POST", path: "/api/notebooks/" + made.ID + "/duplicate", token: key(t, made.ID, "editor"), body: `{}`}).want(t, 403).problem(t)
	long := request{method: "POST", path: "/api/notebooks/" + made.ID + "/duplicate", token: ownerToken, body: `{"title":"` + strings.Repeat("x", 1025) + `"}`}
	w.do(t, long).want(t, 400).problem(t)
}

func TestACopyOfALongTitleHasItsBeginning(t *testing.T) {
	w := newWorld(t)
	made := w.create(t, ownerToken, strings.Repeat("é", 512))
	var l directory.Listing
	w.do(t, request{method: "POST", path: "/api/notebooks/" + made.ID + "/duplicate", token: ownerToken, body: `{}`}).want(t, 201).into(t, &l)
	if want := strings.Repeat("é", 509) + " copy"; l.Title != want {
		t.Errorf("got %d bytes %.20q, want %d", len(l.Title), l.Title, len(want))
	}
}
