package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/server/signin"
)

// kept keeps sessions in memory, as a file would.
type kept struct {
	mu   sync.Mutex
	data []byte
	full error // what saving fails with
}

func (k *kept) Load() ([]signin.Session, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.data == nil {
		return nil, nil
	}
	var list []signin.Session
	return list, json.Unmarshal(k.data, &list)
}

func (k *kept) Save(list []signin.Session) (err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.full == nil {
		k.data, err = json.Marshal(list)
		return err
	}
	return k.full
}

func (k *kept) fail(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.full = err
}

func (k *kept) use(c *server.Config) { c.Sessions = k }

// again starts another server with the stored data of one, in its place.
func (w *world) again(t *testing.T, changes ...func(*server.Config)) *world {
	t.Helper()
	w.stop()
	return newWorldOn(t, w.store, changes...)
}

func TestAC38ASignInOutlastsTheServer(t *testing.T) {
	now, keep := newClock(), &kept{}
	w := newWorld(t, now.use, keep.use)
	c, other := w.signIn(t), w.signIn(t)
	now.add(29 * 24 * time.Hour)
	w = w.again(t, now.use, keep.use)
	me := request{method: "GET", path: "/api/me"}
	me.header = map[string]string{"Cookie": w.cookieName() + "=" + c.Value}
	w.do(t, me).want(t, 200)
	out := request{method: "POST", path: "/api/logout", header: map[string]string{"Cookie": me.header["Cookie"], "Origin": w.url}}
	w.do(t, out).want(t, 204)

	w = w.again(t, now.use, keep.use)
	me.header["Cookie"] = w.cookieName() + "=" + c.Value
	w.do(t, me).want(t, 401).problem(t)
	me.header["Cookie"] = w.cookieName() + "=" + other.Value
	w.do(t, me).want(t, 200)

	now.add(30 * 24 * time.Hour)
	w.do(t, me).want(t, 401)
	w = w.again(t, now.use, keep.use)
	me.header["Cookie"] = w.cookieName() + "=" + other.Value
	w.do(t, me).want(t, 401)
}

// cookieName returns how the server calls its cookie.
func (w *world) cookieName() string {
	_, port, _ := strings.Cut(strings.TrimPrefix(w.url, "http://"), ":")
	return "quire_" + port
}

func TestAC38WhatIsKeptSignsNobodyIn(t *testing.T) {
	keep := &kept{}
	w := newWorld(t, keep.use)
	c := w.signIn(t)
	list, err := keep.Load()
	if err != nil || len(list) != 1 {
		t.Fatalf("got %v and %v, want one session", list, err)
	}
	if strings.Contains(string(keep.data), c.Value) {
		t.Errorf("got %s, which has the cookie in it", keep.data)
	}
	for _, value := range []string{list[0].Digest, strings.ToUpper(list[0].Digest), string(keep.data), ""} {
		header := map[string]string{"Cookie": w.cookieName() + "=" + value}
		w.do(t, request{method: "GET", path: "/api/me", header: header}).want(t, 401)
		w.do(t, request{method: "GET", path: "/api/me", header: map[string]string{"Authorization": "Bearer " + value}}).want(t, 401)
	}
	w.do(t, request{method: "POST", path: "/login?token=" + list[0].Digest}).want(t, 403)
	w.do(t, request{method: "POST", path: "/login?token=" + c.Value}).want(t, 403)
}

func TestAC38AnotherSecretEndsAllSignIns(t *testing.T) {
	keep := &kept{}
	w := newWorld(t, keep.use)
	c := w.signIn(t)
	w = w.again(t, keep.use, func(c *server.Config) { c.Secret = []byte(strings.Repeat("x", 32)) })
	header := map[string]string{"Cookie": w.cookieName() + "=" + c.Value}
	w.do(t, request{method: "GET", path: "/api/me", header: header}).want(t, 401)
}

