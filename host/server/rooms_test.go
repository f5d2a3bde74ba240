package server_test

import (
	"errors"
	"fmt"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/host/server"
)

// eventually waits until the metrics have a line.
func (w *world) eventually(t *testing.T, line string) {
	t.Helper()
	ctx := soon(t)
	for ctx.Err() == nil {
		a := w.do(t, request{method: "GET", path: "/metrics", token: ownerToken})
		if strings.Contains(a.body, line+"\n") {
			return
		}
		goruntime.Gosched()
	}
	t.Fatalf("the metrics never had %q", line)
}

func TestARoomClosesWhenItIsIdleAndOpensAgain(t *testing.T) {
	w := newWorld(t, func(c *server.Config) { c.Limits.Idle = time.Millisecond })
	w.book("b1")
	p := w.join(t, "b1", ownerToken, "c1")
	p.titled("kept")
	w.eventually(t, "quire_rooms 1")
	_ = p.Close()
	w.eventually(t, "quire_rooms 0")
	snap, err := w.store.log("b1").Snapshot(t.Context())
	if err != nil || snap.Seq != 1 {
		t.Errorf("got a snapshot of %d, %v, want one of 1", snap.Seq, err)
	}
	again := w.joinAs(t, "b1", ownerToken, protocol.Hello{Client: "c2"})
	if got := again.welcome.Last; got != 1 {
		t.Errorf("got a log of %d events, want 1", got)
	}
	again.n = 0
	again.titled("again")
}

func TestARoomThatIsUsedStaysOpen(t *testing.T) {
	w := newWorld(t, func(c *server.Config) { c.Limits.Idle = time.Nanosecond })
	w.book("b1")
	p := w.join(t, "b1", ownerToken, "c1")
	for i := range 50 {
		w.do(t, request{method: "GET", path: "/api/notebooks/b1/export", token: ownerToken}).want(t, 200)
		p.titled(fmt.Sprint(i))
	}
}

func TestManyFirstUsersShareOneRoom(t *testing.T) {
	w := newWorld(t, func(c *server.Config) { c.Limits.Idle = time.Nanosecond })
	w.book("b1")
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			body := fmt.Sprintf(`{"title":"t%d"}`, i)
			for range 5 {
				w.do(t, request{method: "PATCH", path: "/api/notebooks/b1", token: ownerToken, body: body}).want(t, 200)
			}
		})
	}
	all.Wait()
	if last, err := w.store.log("b1").Last(t.Context()); err != nil || last != 100 {
		t.Errorf("got %d events, %v, want 100", last, err)
	}
}

func TestARoomThatCannotReadItsLogIsOpenedAnew(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	p := w.join(t, "b1", ownerToken, "c1")
	p.titled("one")
	w.store.crash("b1") // the room's log is gone
	w.do(t, request{method: "PATCH", path: "/api/notebooks/b1", token: ownerToken, body: `{"title":"two"}`}).want(t, 503).problem(t)
	if _, ok := p.ended().(*protocol.Resume); !ok {
		t.Error("got no word to connect again")
	}
	w.eventually(t, "quire_rooms 0")
	w.do(t, request{method: "PATCH", path: "/api/notebooks/b1", token: ownerToken, body: `{"title":"three"}`}).want(t, 200)
	if got := w.join(t, "b1", ownerToken, "c1").welcome.Last; got != 2 {
		t.Errorf("got %d events, want 2", got)
	}
}

func TestAnAppendThatFailsIsAnsweredAsUnavailableOrInternal(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	patch := request{method: "PATCH", path: "/api/notebooks/b1", token: ownerToken, body: `{"title":"two"}`}
	for err, want := range map[error]int{room.ErrUnavailable: 503, errors.New("disk sdb1"): 500} {
		w.store.log("b1").Fail(err, false)
		if a := w.do(t, patch).want(t, want); strings.Contains(a.body, "sdb1") {
			t.Errorf("got %s, want no causes", a.body)
		}
		w.do(t, patch).want(t, 200)
	}
}

func TestAC35StoppingTellsClientsAndKeepsWhatTheyDid(t *testing.T) {
	st := newStore()
	w := newWorldOn(t, st)
	w.book("b1")
	var peers []*peer
	for i := range 10 {
		peers = append(peers, w.join(t, "b1", ownerToken, eventClient(i)))
	}
	idle := w.open(t, "b1", ownerToken) // has not said hello
	slow := w.join(t, "b1", ownerToken, "slow")
	peers[0].titled("kept")
	began := time.Now()
	w.stop()
	if got, most := time.Since(began), time.Minute; got > most {
		t.Errorf("got a stop after %v, want at most %v", got, most)
	}
	for _, p := range append(peers, slow) {
		if _, ok := p.ended().(*protocol.Resume); !ok {
			t.Error("a client was not told to connect again")
		}
	}
	if got := idle.ended(); got != nil {
		t.Errorf("got %v, want nothing", got)
	}
	snap, err := st.log("b1").Snapshot(t.Context())
	if err != nil || snap.Seq != 1 {
		t.Errorf("got a snapshot of %d, %v, want one of 1", snap.Seq, err)
	}
	next := newWorldOn(t, st)
	if got := next.join(t, "b1", ownerToken, "c0").welcome.Last; got != 1 {
		t.Errorf("got %d events, want 1", got)
	}
}

func TestAC35AClientThatReadsNothingDoesNotHoldUpTheStop(t *testing.T) {
	w := newWorld(t, narrow)
	w.book("b1")
	w.join(t, "b1", person(t, "viewer"), "slow")
	w.join(t, "b1", ownerToken, "fast").flood()
	began := time.Now()
	w.stop()
	if got, most := time.Since(began), time.Minute; got > most {
		t.Errorf("got a stop after %v, want at most %v", got, most)
	}
}

func TestWhoComesWhileTheServerStopsIsTurnedAway(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	w.stop()
	rec := w.direct(request{method: "GET", path: "/api/notebooks/b1/export", token: ownerToken})
	if got, want := rec.Code, 503; got != want {
		t.Errorf("got %d, want %d: %s", got, want, rec.Body)
	}
}

func TestAnIdleRoomCostsLittle(t *testing.T) {
	w := newWorld(t)
	const rooms = 300
	for i := range rooms {
		w.book(fmt.Sprint("b", i))
	}
	w.do(t, request{method: "GET", path: "/api/notebooks/b0", token: ownerToken}).want(t, 200)
	before := memory()
	for i := range rooms {
		w.do(t, request{method: "PATCH", path: fmt.Sprint("/api/notebooks/b", i), token: ownerToken, body: `{"title":"x"}`}).want(t, 200)
	}
	each := (memory() - before) / rooms
	t.Logf("%d bytes a room", each)
	if most := int64(30 << 10); each > most {
		t.Errorf("got %d bytes a room, want at most %d", each, most)
	}
}

// memory returns how much the program uses for objects and stacks.
func memory() int64 {
	for range 3 { // pools and finalizers let go late
		goruntime.GC()
	}
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
