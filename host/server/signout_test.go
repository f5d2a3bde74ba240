package server_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/coder/websocket"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

func TestAC37SigningOutEndsTheSessionOfThatBrowserOnly(t *testing.T) {
	w := newWorld(t)
	mine, other := w.signIn(t), w.signIn(t)
	origin := map[string]string{"Origin": w.url}
	me := func(c *http.Cookie) int { return w.do(t, request{method: "GET", path: "/api/me", cookie: c}).status }

	w.do(t, request{method: "POST", path: "/api/logout", cookie: mine}).want(t, 403) // AC22: not without an Origin
	if got := me(mine); got != 200 {
		t.Errorf("got %d before signing out, want 200", got)
	}
	a := w.do(t, request{method: "POST", path: "/api/logout", cookie: mine, header: origin}).want(t, 204)
	cookies := (&http.Response{Header: a.header}).Cookies()
	if len(cookies) != 1 || cookies[0].Name != mine.Name || cookies[0].MaxAge >= 0 || cookies[0].Value != "" {
		t.Errorf("got cookies %v, want the one taken away", cookies)
	}
	if me(mine) != 401 || me(other) != 200 {
		t.Errorf("got %d and %d, want 401 for this browser and 200 for the other", me(mine), me(other))
	}
	w.do(t, request{method: "POST", path: "/api/logout", cookie: mine, header: origin}).want(t, 401)
}

func TestAC37SigningOutWithATokenEndsNothing(t *testing.T) {
	w := newWorld(t)
	a := w.do(t, request{method: "POST", path: "/api/logout", token: ownerToken}).want(t, 204)
	if got := a.header.Get("Set-Cookie"); got != "" {
		t.Errorf("got cookie %q, want none", got)
	}
	w.do(t, request{method: "GET", path: "/api/me", token: ownerToken}).want(t, 200)
}

func TestAC32ASocketEndsWhenItsBrowserIsSignedOut(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	mine, other := w.signIn(t), w.signIn(t)
	ends := w.withCookie(t, mine)
	stays := w.withCookie(t, other)
	origin := map[string]string{"Origin": w.url}
	w.do(t, request{method: "POST", path: "/api/logout", cookie: mine, header: origin}).want(t, 204)
	if got := ends.ended(); got != nil {
		if _, ok := got.(*protocol.Peers); !ok {
			t.Errorf("got %T %v, want no word", got, got)
		}
	}
	stays.titled("still here")
}

// withCookie joins b1 as a browser does.
func (w *world) withCookie(t *testing.T, c *http.Cookie) *peer {
	t.Helper()
	header := http.Header{"Cookie": {c.String()}, "Origin": {w.url}}
	protocols := []string{"quire", "quire.key." + halfOf(header)}
	conn, _, err := websocket.Dial(soon(t), w.url+"/api/notebooks/b1/sync", &websocket.DialOptions{HTTPHeader: header, Subprotocols: protocols})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	p := &peer{Conn: browser{conn}, t: t}
	p.hello(protocol.Hello{Client: event.ClientID("c" + c.Value[:10])})
	p.welcome = next[*protocol.Welcome](p)
	return p
}

// browser is a WebSocket as browsers have them.
type browser struct{ *websocket.Conn }

func (b browser) Send(ctx context.Context, message []byte) error {
	return b.Write(ctx, websocket.MessageText, message)
}

func (b browser) Receive(ctx context.Context) ([]byte, error) {
	_, data, err := b.Read(ctx)
	return data, err
}

func (b browser) Close() error { return b.CloseNow() }
