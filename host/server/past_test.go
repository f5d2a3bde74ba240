package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/text"
	"github.com/quirehq/quire/host/server"
)

const past = "hunter2-sesame"

// pastBook makes a notebook with a text that only its history has: in a source, in metadata, in a
// deleted cell with an output, and in the source of a run.
func (w *world) pastBook(t *testing.T) (owner *peer, last event.Seq) {
	t.Helper()
	w.book("b1")
	rt := w.joinAs(t, "b1", runtime(t, "b1", "r1"), helloOf("runtime", "r1"))
	rt.committed(rt.push(&event.RuntimeStarted{Runtime: "r1", Takes: event.TakesCode})[0])
	owner = w.join(t, "b1", ownerToken, "owner")
	output := event.Output{Kind: event.OutputStream, Stream: event.Stdout, Text: past}
	owner.committed(owner.push(
		created("edited", past), created("deleted", past), created("stays", "present text"),
		&event.OutputsImported{Cell: "deleted", Outputs: []event.Output{output}},
		&event.CellMetadataSet{Cell: "deleted", Key: "k", Value: json.RawMessage(`"` + past + `"`)},
		&event.NotebookMetadataSet{Key: "k", Value: json.RawMessage(`"` + past + `"`)},
		&event.RunRequested{Runs: []event.RunOf{{Run: "run1", Cell: "edited"}}},
	)[6])
	rt.committed(rt.push(
		&event.RunAssigned{Run: "run1", Epoch: 1}, &event.RunStarted{Run: "run1", Epoch: 1},
		&event.RunFinished{Run: "run1", Epoch: 1, Status: event.StatusOK})[2])
	e := owner.committed(owner.push(
		&event.SourceEdited{Cell: "edited", Edit: text.Replace(0, len(past), "new")},
		&event.NotebookMetadataSet{Key: "k", Value: json.RawMessage(`1`)},
		&event.CellDeleted{Cell: "deleted"},
	)[2])
	return owner, e.Seq
}

// hears joins with a hello and returns all that comes up to the event with a title that is
// stated once it is there.
func (w *world) hears(t *testing.T, owner *peer, token string, h protocol.Hello) []byte {
	t.Helper()
	p := w.open(t, "b1", token)
	p.hello(h)
	first, err := p.Receive(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	all, title := first, "Title for "+string(h.Client)
	owner.titled(title)
	for !bytes.Contains(all, []byte(title)) {
		data, err := p.Receive(soon(t))
		if err != nil {
			t.Fatalf("%v after %s", err, all)
		}
		all = append(all, data...)
	}
	return all
}

func TestAC63OnlyWhoMaySeesWhatWas(t *testing.T) {
	w := newWorld(t, func(c *server.Config) { c.HistoryFor = access.Editor })
	owner, last := w.pastBook(t)
	n := 0
	for _, token := range []string{person(t, "viewer"), person(t, "runner"), key(t, "b1", access.Viewer), key(t, "b1", access.Runner)} {
		for _, path := range []string{"/log", "/log?after=1", "/view", "/view?cells=500", "/export?format=ipynb", "/export?format=py"} {
			a := w.do(t, request{method: "GET", path: "/api/notebooks/b1" + path, token: token})
			switch {
			case strings.Contains(a.body, past):
				t.Errorf("%s: got %s", path, a.body)
			case strings.HasPrefix(path, "/log"):
				if a.want(t, 403); !strings.Contains(a.problem(t).Detail, "editor") {
					t.Errorf("got %s, want that editors may", a.body)
				}
			case !strings.Contains(a.body, "present text"):
				t.Errorf("%s: got %s, want what is there", path, a.body)
			}
		}
		for _, h := range []protocol.Hello{{}, {Since: 1}, {Since: last - 1}, {Since: last - 1, Pending: true}, {Pending: true}, {Since: 1 << 40}} {
			n++
			h.Client, h.Fold = event.ClientID(fmt.Sprintf("c%d", n)), notebook.Version
			all := w.hears(t, owner, token, h)
			if bytes.Contains(all, []byte(past)) || !bytes.Contains(all, []byte("present text")) {
				t.Errorf("hello since %d, pending %v: got %s", h.Since, h.Pending, all)
			}
		}
	}
	for _, token := range []string{ownerToken, person(t, "editor"), key(t, "b1", access.Editor), runtime(t, "b1", "r1")} {
		a := w.do(t, request{method: "GET", path: "/api/notebooks/b1/log", token: token}).want(t, 200)
		if !strings.Contains(a.body, past) {
			t.Errorf("got a log of %d bytes, want all of it", len(a.body))
		}
	}
	if all := w.hears(t, owner, person(t, "editor"), protocol.Hello{Client: "editor"}); !bytes.Contains(all, []byte(past)) {
		t.Error("an editor was not sent the log")
	}
}

func TestSY16WhoMayNotSeeWhatWasGetsARestoredCell(t *testing.T) {
	w := newWorld(t, func(c *server.Config) { c.HistoryFor = access.Editor })
	owner, _ := w.pastBook(t)
	hello := protocol.Hello{Client: "viewer", Fold: notebook.Version}
	p := w.joinAs(t, "b1", person(t, "viewer"), hello)
	owner.committed(owner.push(&event.CellRestored{Cell: "deleted"})[0])
	if msg, ok := p.ended().(*protocol.Resume); !ok {
		t.Fatalf("got %v, want to be told to connect again", msg)
	}
	hello.Since = p.welcome.Last
	p = w.joinAs(t, "b1", person(t, "viewer"), hello)
	book, err := notebook.Restore(p.welcome.Snapshot)
	if err != nil {
		t.Fatal(err)
	}
	if got := book.Cell("deleted"); got.Deleted || got.Source() != past || len(got.Outputs) != 1 {
		t.Errorf("got cell %+v, want all of it", got)
	}
}

func TestSY16AnOldClientThatWouldNeedTheLogIsClosed(t *testing.T) {
	w := newWorld(t, func(c *server.Config) { c.HistoryFor = access.Editor })
	w.pastBook(t)
	p := w.open(t, "b1", person(t, "viewer"))
	p.hello(protocol.Hello{Client: "old", Fold: notebook.Version - 1})
	if msg, ok := p.ended().(*protocol.Closed); !ok || msg.Code != protocol.CodeVersion {
		t.Errorf("got %v, want it closed for its version", msg)
	}
}

func TestAC63ByDefaultAllWhoMayReadSeeTheHistory(t *testing.T) {
	w := newWorld(t)
	owner, _ := w.pastBook(t)
	if all := w.hears(t, owner, person(t, "viewer"), protocol.Hello{Client: "v"}); !bytes.Contains(all, []byte(past)) {
		t.Error("a viewer was not sent the log")
	}
	w.do(t, request{method: "GET", path: "/api/notebooks/b1/log", token: person(t, "viewer")}).want(t, 200)
}