func TestAC38WhatCannotBeKeptIsSaid(t *testing.T) {
	keep := &kept{}
	w := newWorld(t, keep.use)
	c := w.signIn(t)
	keep.fail(errors.New("disk sdb1 is full"))
	a := w.do(t, request{method: "POST", path: w.Link()}).want(t, 500)
	if a.problem(t); a.header.Get("Set-Cookie") != "" || strings.Contains(a.body, "sdb1") {
		t.Errorf("got %v %s, want neither a cookie nor the cause", a.header, a.body)
	}
	origin := map[string]string{"Origin": w.url}
	w.do(t, request{method: "POST", path: "/api/logout", cookie: c, header: origin}).want(t, 500)
	w.do(t, request{method: "GET", path: "/api/me", cookie: c}).want(t, 401)
}

func TestAC38SessionsThatAreDamagedAreNoSessions(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	st, digest := newStore(), strings.Repeat("ab", 32)
	for list, ok := range map[string]bool{
		`[{"digest":"` + digest + `","ends":9999999999}]`:                             true,
		`[{"digest":"` + digest + `","ends":1}]`:                                      true,
		`[{"digest":"` + digest + `","ends":9999999999,"half":"` + digest + `"}]`:     true,
		`[{"digest":"` + digest + `","ends":9999999999,"half":"` + digest[2:] + `"}]`: false,
		`[]`:                                true,
		`[{"digest":"","ends":9999999999}]`: false,
		`[{"digest":"` + digest + `00","ends":9999999999}]`:      false,
		`[{"digest":"` + digest[1:] + `","ends":9999999999}]`:    false,
		`[{"digest":"` + digest[2:] + `zz","ends":9999999999}]`:  false,
		`[{"digest":"` + digest[2:] + `","ends":"x"}]`:           false,
		`[{"digest":"` + digest[2:] + `ab ","ends":9999999999}]`: false,
	} {
		_, err := server.New(server.Config{
			Listener: ln, Directory: st, Access: st, Logs: st, Secret: secret, OwnerToken: ownerToken,
			Upgrade:  func(http.ResponseWriter, *http.Request) (protocol.Conn, error) { return nil, io.EOF },
			Sessions: &kept{data: []byte(list)},
		})
		if (err == nil) != ok {
			t.Errorf("%s: got %v", list, err)
		}
	}
}

func TestASessionThatHasEndedIsUnauthenticatedEverywhere(t *testing.T) {
	now := newClock()
	w := newWorld(t, now.use)
	w.book("b1")
	c := w.signIn(t)
	now.add(30 * 24 * time.Hour)
	for _, route := range w.Routes() {
		if !strings.HasPrefix(route.Path, "/api/") || !strings.HasSuffix(permissions[route].statuses, "401") {
			continue
		}
		q := requestFor(t, route, "none", "b1", permissions[route].body)
		q.cookie = c
		if q.header == nil {
			q.header = map[string]string{}
		}
		q.header["Origin"] = w.url
		a := w.do(t, q).want(t, 401)
		if got, want := a.problem(t).Code, protocol.Code("unauthenticated"); got != want {
			t.Errorf("%s %s: got code %q, want %q", route.Method, route.Path, got, want)
		}
	}
	if a := w.do(t, request{method: "GET", path: "/nb/b1", cookie: c}).want(t, 200); !strings.Contains(a.body, "not signed in") {
		t.Errorf("got %s, want how to sign in", a.body)
	}
}

func TestTheSignInThatEndsFirstMakesRoom(t *testing.T) {
	now, keep := newClock(), &kept{}
	w := newWorld(t, now.use, keep.use)
	first := w.signIn(t)
	var list []signin.Session
	for i := range 999 {
		list = append(list, signin.Session{Digest: fmt.Sprintf("%064x", i), Half: fmt.Sprintf("%064x", i), Ends: now.Now().Add(31 * 24 * time.Hour).Unix()})
	}
	saved, err := keep.Load()
	if err != nil {
		t.Fatal(err)
	}
	if err := keep.Save(append(list, saved...)); err != nil {
		t.Fatal(err)
	}
	w = w.again(t, now.use, keep.use)
	header := map[string]string{"Cookie": w.cookieName() + "=" + first.Value}
	w.do(t, request{method: "GET", path: "/api/me", header: header}).want(t, 200)
	last := w.signIn(t)
	w.do(t, request{method: "GET", path: "/api/me", header: header}).want(t, 401)
	w.do(t, request{method: "GET", path: "/api/me", cookie: last}).want(t, 200)
	if saved, err = keep.Load(); err != nil || len(saved) != 1000 {
		t.Errorf("got %d sessions kept and %v, want 1000", len(saved), err)
	}
}

