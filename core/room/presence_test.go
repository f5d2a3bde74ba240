package room_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room"
)

// moves sends where a member is.
func (s *seat) moves(p protocol.Presence) { s.desk.Receive(s.desk.t.Context(), s.Member, &p) }

// peers returns the clients that the messages tell of, sorted, and those that are gone.
func peers(messages []protocol.ToClient) (here, gone []event.ClientID) {
	for _, m := range only[*protocol.Peers](messages) {
		for _, p := range m.Peers {
			here = append(here, p.Client)
		}
		gone = append(gone, m.Gone...)
	}
	slices.Sort(here)
	return here, gone
}

func wantPeers(t *testing.T, messages []protocol.ToClient, here, gone []event.ClientID) {
	t.Helper()
	gotHere, gotGone := peers(messages)
	if !slices.Equal(gotHere, here) || !slices.Equal(gotGone, gone) {
		t.Errorf("got peers %v and gone %v, want %v and %v", gotHere, gotGone, here, gone)
	}
}

func TestSY60AMemberIsToldWhoIsHereAndThenWhatChanges(t *testing.T) {
	d := newDesk(t, nil)
	a, b := d.join("a", access.Editor), d.join("b", access.Viewer)
	d.PublishPresence()
	wantPeers(t, a.take(), []event.ClientID{"a", "b"}, nil)
	b.take()

	c := d.seat("person:c", access.Viewer, protocol.Hello{Client: "c"})
	wantPeers(t, c.take(), []event.ClientID{"a", "b"}, nil)
	d.PublishPresence()
	wantPeers(t, a.take(), []event.ClientID{"c"}, nil)

	b.moves(protocol.Presence{Name: "Bo", Cell: "x", Anchor: 2, Head: 5})
	if !d.PresenceChanged() {
		t.Error("got nothing to tell after somebody moved")
	}
	d.PublishPresence()
	want := []*protocol.Peers{{Peers: []protocol.Peer{{
		Client: "b", Actor: "person:b", Presence: protocol.Presence{Name: "Bo", Cell: "x", Anchor: 2, Head: 5},
	}}}}
	if diff := cmp.Diff(want, only[*protocol.Peers](a.take())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	d.Leave(b.Member)
	d.PublishPresence()
	wantPeers(t, a.take(), nil, []event.ClientID{"b"})
	if d.PresenceChanged() {
		t.Error("got something to tell after all was told")
	}
}

func TestSY60OneWhoComesAndGoesBetweenIsNeverSpokenOf(t *testing.T) {
	d := newDesk(t, nil)
	a := d.join("a", access.Editor)
	d.PublishPresence()
	a.take()
	d.Leave(d.join("b", access.Viewer).Member)
	d.PublishPresence()
	wantPeers(t, a.take(), nil, nil)
}

func TestSY61AClientThatCameAgainIsHere(t *testing.T) {
	d := newDesk(t, nil)
	a := d.join("a", access.Editor)
	d.join("b", access.Editor)
	d.PublishPresence()
	r := replica.New("a")
	feed(t, r, a.take())
	d.join("b", access.Editor)
	d.PublishPresence()
	feed(t, r, a.take())
	if _, ok := r.Peers()["b"]; !ok {
		t.Errorf("got peers %v, want b among them", r.Peers())
	}
}

// feed gives a replica messages of a room.
func feed(t *testing.T, r *replica.Replica, messages []protocol.ToClient) replica.Update {
	t.Helper()
	var all replica.Update
	for _, msg := range messages {
		up, err := r.Receive(msg)
		if err != nil {
			t.Fatal(err)
		}
		all.Changes = append(all.Changes, up.Changes...)
		all.Edits = append(all.Edits, up.Edits...)
		all.Committed = append(all.Committed, up.Committed...)
	}
	return all
}

func TestSY62PresenceIsNeverInTheLog(t *testing.T) {
	d := newDesk(t, nil)
	a := d.join("a", access.Viewer)
	a.moves(protocol.Presence{Name: "Ada", Cell: "c"})
	d.PublishPresence()
	d.commit()
	if got := d.logged(0); len(got) != 0 {
		t.Errorf("got %v in the log, want nothing", got)
	}
}

func TestSY63PresenceThatIsTooLongEndsTheConnection(t *testing.T) {
	for name, p := range map[string]protocol.Presence{
		"a name": {Name: strings.Repeat("x", event.MaxKey+1)},
		"a cell": {Cell: event.CellID(strings.Repeat("x", event.MaxName+1))},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, nil)
			s := d.join("a", access.Viewer)
			s.moves(p)
			wantClosed(t, s, protocol.CodeInvalid)
		})
	}
}

func TestSY64OneWhoMissedPresenceGetsAllOfItOnceItTakesMessagesAgain(t *testing.T) {
	d := newDesk(t, nil)
	slow := &seat{
		Member: &room.Member{Actor: "person:slow", Role: access.Viewer, Out: room.NewOutbox(200)},
		desk:   d, client: "slow",
	}
	d.Join(t.Context(), slow.Member, &protocol.Hello{Version: protocol.Version, Client: "slow"})
	left, stays := d.join("left", access.Editor), d.join("stays", access.Editor)
	r := replica.New("slow")
	d.PublishPresence()
	feed(t, r, slow.take())
	d.Drained(t.Context(), slow.Member)
	feed(t, r, slow.take())

	left.push(cellWith("c", strings.Repeat("x", 300)))
	d.commit()
	d.Leave(left.Member)
	stays.moves(protocol.Presence{Name: "Stays"})
	d.PublishPresence()
	feed(t, r, slow.take())
	d.Drained(t.Context(), slow.Member)
	feed(t, r, slow.take())

	want := map[event.ClientID]protocol.Peer{
		"slow":  {Client: "slow", Actor: "person:slow"},
		"stays": {Client: "stays", Actor: "person:stays", Presence: protocol.Presence{Name: "Stays"}},
	}
	if diff := cmp.Diff(want, r.Peers(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
