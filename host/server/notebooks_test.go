package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/host/server"
)

func (w *world) create(t *testing.T, token, title string) directory.Listing {
	t.Helper()
	body, err := json.Marshal(server.NewNotebook{Title: title})
	if err != nil {
		t.Fatal(err)
	}
	a := w.do(t, request{method: "POST", path: "/api/notebooks", token: token, body: string(body)}).want(t, 201)
	var made directory.Listing
	a.into(t, &made)
	if got, want := a.header.Get("Location"), "/api/notebooks/"+made.ID; got != want {
		t.Errorf("got Location %q, want %q", got, want)
	}
	return made
}

// events reads the whole log of a notebook through the API.
func (w *world) events(t *testing.T, id, query string) []event.Event {
	t.Helper()
	a := w.do(t, request{method: "GET", path: "/api/notebooks/" + id + "/log" + query, token: ownerToken}).want(t, 200)
	var events []event.Event
	for line := range strings.Lines(a.body) {
		e, err := event.Decode([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}

func TestANewNotebookBelongsToItsMakerAndItsLogBeginsWithItsTitle(t *testing.T) {
	w := newWorld(t)
	made := w.create(t, person(t, "ada"), "Fish & <b>chips</b>")
	if made.Owner != "ada" || made.Role != access.Owner || made.Title != "Fish & <b>chips</b>" || made.Created == 0 {
		t.Errorf("got %+v", made)
	}
	got := w.events(t, made.ID, "")
	if len(got) != 1 || got[0].Actor != "person:ada" {
		t.Fatalf("got %v, want one event by ada", got)
	}
	if diff := cmp.Diff(got[0].Payload, event.Payload(&event.NotebookTitled{Title: made.Title})); diff != "" {
		t.Errorf("got-, want+\n%s", diff)
	}
	var read directory.Listing
	w.do(t, request{method: "GET", path: "/api/notebooks/" + made.ID, token: person(t, "ada")}).want(t, 200).into(t, &read)
	read.Updated, read.Cells = made.Updated, made.Cells // by the log a moment later
	if diff := cmp.Diff(read, made); diff != "" {
		t.Errorf("got-, want+\n%s", diff)
	}
}

func TestATitleIsRenamedThroughTheLog(t *testing.T) {
	w := newWorld(t)
	made := w.create(t, ownerToken, "Old")
	p := w.join(t, made.ID, ownerToken, "c1")
	var renamed directory.Listing
	w.do(t, request{method: "PATCH", path: "/api/notebooks/" + made.ID, token: ownerToken, body: `{"title":"New"}`}).
		want(t, 200).into(t, &renamed)
	for {
		events := next[*protocol.Events](p).Events
		if titled, ok := events[len(events)-1].Payload.(*event.NotebookTitled); ok && titled.Title == "New" {
			break
		}
	}
	if got, want := w.store.log(made.ID).Title(), "New"; got != want || renamed.Title != want {
		t.Errorf("got %q and %q, want %q", got, renamed.Title, want)
	}
	w.do(t, request{method: "PATCH", path: "/api/notebooks/" + made.ID, token: ownerToken, body: `{"title":""}`}).want(t, 400).problem(t)
}

func TestADeletedNotebookCanOnlyBeRestoredOrPurged(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	w.do(t, request{method: "DELETE", path: "/api/notebooks/b1", token: ownerToken}).want(t, 204)
	for _, route := range w.Routes() {
		if strings.HasPrefix(route.Path, "/api/notebooks/{id}") && !strings.HasSuffix(route.Path, "restore") && !strings.HasSuffix(route.Path, "purge") {
			w.do(t, requestFor(t, route, "server", "b1", permissions[route].body)).want(t, 404).problem(t)
		}
	}
	w.do(t, request{method: "POST", path: "/api/notebooks/b1/restore", token: ownerToken}).want(t, 200)
	w.do(t, request{method: "GET", path: "/api/notebooks/b1", token: ownerToken}).want(t, 200)
}

func TestANotebookThatCannotBeWrittenIsNotLeftBehind(t *testing.T) {
	w := newWorld(t)
	w.store.failAppends(room.ErrUnavailable)
	w.do(t, request{method: "POST", path: "/api/notebooks", token: ownerToken, body: `{"title":"x"}`}).want(t, 503).problem(t)
	w.store.failAppends(nil)
	var l server.NotebookList
	w.do(t, request{method: "GET", path: "/api/notebooks", token: ownerToken}).want(t, 200).into(t, &l)
	if len(l.Notebooks) != 0 {
		t.Errorf("got %v, want none", l.Notebooks)
	}
}

func TestTheLogIsReadInPages(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	p := w.join(t, "b1", ownerToken, "c1")
	var all []event.Payload
	for i := range 25 {
		all = append(all, &event.NotebookTitled{Title: fmt.Sprint(i)})
	}
	ids := p.push(all...)
	p.committed(ids[len(ids)-1])
	var after event.Seq
	for page, want := range []int{10, 10, 5, 0} {
		got := w.events(t, "b1", fmt.Sprintf("?limit=10&after=%d", after))
		if len(got) != want {
			t.Fatalf("page %d: got %d events, want %d", page, len(got), want)
		}
		for _, e := range got {
			if after++; e.Seq != after {
				t.Fatalf("got event %d, want %d", e.Seq, after)
			}
		}
	}
	for _, bad := range []string{"?after=-1", "?after=x", "?limit=0", "?limit=10001", "?after=99999999999999999999"} {
		w.do(t, request{method: "GET", path: "/api/notebooks/b1/log" + bad, token: ownerToken}).want(t, 400).problem(t)
	}
}

func TestALogThatCannotBeReadIsAProblem(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	old := w.store.log("b1")
	w.store.crash("b1")
	w.store.put("b1", old)
	w.do(t, request{method: "GET", path: "/api/notebooks/b1/log", token: ownerToken}).want(t, 503).problem(t)
}

func TestStoppingARuntimeIsAnEvent(t *testing.T) {
	w := newWorld(t)
	w.bookWithRuntime(t, "b1")
	p := w.join(t, "b1", ownerToken, "c1")
	del := request{method: "DELETE", path: "/api/notebooks/b1/runtime", token: person(t, "editor")}
	w.do(t, del).want(t, 204)
	got := w.events(t, "b1", "?after=1")
	want := &event.RuntimeStopped{Runtime: "r1", Epoch: 1, Reason: event.StopShutdown}
	if len(got) != 1 || got[0].Actor != "person:editor" || !cmp.Equal(got[0].Payload, event.Payload(want)) {
		t.Errorf("got %+v, want %+v by the editor", got, want)
	}
	w.do(t, del).want(t, 404).problem(t)
	next[*protocol.Events](p)
}