func TestAC51ALinkSignsInThePersonWhoseItIs(t *testing.T) {
	keep := &kept{}
	w := newWorld(t, keep.use)
	w.book("b1") // in which the editor has that role
	link := w.LinkFor(signin.Person{ID: "editor", Name: "Ed <b>"})
	if a := w.do(t, request{method: "GET", path: link}).want(t, 200); !strings.Contains(a.body, "signs this browser in as Ed &lt;b&gt;.") {
		t.Errorf("got %s, want whom it signs in", a.body)
	}
	c := w.signInWith(t, link)
	owner := w.signIn(t)
	for range 2 { // the second time on the server after that
		for _, test := range []struct {
			cookie string
			want   server.Me
		}{
			{c.Value, server.Me{Actor: "person:editor", Name: "Ed <b>"}},
			{owner.Value, server.Me{Actor: "person:owner", Name: "Owner", Owner: true}},
		} {
			var me server.Me
			header := map[string]string{"Cookie": w.cookieName() + "=" + test.cookie}
			w.do(t, request{method: "GET", path: "/api/me", header: header}).want(t, 200).into(t, &me)
			if me.Expires = 0; me != test.want {
				t.Errorf("got %+v, want %+v", me, test.want)
			}
			status := map[bool]int{true: 200, false: 403}[test.want.Owner]
			w.do(t, request{method: "GET", path: "/api/audit", header: header}).want(t, status)
			status = map[bool]int{true: 201, false: 403}[test.want.Owner]
			header["Origin"] = w.url
			w.do(t, request{method: "POST", path: "/api/links", header: header}).want(t, status)
			w.do(t, request{method: "GET", path: "/api/notebooks/b1", header: header}).want(t, 200)
		}
		w = w.again(t, keep.use)
	}
}

func TestAC51ASignInOfAnOlderServerIsTheOwners(t *testing.T) {
	keep := &kept{}
	w := newWorld(t, keep.use)
	c := w.signIn(t)
	var list []map[string]any
	if err := json.Unmarshal(keep.data, &list); err != nil || len(list) != 1 {
		t.Fatalf("got %s, %v, want one sign-in", keep.data, err)
	}
	delete(list[0], "person")
	delete(list[0], "name")
	var err error
	if keep.data, err = json.Marshal(list); err != nil {
		t.Fatal(err)
	}
	w = w.again(t, keep.use)
	var me server.Me
	header := map[string]string{"Cookie": w.cookieName() + "=" + c.Value}
	w.do(t, request{method: "GET", path: "/api/me", header: header}).want(t, 200).into(t, &me)
	if !me.Owner || me.Actor != "person:owner" || me.Name != "Owner" {
		t.Errorf("got %+v, want the owner", me)
	}
}

func TestASignInOfNoPersonStopsTheServerWithTheReason(t *testing.T) {
	keep := &kept{}
	digest := strings.Repeat("ab", 32)
	if err := keep.Save([]signin.Session{{Digest: digest, Half: digest, Ends: time.Now().Add(time.Hour).Unix(), Person: "a b"}}); err != nil {
		t.Fatal(err)
	}
	_, err := signin.New(signin.Config{Secret: secret, OwnerToken: ownerToken, Sessions: keep, Now: time.Now})
	if err == nil || !strings.Contains(err.Error(), "load sessions: person") {
		t.Errorf("got %v, want what is wrong", err)
	}
}
