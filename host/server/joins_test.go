package server_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/internal/ws"
)

// joinsLike has the limits of joins that a server has by default.
func joinsLike(c *server.Config) {
	c.Limits.Joins, c.Limits.JoinBurst, c.Limits.Rejoins, c.Limits.RejoinBurst = 0, 0, 0, 0
}

// visit joins b1 and leaves, so that the server has seen the end of the socket.
func (w *world) visit(t *testing.T, token string, client event.ClientID) error {
	t.Helper()
	conn, err := ws.Dial(soon(t), w.url+"/api/notebooks/b1/sync", token, ws.Options{})
	if err != nil {
		return err
	}
	p := &peer{Conn: conn, t: t}
	p.hello(protocol.Hello{Client: client})
	next[*protocol.Welcome](p)
	_ = p.Close()
	w.eventually(t, "quire_clients 1") // the editor
	return nil
}

func TestAC31OneWhoJoinsAgainAndAgainHasToWait(t *testing.T) {
	now := newClock()
	w := newWorld(t, now.use, joinsLike)
	w.book("b1")
	owner := w.join(t, "b1", ownerToken, "owner")
	viewer := person(t, "viewer")
	let := func(within time.Duration) (joins int) {
		for end := now.Now().Add(within); ; {
			err := w.visit(t, viewer, "same")
			if err == nil && joins < 1_000 {
				joins++
				continue
			}
			if waitOf(err) != time.Second {
				t.Fatalf("got %#v, want to come back in a second", err)
			}
			if !now.Now().Before(end) {
				return joins
			}
			now.add(time.Second)
		}
	}
	if got, want := let(0), 60; got != want {
		t.Errorf("got %d joins at once, want %d", got, want)
	}
	now.add(time.Second)
	if got, want := let(5*time.Second), 30; got != want {
		t.Errorf("got %d joins in six seconds, want %d", got, want)
	}

	// Others may join, the viewer may join other notebooks, and edits are committed.
	owner.titled("still here")
	if err := w.visit(t, person(t, "runner"), "other"); err != nil {
		t.Errorf("another person: got %v", err)
	}
	w.book("b2")
	_ = w.join(t, "b2", viewer, "same").Close()
	w.do(t, request{method: "GET", path: "/api/notebooks/b1", token: viewer}).want(t, 200)

	// A page learns it from an ordinary request, because it does not see the answer to its socket.
	sync := request{method: "GET", path: "/api/notebooks/b1/sync", token: viewer}
	a := w.do(t, sync).want(t, 429)
	if a.problem(t).Code != protocol.CodeUnavailable || a.header.Get("Retry-After") != "1" {
		t.Errorf("got %v %s, want when to come back", a.header, a.body)
	}
	now.add(time.Second)
	for range 100 {
		w.do(t, sync).want(t, 426) // it counts nothing
	}
	if err := w.visit(t, viewer, "same"); err != nil {
		t.Errorf("after a second: got %v", err)
	}
}

func TestAC31SocketsThatStayAreManyAndCountForTheFirstTenSecondsOnly(t *testing.T) {
	now := newClock()
	w := newWorld(t, now.use, joinsLike, func(c *server.Config) { c.Limits.JoinBurst = 100 })
	w.book("b1")
	viewer := person(t, "viewer")
	var stay []*peer
	for i := range 100 {
		stay = append(stay, w.join(t, "b1", viewer, eventClient(i)))
	}
	if _, err := ws.Dial(soon(t), w.url+"/api/notebooks/b1/sync", viewer, ws.Options{}); err == nil {
		t.Error("got one more than may come at once")
	}
	now.add(10 * time.Second)
	for _, p := range stay {
		_ = p.Close()
	}
	w.eventually(t, "quire_clients 0")
	for i := range 100 {
		w.join(t, "b1", viewer, eventClient(i)) // as many again, of which none had to wait
	}
}

func TestAC31ADialerWaitsAsItIsTold(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "0": 0, "100000": time.Minute, "-1": 0, "x": 0, "Fri, 31 Dec 1999 23:59:59 GMT": 0,
	} {
		w := newWorld(t, func(c *server.Config) {
			c.Upgrade = func(rw http.ResponseWriter, _ *http.Request) (protocol.Conn, error) {
				rw.Header().Set("Retry-After", header)
				rw.WriteHeader(http.StatusTooManyRequests)
				return nil, errors.New("no")
			}
		})
		w.book("b1")
		_, err := ws.Dial(soon(t), w.url+"/api/notebooks/b1/sync", ownerToken, ws.Options{})
		if got := waitOf(err); got != want {
			t.Errorf("%q: got %v, want to wait %v", header, err, want)
		}
	}
}

// waitOf returns how long an error says to wait, -1 if it says nothing of a server that is busy.
func waitOf(err error) time.Duration {
	var closed *protocol.Closed
	if !errors.As(err, &closed) || closed.Code != protocol.CodeUnavailable {
		return -1
	}
	if later, ok := errors.AsType[*replica.WaitError](err); ok {
		return later.After
	}
	return 0
}
