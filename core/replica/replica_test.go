package replica_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
	"github.com/quirehq/quire/core/text"
)

// guest is a replica with its seat of a room, between which a test carries messages.
type guest struct {
	*replica.Replica
	seat *roomtest.Member
}

// guest seats a replica, and brings it up to date.
func newGuest(d *roomtest.Sequencer, r *replica.Replica) *guest {
	d.T.Helper()
	g := &guest{Replica: r}
	g.connect(d)
	g.receive()
	return g
}

// connect says hello, and takes no answer yet.
func (g *guest) connect(d *roomtest.Sequencer) {
	d.T.Helper()
	h := g.Hello()
	role := access.Editor
	if h.Runtime != "" {
		role = access.Owner
	}
	g.seat = d.Connect("person:"+event.Actor(h.Client), role, *h)
}

// cut loses the connection with all that is under way to the replica.
func (g *guest) cut() {
	g.seat.Of.Leave(g.seat.Member)
	g.Disconnected()
}

// send lets the room receive what the replica has to send.
func (g *guest) send() {
	for _, msg := range g.Outgoing() {
		g.seat.Of.Receive(g.seat.Of.T.Context(), g.seat.Member, msg)
	}
}

// receive gives the replica what the room has for it.
func (g *guest) receive() replica.Update {
	g.seat.Of.T.Helper()
	return roomtest.Feed(g.seat.Of.T, g.Replica, g.seat.Take())
}

// do makes an event that must not be refused by the replica itself.
func (g *guest) do(p event.Payload) event.ID {
	g.seat.Of.T.Helper()
	id, _, err := g.Do(p)
	if err != nil {
		g.seat.Of.T.Fatal(err)
	}
	return id
}

// types inserts a text into a cell.
func (g *guest) types(cell event.CellID, at int, s string) event.ID {
	g.seat.Of.T.Helper()
	id, _, err := g.Edit(cell, text.Insert(at, s))
	if err != nil {
		g.seat.Of.T.Fatal(err)
	}
	return id
}

// wantView wants a cell of the view to have a text.
func (g *guest) wantView(cell event.CellID, want string) {
	g.seat.Of.T.Helper()
	if got := g.View().Cell(cell).Source(); got != want {
		g.seat.Of.T.Errorf("view: got %q, want %q", got, want)
	}
}

// drafts returns the events of what the replica has to send.
func drafts(messages []protocol.ToRoom) []event.Draft {
	var all []event.Draft
	for _, msg := range messages {
		if push, ok := msg.(*protocol.Push); ok {
			all = append(all, push.Events...)
		}
	}
	return all
}

func TestSY50TheViewHasWhatIsPendingAndWhatIsConfirmedHasNot(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.CellWith("c", "a"))
	g := newGuest(d, replica.New("g"))
	id := g.types("c", 1, "b")
	g.wantView("c", "ab")
	if got := g.Confirmed().Cell("c").Source(); got != "a" || !g.IsPending(id) || g.Pending() != 1 {
		t.Errorf("confirmed: got %q with %d pending, want a with 1", got, g.Pending())
	}
	g.send()
	d.MustCommit()
	up := g.receive()
	if len(up.Committed) != 1 || g.IsPending(id) || g.View() != g.Confirmed() {
		t.Errorf("got %d committed and %d pending, want it confirmed", len(up.Committed), g.Pending())
	}
	g.wantView("c", "ab")
}

func TestSY50WhatIsMalformedMootOrNotAllowedIsNotMade(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	g := newGuest(d, replica.New("g"))
	for name, p := range map[string]event.Payload{
		"malformed":   &event.NotebookMetadataSet{},
		"moot":        &event.CellDeleted{Cell: "none"},
		"not allowed": &event.NotebookTitled{Title: "an editor may not"},
		"no cell":     roomtest.Insert("none", 0, 0, "x"),
	} {
		if _, _, err := g.Do(p); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if g.Pending() != 0 || g.View() != g.Confirmed() {
		t.Errorf("got %d pending, want none", g.Pending())
	}
}

func TestSY50NobodyIsKnownBeforeTheWelcome(t *testing.T) {
	r := replica.New("g")
	if r.Actor() != "" || r.Role() != "" || r.Online() {
		t.Errorf("got %q, %q and online %t, want nothing", r.Actor(), r.Role(), r.Online())
	}
	if _, _, err := r.Do(roomtest.NewCell("c")); err != nil {
		t.Fatal(err)
	}
	if got := r.View().Cell("c").Author; got != "" {
		t.Errorf("got author %q, want none yet", got)
	}
	d := roomtest.NewSequencer(t, nil)
	g := newGuest(d, r)
	g.send()
	d.MustCommit()
	g.receive()
	if got := g.View().Cell("c").Author; got != "person:g" || g.Role() != access.Editor {
		t.Errorf("got author %q and role %q, want what the room says", got, g.Role())
	}
}

func TestSY51KeystrokesThatWereNotSentAreOneEvent(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.NewCell("c"), roomtest.NewCell("e"))
	g := newGuest(d, replica.New("g"))
	g.cut()
	first := g.types("c", 0, "h")
	for i, s := range []string{"e", "l", "l", "o"} {
		if got := g.types("c", i+1, s); got != first {
			t.Errorf("got event %s, want %s to take it in", got, first)
		}
	}
	g.types("e", 0, "x")
	g.types("c", 5, "!") // behind another event, so that it is one of its own
	g.wantView("c", "hello!")
	g.connect(d)
	g.receive()
	got := drafts(g.Outgoing())
	if len(got) != 3 || !got[0].Payload.(*event.SourceEdited).Edit.Equal(text.Insert(0, "hello")) {
		t.Errorf("got %v, want hello, x and !", got)
	}
}

