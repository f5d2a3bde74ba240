package room_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
)

// wantStays wants a member to be there still, and its next event taken.
func wantStays(t *testing.T, s *seat, payload event.Payload) {
	t.Helper()
	s.push(payload)
	s.desk.commit()
	if messages := s.take(); s.closed() || len(codes(messages)) != 0 {
		t.Errorf("%s: got %v, want it to stay and its event taken", s.Actor, messages)
	}
}

func TestAC7ALoweredRoleHoldsFromTheNextEventOnAndIsLearnedAnew(t *testing.T) {
	d := newDesk(t, nil)
	ada, bob := d.join("ada", access.Editor), d.join("bob", access.Editor)
	ada.push(newCell("before"))
	d.commit()
	ada.take()

	d.Regrant("person:ada", access.Viewer)
	ada.push(newCell("after"))
	d.commit()

	wantResume(t, ada)
	if d.Notebook().Cell("before") == nil || d.Notebook().Cell("after") != nil {
		t.Error("want the cell of before and not that of after")
	}
	wantStays(t, bob, newCell("of-bob"))
	again := d.seat("person:ada", access.Viewer, protocol.Hello{Client: "ada"})
	if w := only[*protocol.Welcome](again.take()); len(w) != 1 || w[0].Role != access.Viewer {
		t.Errorf("got %v, want a Welcome as viewer", w)
	}
}

func TestAC7ARoleThatIsTakenAwayClosesEveryConnection(t *testing.T) {
	for _, role := range []access.Role{"", "admin"} {
		d := newDesk(t, nil)
		one := d.join("one", access.Owner)
		two := d.seat("person:one", access.Owner, protocol.Hello{Client: "two"})
		d.Regrant("person:one", role)
		for _, s := range []*seat{one, two} {
			messages := s.take()
			closed := only[*protocol.Closed](messages)
			if len(closed) != 1 || closed[0].Code != protocol.CodeForbidden || !strings.Contains(closed[0].Message, "no longer") {
				t.Errorf("%q: got %v, want Closed as forbidden, with the reason", role, messages)
			}
			if !s.closed() {
				t.Errorf("%q: the outbox is open, want it closed", role)
			}
		}
	}
}

func TestAC7ARaisedRoleIsLearnedTooAndTheSameChangesNothing(t *testing.T) {
	d := newDesk(t, nil)
	viewer, editor := d.join("viewer", access.Viewer), d.join("editor", access.Editor)
	d.Regrant("person:viewer", access.Editor)
	wantResume(t, viewer)
	d.Regrant("person:editor", access.Editor)
	wantStays(t, editor, newCell("a"))
}

func TestAC7ARuntimeStaysForAsLongAsWhoBroughtItMayBringOne(t *testing.T) {
	d := newDesk(t, nil)
	mine := d.seat("person:ada", access.Owner, protocol.Hello{Client: "mine", Runtime: "rt"})
	mine.push(&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode})
	d.commit()
	mine.take()

	d.Regrant("person:ada", access.Owner)
	wantStays(t, mine, &event.RuntimeReady{Runtime: "rt", Epoch: 1})

	d.Regrant("person:ada", access.Editor)
	wantClosed(t, mine, protocol.CodeForbidden)
	if _, away := d.NextDeadline(); !away {
		t.Error("want the lease of the runtime to end")
	}
}

func TestAC7ARuntimeWithATokenOfItsOwnDependsOnNobodysRole(t *testing.T) {
	d := newDesk(t, nil)
	rt, epoch := d.joinRuntime("rt")
	d.Regrant("person:rt", "")
	wantStays(t, rt, &event.RuntimeReady{Runtime: "rt", Epoch: epoch})
}

func TestAC7WhatWasTakenInBeforeIsAcknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := runRoom(t, room.Config{Log: newLog()})
		m := h.visit("ada")
		h.push(m, 1, newCell("before"))
		if err := h.Regrant(t.Context(), "person:ada", ""); err != nil {
			t.Fatal(err)
		}
		messages, done := m.Out.Drain()
		all := decodeAll(t, messages)
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
