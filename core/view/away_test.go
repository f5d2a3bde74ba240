package view_test

import (
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/view"
)

// awayIn returns whether a batch reports the runtime as away, and whether it has a runtime at all.
func awayIn(b *view.Batch) (away, says bool) {
	if b == nil || len(b.Runtimes) == 0 {
		return false, false
	}
	return b.Runtimes[0].Away, true
}

func TestAPageIsToldAtOnceThatTheRuntimeIsNotConnected(t *testing.T) {
	tb := newTable(t)
	page := tb.pages.Open()
	take := func() (away, says bool) { return awayIn(page.Take(tb.r, view.Link{})) }
	want := func(what string, away, says bool) {
		t.Helper()
		if gotAway, got := take(); gotAway != away || got != says {
			t.Errorf("%s: got %v (%v), want %v (%v)", what, gotAway, got, away, says)
		}
	}
	rt := protocol.Peer{Client: "runtime", Actor: "runtime:r1"}
	me := protocol.Peer{Client: "me", Actor: "person:me"}
	tb.receive(&protocol.Peers{All: true, Peers: []protocol.Peer{rt}})
	tb.must(&event.RuntimeStarted{Runtime: "r1", Takes: event.TakesCode}, &event.RuntimeReady{Runtime: "r1", Epoch: 1})
	want("it is here", false, true)
	tb.receive(&protocol.Peers{Gone: []event.ClientID{"runtime"}, Peers: []protocol.Peer{me}})
	want("its connection is gone", true, true)
	tb.receive(&protocol.Peers{Peers: []protocol.Peer{rt}})
	want("it has come back", false, true)
	tb.receive(&protocol.Peers{Peers: []protocol.Peer{me}})
	want("somebody else moves", false, false)

	tb.r.Disconnected()
	want("this page is cut off", false, false)
	tb.receive(&protocol.Welcome{Version: protocol.Version, Actor: "person:me", Role: access.Editor, Seq: tb.room.Seq(), Last: tb.room.Seq()})
	want("it does not know yet who is here", false, false)
	tb.receive(&protocol.Peers{All: true, Peers: []protocol.Peer{me}})
	want("the runtime is not", true, true)
	tb.must(&event.RuntimeStopped{Runtime: "r1", Epoch: 1, Reason: event.StopLease})
	want("it is given up", false, true)
}
