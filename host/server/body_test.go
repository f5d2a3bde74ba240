package server_test

import (
	"net/http"
	"testing"

	"github.com/quirehq/quire/host/server"
)

func TestABodyThatIsNotTakenIsExplainedInTheWordsOfJSON(t *testing.T) {
	w := newWorld(t, func(*server.Config) {})
	for body, want := range map[string]string{
		` `:                  "it is empty",
		`{`:                  "it ends too early",
		`<html>`:             "it is not JSON from byte 1 on",
		`[]`:                 "it is a JSON array, where an object is wanted",
		`{"title":3}`:        `"title" may not be a number`,
		`{"titel":"x"}`:      `unknown field "titel"`,
		`{"title":"x"} more`: "there is more behind the JSON value",
	} {
		a := w.do(t, request{method: http.MethodPost, path: "/api/notebooks", token: person(t, "owner"), body: body})
		if got := a.problem(t).Detail; a.status != http.StatusBadRequest || got != "the body does not fit this route: "+want {
			t.Errorf("%s: got %d, %q, want it to end with %q", body, a.status, got, want)
		}
	}
	w.book("b1")
	a := w.do(t, request{method: http.MethodPatch, path: "/api/notebooks/b1", token: person(t, "owner"), body: `{"title":""}`})
	if got := a.problem(t).Detail; a.status != http.StatusBadRequest || got != "title is missing" {
		t.Errorf("got %d, %q, want no name of an event", a.status, got)
	}
}
