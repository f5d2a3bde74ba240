package room_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
)

func TestSY10AClientGetsWhatItLacksInOrderAndWhatComesThen(t *testing.T) {
	for _, since := range []event.Seq{0, 1, 7, 9} {
		d := roomtest.NewFilled(t, 9)
		s := d.Connect("person:ada", access.Viewer, protocol.Hello{Client: "c", Since: since, Fold: notebook.Version})
		d.MustSubmit(roomtest.NewCell("next"), roomtest.NewCell("last"))
		messages := s.Take()
		w := roomtest.Only[*protocol.Welcome](messages)
		if len(w) != 1 || messages[0] != protocol.ToClient(w[0]) || w[0].Seq != since || w[0].Last != 9 || w[0].Snapshot != nil {
			t.Fatalf("since %d: got %v, want first a Welcome from there without a snapshot", since, messages)
		}
		wantSeqs(t, messages, span(since+1, 11))
	}
}

func TestSY10AClientGetsALongLogInSeveralMessagesWithoutGaps(t *testing.T) {
	const n, size = 60, 10 << 10
	d := roomtest.NewSequencer(t, nil)
	for i := range n {
		d.MustSubmit(roomtest.CellWith(event.CellID(fmt.Sprintf("c%d", i)), strings.Repeat("x", size)))
	}
	h := protocol.Hello{Version: protocol.Version, Client: "c"}
	m := &room.Member{Actor: "person:ada", Role: access.Viewer, Out: room.NewOutbox(1 << 30)}
	s := &roomtest.Member{Member: m, Of: d}
	d.Join(t.Context(), m, &h)
	wantSeqs(t, s.Take(), span(1, n))
}

func TestSY11AClientFarBehindGetsASnapshot(t *testing.T) {
	d := roomtest.NewFilled(t, 30)
	s := d.Connect("person:ada", access.Viewer, protocol.Hello{Client: "c", Since: 19, Fold: notebook.Version})
	d.MustSubmit(roomtest.NewCell("next"))
	messages := s.Take()
	w := roomtest.Only[*protocol.Welcome](messages)
	if len(w) != 1 || w[0].Seq != 30 {
		t.Fatalf("got %v, want a Welcome at 30", w)
	}
	book, err := notebook.Restore(w[0].Snapshot)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(book.Cells()); got != 30 {
		t.Errorf("the snapshot has %d cells, want 30", got)
	}
	wantSeqs(t, messages, span(31, 31))
}

func TestSY12EventsComeHoweverManyWhereASnapshotWouldNotDo(t *testing.T) {
	for name, h := range map[string]protocol.Hello{
		"it has pending edits":      {Client: "c", Since: 2, Fold: notebook.Version, Pending: true},
		"it has another fold":       {Client: "c", Since: 2, Fold: notebook.Version + 1},
		"it is not that far behind": {Client: "c", Since: 20, Fold: notebook.Version},
	} {
		t.Run(name, func(t *testing.T) {
			d := roomtest.NewFilled(t, 30)
			messages := d.Connect("person:ada", access.Viewer, h).Take()
			if w := roomtest.Only[*protocol.Welcome](messages); len(w) != 1 || w[0].Snapshot != nil {
				t.Errorf("got %v, want a Welcome without a snapshot", w)
			}
			wantSeqs(t, messages, span(h.Since+1, 30))
		})
	}
}

func TestSY13AClientThatIsBeyondTheLogGetsASnapshot(t *testing.T) {
	for _, pending := range []bool{false, true} {
		d := roomtest.NewFilled(t, 3)
		h := protocol.Hello{Client: "c", Since: 5, Fold: notebook.Version, Pending: pending}
		w := roomtest.Only[*protocol.Welcome](d.Connect("person:ada", access.Viewer, h).Take())
		if len(w) != 1 || w[0].Seq != 3 || w[0].Snapshot == nil {
			t.Errorf("pending %t: got %v, want a Welcome at 3 with a snapshot", pending, w)
		}
	}
}

func TestSY14TheRoomStampsWhatItKnowsItself(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	s := d.AddPerson("c", access.Editor)
	d.Time = 42
	push, err := protocol.DecodeToRoom([]byte(`{"kind":"push","events":[{"id":"c.1","seq":9,"actor":"person:eve","time":1,"type":"CellCreated","payload":{"cell":"a","kind":"code","order":"U"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	d.Receive(t.Context(), s.Member, push)
	d.MustCommit()
	e := d.Logged(0)[0]
	if e.Seq != 1 || e.Actor != "person:c" || e.Time != 42 || e.ID != (event.ID{Client: "c", N: 1}) {
		t.Errorf("got %+v, want number 1 at 42 by person:c", e)
	}
}
