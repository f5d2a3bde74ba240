package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/signin"
)

// TestAC46ACookieAloneGivesNothingOfANotebook stands for a program at another port of the
// host, which a browser sends the cookie too and nothing else.
func TestAC46ACookieAloneGivesNothingOfANotebook(t *testing.T) {
	w := newWorld(t, withFirst)
	w.book("b1")
	made := w.bookOfCells(t, ownerToken, "Fish", 3)
	c := w.signIn(t)
	for _, route := range w.Routes() {
		needs := strings.HasSuffix(permissions[route].statuses, "401")
		if !needs {
			continue
		}
		for _, wrong := range []string{"", "guess", c.Value} {
			q := requestFor(t, route, "none", "b1", permissions[route].body)
			q.cookie, q.alone = c, true
			if q.header == nil {
				q.header = map[string]string{}
			}
			q.header["Origin"], q.header["Quire-Key"] = w.url, wrong
			if got := w.do(t, q).want(t, 401).problem(t).Code; got != protocol.Code("unauthenticated") {
				t.Errorf("%s %s: got code %q", route.Method, route.Path, got)
			}
		}
	}
	bare := request{method: "GET", path: "/nb/" + made.ID, cookie: c, alone: true}
	if a := w.do(t, bare).want(t, 200); strings.Contains(a.body, "first-rows") || strings.Contains(a.body, "not signed in") {
		t.Errorf("got %s, want the page with nothing of the notebook", a.body)
	}
	bare.alone = false
	if a := w.do(t, bare).want(t, 200); !strings.Contains(a.body, "first-rows") {
		t.Errorf("got %s, want the page with the notebook", a.body)
	}
}

func TestAC46ASocketNeedsBothHalvesToo(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	mine, other := w.signIn(t), w.signIn(t)
	for _, protocols := range [][]string{nil, {"quire"}, {"quire", "quire.key.x"}, {"quire", "quire.key." + halfOf(http.Header{"Cookie": {other.String()}})}} {
		header := http.Header{"Cookie": {mine.String()}, "Origin": {w.url}}
		_, resp, err := websocket.Dial(soon(t), w.url+"/api/notebooks/b1/sync", &websocket.DialOptions{HTTPHeader: header, Subprotocols: protocols})
		if err == nil || resp == nil || resp.StatusCode != 401 {
			t.Errorf("%q: got %v, %v, want 401", protocols, resp, err)
		}
	}
	w.withCookie(t, mine).titled("joined")
}

func TestAC47ABrowserMakesLinksAndTokensOnlyForTenMinutes(t *testing.T) {
	now, keeps := newClock(), &kept{}
	w := newWorld(t, now.use, keeps.use)
	w.book("b1")
	c := w.signIn(t)
	link := request{method: "POST", path: "/api/links", cookie: c, header: map[string]string{"Origin": w.url}}
	token := request{method: "POST", path: "/api/tokens", body: `{"name":"ci","notebook":"b1","role":"viewer","expiresIn":60}`, cookie: c, header: link.header}
	now.add(10 * time.Minute)
	w.do(t, link).want(t, 201)
	w.do(t, token).want(t, 201)
	now.add(time.Second)
	if got := w.do(t, link).want(t, 403).problem(t).Detail; !strings.Contains(got, "quire link") {
		t.Errorf("got %q, want what to do", got)
	}
	w.do(t, token).want(t, 403)
	now.add(25 * time.Hour)
	w.do(t, request{method: "GET", path: "/api/me", cookie: c}).want(t, 200) // renewed, which is no sign-in
	w.do(t, link).want(t, 403)
	w = w.again(t, now.use, keeps.use)
	c.Name, link.header = w.cookieName(), map[string]string{"Origin": w.url}
	w.do(t, link).want(t, 403)
	link.cookie, link.token = nil, ownerToken
	w.do(t, link).want(t, 201)
}

func TestAC46ASessionOfAnOlderServerIsNoneAndNoFault(t *testing.T) {
	keeps := &kept{}
	w := newWorld(t, keeps.use)
	c := w.signIn(t)
	var list []signin.Session
	if err := json.Unmarshal(keeps.data, &list); err != nil {
		t.Fatal(err)
	}
	list[0].Half = ""
	if err := keeps.Save(list); err != nil {
		t.Fatal(err)
	}
	w = w.again(t, keeps.use)
	c.Name = w.cookieName()
	w.do(t, request{method: "GET", path: "/api/me", cookie: c}).want(t, 401)
	if a := w.do(t, request{method: "GET", path: "/nb/b1", cookie: c}).want(t, 200); !strings.Contains(a.body, "not signed in") {
		t.Errorf("got %s, want how to sign in", a.body)
	}
}