func TestSY52AnEditThatWasTriedTakesInNoMore(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.NewCell("c"))
	g := newGuest(d, replica.New("g"))
	first := g.types("c", 0, "a")
	g.send()
	d.MustCommit()
	g.cut() // with the acknowledgement under way
	if second := g.types("c", 1, "b"); second == first {
		t.Fatalf("got event %s extended, though the room may have it", second)
	}
	g.connect(d)
	g.receive()
	g.send()
	d.MustCommit()
	g.receive()
	g.wantView("c", "ab")
	if got := d.Source("c"); got != "ab" || g.Pending() != 0 {
		t.Errorf("got %q with %d pending, want ab", got, g.Pending())
	}
}

func TestSY53PendingEditsAndCaretsMoveOverWhatOthersTyped(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.CellWith("c", "abc"))
	g, other := newGuest(d, replica.New("g")), newGuest(d, replica.New("other"))
	g.types("c", 0, "XX")
	other.types("c", 0, "1")
	other.types("c", 4, "9")
	other.send()
	d.MustCommit()
	up := g.receive()
	g.wantView("c", "1XXabc9")
	want := text.Insert(0, "1")
	both, err := text.Compose(want, text.Insert(6, "9"))
	if err != nil {
		t.Fatal(err)
	}
	if len(up.Edits) != 1 || up.Edits[0].Cell != "c" || !up.Edits[0].Edit.Equal(both) {
		t.Errorf("got edits %v, want %v as it fits the view", up.Edits, both)
	}
	g.send()
	d.MustCommit()
	if up := g.receive(); len(up.Edits) != 0 {
		t.Errorf("got edits %v for its own, want none", up.Edits)
	}
	if got, want := d.Source("c"), "1XXabc9"; got != want {
		t.Errorf("room: got %q, want %q", got, want)
	}
}

func TestSY54ARefusedEventIsTakenBackAndKept(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.NewCell("c"))
	g, other := newGuest(d, replica.New("g")), d.AddPerson("other", access.Editor)
	other.Push(&event.CellDeleted{Cell: "c"})
	id := g.do(&event.CellDeleted{Cell: "c"})
	g.do(roomtest.NewCell("fine"))
	g.send()
	d.MustCommit()
	up := g.receive()
	if got := g.Refused(); len(got) != 1 || got[0].ID != id || got[0].Code != protocol.CodeConflict || got[0].Message == "" {
		t.Errorf("got %+v, want that %s was refused as conflict", got, id)
	}
	if got := g.Refused(); len(got) != 0 {
		t.Errorf("asked again: got %v, want nothing new", got)
	}
	if len(up.Changes) == 0 || g.Pending() != 0 || g.View().Cell("fine") == nil {
		t.Errorf("got %d pending and %d changes, want the other event confirmed", g.Pending(), len(up.Changes))
	}
}

func TestSY54WithARefusedEditThoseBehindItAreTakenBack(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.CellWith("c", "a"), roomtest.NewCell("e"))
	g := newGuest(d, replica.New("g"))
	first := g.types("c", 1, "1")
	g.send()
	second := g.types("c", 2, "2")
	kept := g.types("e", 0, "x")
	_, err := g.Receive(&protocol.Refused{ID: first, Code: protocol.CodeInvalid, Message: "no"})
	if err == nil {
		t.Error("got no error, want the connection given up")
	}
	g.wantView("c", "a")
	g.wantView("e", "x")
	got := g.Refused()
	if len(got) != 2 || got[0].ID != first || got[1].ID != second || !g.IsPending(kept) {
		t.Errorf("got %+v, want both edits of the cell and not the other", got)
	}
}

