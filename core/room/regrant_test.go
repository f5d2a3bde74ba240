package room_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
)

// wantStays wants a member to be there still, and its next event taken.
func wantStays(t *testing.T, s *roomtest.Member, payload event.Payload) {
	t.Helper()
	s.Push(payload)
	s.Of.MustCommit()
	if messages := s.Take(); s.Closed() || len(roomtest.Codes(messages)) != 0 {
		t.Errorf("%s: got %v, want it to stay and its event taken", s.Actor, messages)
	}
}

func TestAC7ALoweredRoleHoldsFromTheNextEventOnAndIsLearnedAnew(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	ada, bob := d.AddPerson("ada", access.Editor), d.AddPerson("bob", access.Editor)
	ada.Push(roomtest.NewCell("before"))
	d.MustCommit()
	ada.Take()

	d.Regrant("person:ada", access.Viewer)
	ada.Push(roomtest.NewCell("after"))
	d.MustCommit()

	wantResume(t, ada)
	if d.Notebook().Cell("before") == nil || d.Notebook().Cell("after") != nil {
		t.Error("want the cell of before and not that of after")
	}
	wantStays(t, bob, roomtest.NewCell("of-bob"))
	again := d.Connect("person:ada", access.Viewer, protocol.Hello{Client: "ada"})
	if w := roomtest.Only[*protocol.Welcome](again.Take()); len(w) != 1 || w[0].Role != access.Viewer {
		t.Errorf("got %v, want a Welcome as viewer", w)
	}
}

func TestAC7ARoleThatIsTakenAwayClosesEveryConnection(t *testing.T) {
	for _, role := range []access.Role{"", "admin"} {
		d := roomtest.NewSequencer(t, nil)
		one := d.AddPerson("one", access.Owner)
		two := d.Connect("person:one", access.Owner, protocol.Hello{Client: "two"})
		d.Regrant("person:one", role)
		for _, s := range []*roomtest.Member{one, two} {
			messages := s.Take()
			closed := roomtest.Only[*protocol.Closed](messages)
			if len(closed) != 1 || closed[0].Code != protocol.CodeForbidden || !strings.Contains(closed[0].Message, "no longer") {
				t.Errorf("%q: got %v, want Closed as forbidden, with the reason", role, messages)
			}
			if !s.Closed() {
				t.Errorf("%q: the outbox is open, want it closed", role)
			}
		}
	}
}

func TestAC7ARaisedRoleIsLearnedTooAndTheSameChangesNothing(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	viewer, editor := d.AddPerson("viewer", access.Viewer), d.AddPerson("editor", access.Editor)
	d.Regrant("person:viewer", access.Editor)
	wantResume(t, viewer)
	d.Regrant("person:editor", access.Editor)
	wantStays(t, editor, roomtest.NewCell("a"))
}

func TestAC7ARuntimeStaysForAsLongAsWhoBroughtItMayBringOne(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	mine := d.Connect("person:ada", access.Owner, protocol.Hello{Client: "mine", Runtime: "rt"})
	mine.Push(&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode})
	d.MustCommit()
	mine.Take()

	d.Regrant("person:ada", access.Owner)
	wantStays(t, mine, &event.RuntimeReady{Runtime: "rt", Epoch: 1})

	d.Regrant("person:ada", access.Editor)
	wantClosed(t, mine, protocol.CodeForbidden)
	if _, away := d.NextDeadline(); !away {
		t.Error("want the lease of the runtime to end")
	}
}

func TestAC7ARuntimeWithATokenOfItsOwnDependsOnNobodysRole(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	rt, epoch := d.AddRuntime("rt")
	d.Regrant("person:rt", "")
	wantStays(t, rt, &event.RuntimeReady{Runtime: "rt", Epoch: epoch})
}

func TestAC7WhatWasTakenInBeforeIsAcknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := runRoom(t, room.Config{Log: newLog()})
		m := h.visit("ada")
		h.push(m, 1, roomtest.NewCell("before"))
		if err := h.Regrant(t.Context(), "person:ada", ""); err != nil {
			t.Fatal(err)
		}
		messages, done := m.Out.Drain()
		all := roomtest.DecodeAll(t, messages)
		wantSeqs(t, all, span(1, 1))
		if _, ok := all[len(all)-1].(*protocol.Closed); !ok || !done {
			t.Errorf("got %v at the end, want Closed behind the acknowledgement", all[len(all)-1])
		}
	})
}

func TestAC7AfterItsEndARoomHasNobodyToRegrant(t *testing.T) {
	h := runRoom(t, room.Config{Log: newLog()})
	if err := h.end(); err != nil {
		t.Fatal(err)
	}
	if got, want := room.CodeOf(h.Regrant(t.Context(), "person:ada", "")), protocol.CodeUnavailable; got != want {
		t.Errorf("got code %q, want %q", got, want)
	}
}
