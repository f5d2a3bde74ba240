package view_test

import (
	"encoding/json"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
	"github.com/quirehq/quire/core/view"
)

// behind returns a table whose replica has folded less than the room has appended, and is not connected.
func behind(t *testing.T) *table {
	t.Helper()
	tb := &table{t: t, room: notebook.New(), r: replica.New("me"), pages: view.NewPages()}
	tb.receive(&protocol.Welcome{Version: protocol.Version, Actor: "person:me", Role: access.Editor, Last: 9})
	tb.create("a")
	if tb.r.Online() {
		t.Fatal("the replica has all that there is, want less")
	}
	return tb
}

func (tb *table) create(id event.CellID) {
	tb.t.Helper()
	key, err := tb.room.Between(len(tb.room.Cells()))
	if err != nil {
		tb.t.Fatal(err)
	}
	tb.must(&event.CellCreated{Cell: id, Kind: event.KindCode, Order: key, Source: "x"})
}

func TestAPageIsNotShownWhatIsOlderThanWhatItHas(t *testing.T) {
	tb := behind(t)
	page := tb.pages.Open()
	page.Seen(3)
	if b := page.Take(tb.r, view.Link{}); b != nil {
		t.Errorf("got %+v of number 1, want nothing for a page that has seen 3", b)
	}
	tb.create("b")
	tb.create("c")
	b := page.Take(tb.r, view.Link{})
	if b == nil || !b.Reset || len(b.Cells) != 3 || b.Status == nil || b.Status.Seq != 3 {
		t.Fatalf("got %+v, want everything at number 3", b)
	}
}

func TestAPageIsShownWhatThereIsWhenNothingNewerCanCome(t *testing.T) {
	for name, c := range map[string]struct {
		link view.Link
		last event.Seq
	}{
		"without a connection":            {link: view.Link{Trouble: "away"}, last: 9},
		"when the server ended it":        {link: view.Link{Closed: &protocol.Closed{Code: protocol.CodeForbidden}}, last: 9},
		"of a log that lost what it had":  {last: 1},
		"of a page that has seen nothing": {last: 1},
	} {
		t.Run(name, func(t *testing.T) {
			tb := &table{t: t, room: notebook.New(), r: replica.New("me"), pages: view.NewPages()}
			tb.receive(&protocol.Welcome{Version: protocol.Version, Actor: "person:me", Role: access.Editor, Last: c.last})
			tb.create("a")
			page := tb.pages.Open()
			page.Seen(3)
			if b := page.Take(tb.r, c.link); b == nil || len(b.Cells) != 1 {
				t.Errorf("got %+v, want the cell that there is", b)
			}
		})
	}
}

func TestARowComesAgainOnlyWhenItSaysSomethingElse(t *testing.T) {
	tb := newTable(t)
	tb.create("a")
	page := tb.pages.Open()
	page.Take(tb.r, view.Link{})

	tb.types("a", text.Insert(1, "y"))
	if !page.Pressing(tb.r.View()) {
		t.Error("an edit is not pressing")
	}
	if b := page.Take(tb.r, view.Link{}); len(b.Texts) != 1 || len(b.Cells) != 0 {
		t.Errorf("got %d edits and %d rows for a key, want the edit alone", len(b.Texts), len(b.Cells))
	}
	tb.must(&event.CellMetadataSet{Cell: "a", Key: "k", Value: json.RawMessage(`1`)})
	if !page.Pressing(tb.r.View()) {
		t.Error("metadata is not pressing")
	}
	if b := page.Take(tb.r, view.Link{}); len(b.Cells) != 1 || b.Cells[0].Text != nil {
		t.Errorf("got %+v, want the row with the metadata", b.Cells)
	}
}

func TestHowTheReplicaStandsIsNotPressing(t *testing.T) {
	tb := newTable(t)
	tb.create("a")
	page := tb.pages.Open()
	page.Take(tb.r, view.Link{})
	tb.types("a", text.Insert(1, "y"))
	page.Take(tb.r, view.Link{})

	sent := tb.r.Outgoing()
	for _, d := range sent[len(sent)-1].(*protocol.Push).Events {
		tb.take(d, "person:me")
	}
	tb.deliver()
	if page.Pressing(tb.r.View()) {
		t.Error("the acknowledgement of an edit is pressing")
	}
	b := page.Take(tb.r, view.Link{})
	if b == nil || b.Status == nil || b.Status.Pending != 0 || len(b.Cells)+len(b.Texts) != 0 {
		t.Errorf("got %+v, want that nothing is pending", b)
	}
}