func TestSY54ARefusalOfACopyTakesNothingBack(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.NewCell("c"))
	g := newGuest(d, replica.New("g"))
	id := g.types("c", 0, "x")
	g.send()
	up, err := g.Receive(&protocol.Refused{ID: id, Code: protocol.CodeDuplicate})
	if err != nil || len(up.Changes) != 0 || !g.IsPending(id) {
		t.Errorf("got %v and %v, want the event still pending", up, err)
	}
}

func TestSY55AnEventThatWasRefusedInSilenceIsSentUnderANewID(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	g, other := newGuest(d, replica.New("g")), d.AddPerson("other", access.Editor)
	refused := g.do(roomtest.NewCell("c"))
	taken := g.do(roomtest.NewCell("fine"))
	other.Push(roomtest.NewCell("c"), &event.CellDeleted{Cell: "fine"})
	g.send()
	d.MustCommit()
	g.cut() // the refusal is lost
	g.connect(d)
	g.receive()
	if g.IsPending(taken) || !g.IsPending(refused) {
		t.Fatalf("got %d pending, want the refused one only", g.Pending())
	}
	g.send()
	d.MustCommit()
	g.receive()
	got := g.Refused()
	if len(got) != 1 || got[0].ID != refused || got[0].Draft.ID == refused || got[0].Code != protocol.CodeConflict {
		t.Errorf("got %+v, want that %s was refused as conflict under a new id", got, refused)
	}
	if next := g.do(roomtest.NewCell("next")); next.N <= got[0].Draft.ID.N {
		t.Errorf("got %s for the next event, want one after %s", next, got[0].Draft.ID)
	}
}

func TestSY56NoMoreThanTheWindowIsAhead(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	g := newGuest(d, replica.New("g"))
	for i := range 2*protocol.Window + 10 {
		g.do(roomtest.NewCell(event.CellID(fmt.Sprintf("c%d", i))))
	}
	for _, want := range []int{protocol.Window, protocol.Window, 10, 0} {
		out := g.Outgoing()
		if got := len(drafts(out)); got != want {
			t.Fatalf("got %d events sent, want %d", got, want)
		}
		if got := len(drafts(g.Outgoing())); got != 0 {
			t.Fatalf("got %d more before an acknowledgement, want none", got)
		}
		for _, msg := range out {
			d.Receive(t.Context(), g.seat.Member, msg)
		}
		d.MustCommit()
		g.receive()
	}
}

func TestSY57ASnapshotKeepsWhatWasTypedMeanwhile(t *testing.T) {
	for name, gone := range map[string][]event.Payload{
		"the cell is there":                 nil,
		"the cell was deleted before":       {&event.CellDeleted{Cell: "c"}},
		"the cell was deleted and restored": {&event.CellDeleted{Cell: "c"}, &event.CellRestored{Cell: "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := roomtest.NewSequencer(t, func(c *room.Config) { c.MaxBehind = 3 })
			d.MustSubmit(roomtest.CellWith("c", "|"))
			d.MustSubmit(gone...)
			g := newGuest(d, replica.New("g"))
			g.cut()
			for rev := range event.Rev(10) {
				d.MustSubmit(roomtest.Insert("c", rev, 0, "."))
			}
			g.connect(d) // says that nothing is pending
			g.types("c", 1, "mine")
			g.do(roomtest.NewCell("between")) // so that the next edit is one of its own
			g.types("c", 5, "!")
			g.receive()
			if !g.Online() {
				t.Fatal("the replica is not up to date")
			}
			g.wantView("c", "..........|mine!")
			g.send()
			d.MustCommit()
			g.receive()
			if got, want := d.Source("c"), "..........|mine!"; got != want || g.Pending() != 0 {
				t.Errorf("room: got %q with %d pending, want %q", got, g.Pending(), want)
			}
		})
	}
}

