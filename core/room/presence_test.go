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
	"github.com/quirehq/quire/core/room/roomtest"
)

// moves sends where a member is.
func sendPresence(s *roomtest.Member, p protocol.Presence) {
	s.Of.Receive(s.Of.T.Context(), s.Member, &p)
}

// peers returns the clients that the messages tell of, sorted, and those that are gone.
func peers(messages []protocol.ToClient) (here, gone []event.ClientID) {
	for _, m := range roomtest.Only[*protocol.Peers](messages) {
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
	d := roomtest.NewSequencer(t, nil)
	a, b := d.AddPerson("a", access.Editor), d.AddPerson("b", access.Viewer)
	d.PublishPresence()
	wantPeers(t, a.Take(), []event.ClientID{"a", "b"}, nil)
	b.Take()

	c := d.Connect("person:c", access.Viewer, protocol.Hello{Client: "c"})
	wantPeers(t, c.Take(), []event.ClientID{"a", "b"}, nil)
	d.PublishPresence()
	wantPeers(t, a.Take(), []event.ClientID{"c"}, nil)

	sendPresence(b, protocol.Presence{Name: "Bo", Cell: "x", Anchor: 2, Head: 5})
	if !d.PresenceChanged() {
		t.Error("got nothing to tell after somebody moved")
	}
	d.PublishPresence()
	want := []*protocol.Peers{{Peers: []protocol.Peer{{
		Client: "b", Actor: "person:b", Presence: protocol.Presence{Name: "Bo", Cell: "x", Anchor: 2, Head: 5},
	}}}}
	if diff := cmp.Diff(want, roomtest.Only[*protocol.Peers](a.Take())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	d.Leave(b.Member)
	d.PublishPresence()
	wantPeers(t, a.Take(), nil, []event.ClientID{"b"})
	if d.PresenceChanged() {
		t.Error("got something to tell after all was told")
	}
}

func TestSY60OneWhoComesAndGoesBetweenIsNeverSpokenOf(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	a := d.AddPerson("a", access.Editor)
	d.PublishPresence()
	a.Take()
	d.Leave(d.AddPerson("b", access.Viewer).Member)
	d.PublishPresence()
	wantPeers(t, a.Take(), nil, nil)
}

func TestSY61AClientThatCameAgainIsHere(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	a := d.AddPerson("a", access.Editor)
	d.AddPerson("b", access.Editor)
	d.PublishPresence()
	r := replica.New("a")
	roomtest.Feed(t, r, a.Take())
	d.AddPerson("b", access.Editor)
	d.PublishPresence()
	roomtest.Feed(t, r, a.Take())
	if _, ok := r.Peers()["b"]; !ok {
		t.Errorf("got peers %v, want b among them", r.Peers())
	}
}

func TestSY62PresenceIsNeverInTheLog(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	a := d.AddPerson("a", access.Viewer)
	sendPresence(a, protocol.Presence{Name: "Ada", Cell: "c"})
	d.PublishPresence()
	d.MustCommit()
	if got := d.Logged(0); len(got) != 0 {
		t.Errorf("got %v in the log, want nothing", got)
	}
}

func TestSY63PresenceThatIsTooLongEndsTheConnection(t *testing.T) {
	for name, p := range map[string]protocol.Presence{
		"a name": {Name: strings.Repeat("x", event.MaxKey+1)},
		"a cell": {Cell: event.CellID(strings.Repeat("x", event.MaxName+1))},
	} {
		t.Run(name, func(t *testing.T) {
			d := roomtest.NewSequencer(t, nil)
			s := d.AddPerson("a", access.Viewer)
			sendPresence(s, p)
			wantClosed(t, s, protocol.CodeInvalid)
		})
	}
}

func TestSY64OneWhoMissedPresenceGetsAllOfItOnceItTakesMessagesAgain(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	slow := &roomtest.Member{
		Member: &room.Member{Actor: "person:slow", Role: access.Viewer, Out: room.NewOutbox(200)},
		Of:     d, Client: "slow",
	}
	d.Join(t.Context(), slow.Member, &protocol.Hello{Version: protocol.Version, Client: "slow"})
	left, stays := d.AddPerson("left", access.Editor), d.AddPerson("stays", access.Editor)
	r := replica.New("slow")
	d.PublishPresence()
	roomtest.Feed(t, r, slow.Take())
	d.Drained(t.Context(), slow.Member)
	roomtest.Feed(t, r, slow.Take())

	left.Push(roomtest.CellWith("c", strings.Repeat("x", 300)))
	d.MustCommit()
	d.Leave(left.Member)
	sendPresence(stays, protocol.Presence{Name: "Stays"})
	d.PublishPresence()
	roomtest.Feed(t, r, slow.Take())
	d.Drained(t.Context(), slow.Member)
	roomtest.Feed(t, r, slow.Take())

	want := map[event.ClientID]protocol.Peer{
		"slow":  {Client: "slow", Actor: "person:slow"},
		"stays": {Client: "stays", Actor: "person:stays", Presence: protocol.Presence{Name: "Stays"}},
	}
	if diff := cmp.Diff(want, r.Peers(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