func TestSY57ASnapshotOfALogThatLostItsEndKeepsWhatIsPending(t *testing.T) {
	lost := roomtest.NewSequencer(t, nil)
	lost.MustSubmit(roomtest.CellWith("c", "shared"), roomtest.Insert("c", 0, 6, " and lost"))
	g := newGuest(lost, replica.New("g"))
	g.types("c", 0, "mine, ")
	g.cut()

	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.CellWith("c", "shared"))
	g.connect(d)
	up := g.receive()
	if len(up.Changes) == 0 {
		t.Error("got no changes, want those of the snapshot")
	}
	g.send()
	d.MustCommit()
	g.receive()
	if got, want := d.Source("c"), "mine, shared"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSY58NothingIsSentBeforeTheReplicaIsUpToDate(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.NewCell("c"))
	g := &guest{Replica: replica.New("g")}
	g.connect(d)
	g.do(roomtest.NewCell("mine"))
	g.SetPresence(protocol.Presence{Name: "too early"})
	messages := g.seat.Take()
	if got := g.Outgoing(); len(got) != 0 {
		t.Errorf("before the welcome: got %v, want nothing", got)
	}
	roomtest.Feed(t, g.Replica, messages[:1])
	if got := drafts(g.Outgoing()); len(got) != 0 || g.Online() {
		t.Errorf("before the events: got %v, want nothing", got)
	}
	roomtest.Feed(t, g.Replica, messages[1:])
	g.SetPresence(protocol.Presence{Name: "now"})
	if got := g.Outgoing(); len(got) != 2 || len(drafts(got)) != 1 || !g.Online() {
		t.Errorf("up to date: got %v, want the presence and the event", got)
	}
}

func TestSY58AGapInTheEventsIsAnError(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	g := newGuest(d, replica.New("g"))
	gap := &protocol.Events{Events: []event.Event{{Seq: 2, ID: event.ID{Client: "x", N: 1}, Payload: roomtest.NewCell("c")}}}
	if _, err := g.Receive(gap); err == nil {
		t.Error("got no error")
	}
	if _, err := g.Receive(&protocol.Welcome{Version: protocol.Version, Seq: 7}); err == nil {
		t.Error("a welcome elsewhere: got no error")
	}
	if _, err := g.Receive(&protocol.Welcome{Version: protocol.Version, Seq: 7, Snapshot: []byte("{")}); err == nil {
		t.Error("a snapshot that is none: got no error")
	}
}

func TestSY59AReplicaThatBeginsAnewUnderItsOldIDLosesNothing(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.NewCell("c"))
	before := newGuest(d, replica.New("g"))
	before.do(roomtest.NewCell("old"))
	before.types("c", 0, "old")
	before.send()
	d.MustCommit()
	before.cut()

	g := &guest{Replica: replica.New("g")}
	first, _, err := g.Do(roomtest.NewCell("new"))
	if err != nil {
		t.Fatal(err)
	}
	g.connect(d)
	g.receive()
	if !g.IsPending(first) {
		t.Fatal("the new event was taken for the old one of its id")
	}
	g.types("c", 3, "!")
	g.send()
	d.MustCommit()
	g.receive()
	if d.Notebook().Cell("new") == nil || d.Source("c") != "old!" || g.Pending() != 0 {
		t.Errorf("got %q with %d pending, want both new events in the log", d.Source("c"), g.Pending())
	}
}

func TestSY59AnEditOfItsFormerLifeIsAnothersEdit(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.CellWith("c", "|"))
	before := newGuest(d, replica.New("g"))
	before.types("c", 0, "....")
	g := &guest{Replica: replica.New("g")}
	roomtest.Feed(t, g.Replica, []protocol.ToClient{
		&protocol.Welcome{Version: protocol.Version, Actor: "person:g", Role: access.Editor, Last: 2},
		&protocol.Events{Events: d.Logged(0)},
	})
	if _, _, err := g.Edit("c", text.Insert(1, "x")); err != nil {
		t.Fatal(err)
	}
	before.send()
	d.MustCommit()
	up := roomtest.Feed(t, g.Replica, []protocol.ToClient{&protocol.Events{Events: d.Logged(1)}})
	if got, want := g.View().Cell("c").Source(), "....|x"; got != want || len(up.Edits) != 1 {
		t.Errorf("got %q and %d edits, want %q and the old edit", got, len(up.Edits), want)
	}
}

func TestSY50RowsThatAPendingEventChangesAreTold(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	g := newGuest(d, replica.New("g"))
	_, changes, err := g.Do(roomtest.NewCell("c"))
	if err != nil {
		t.Fatal(err)
	}
	want := []notebook.Change{{Table: notebook.TableCells, ID: "c"}, {Table: notebook.TableNotebook}}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSY51AnEditThatWasSealedTakesInNoMore(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.NewCell("c"))
	g := newGuest(d, replica.New("g"))
	first := g.types("c", 0, "a")
	g.Seal()
	if second := g.types("c", 1, "b"); second == first {
		t.Errorf("got event %s extended, want another", second)
	}
	g.send()
	d.MustCommit()
	g.receive()
	if got, want := d.Notebook().Cell("c").Rev, event.Rev(2); got != want || d.Source("c") != "ab" {
		t.Errorf("got %q at revision %d, want ab at %d", d.Source("c"), got, want)
	}
}
