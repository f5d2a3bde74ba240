package server_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/server/signin"
)

// keptTokens keeps tokens in memory, as a file would.
type keptTokens struct{ data []byte }

func (k *keptTokens) Load() (list []signin.Issued, err error) {
	if k.data != nil {
		err = json.Unmarshal(k.data, &list)
	}
	return list, err
}

func (k *keptTokens) Save(list []signin.Issued) (err error) {
	k.data, err = json.Marshal(list)
	return err
}

// startWith starts with a signer of its own, as each start of a server has.
func (k *keptTokens) startWith(signer string) func(*server.Config) {
	return func(c *server.Config) { c.Tokens, c.Signer = k, []byte(strings.Repeat(signer, 32)) }
}

func (w *world) token(t *testing.T, book string, role access.Role) string {
	t.Helper()
	var made server.Token
	body := `{"name":"ci","notebook":"` + book + `","role":"` + string(role) + `","expiresIn":3600}`
	w.do(t, request{method: "POST", path: "/api/tokens", token: ownerToken, body: body}).want(t, 201).into(t, &made)
	return made.Token
}

func TestAC48ATokenOutlastsTheServerAndWhatSignedItDoesNot(t *testing.T) {
	keep := &keptTokens{}
	w := newWorld(t, keep.startWith("1"))
	w.book("b1")
	token := w.token(t, "b1", access.Viewer)
	if strings.Contains(string(keep.data), token) {
		t.Errorf("got %s, which has the token in it", keep.data)
	}
	forged, err := signin.Sign([]byte(strings.Repeat("1", 32)), signin.Claims{Kind: event.ActorPerson, Name: "owner"})
	if err != nil {
		t.Fatal(err)
	}
	w = w.again(t, keep.startWith("2"))
	w.do(t, request{method: "GET", path: "/api/notebooks/b1", token: token}).want(t, 200)
	for _, bad := range []string{forged, sign(t, signin.Claims{Kind: event.ActorPerson, Name: "owner"}), token + "x"} {
		w.do(t, request{method: "GET", path: "/api/me", token: bad}).want(t, 401)
	}
}

func TestAC48ATokenIsRevokedAloneAndItsSocketsEnd(t *testing.T) {
	keep := &keptTokens{}
	w := newWorld(t, keep.startWith("1"))
	w.book("b1")
	mine, other := w.token(t, "b1", access.Editor), w.token(t, "b1", access.Editor)
	w.do(t, request{method: "GET", path: "/api/me", token: mine}).want(t, 200)
	ends := w.join(t, "b1", mine, "c1")
	var list server.TokenList
	w.do(t, request{method: "GET", path: "/api/tokens", token: ownerToken}).want(t, 200).into(t, &list)
	if len(list.Tokens) != 2 || list.Tokens[0].Role != access.Editor || list.Tokens[0].Notebook != "b1" || list.Tokens[0].Created == 0 {
		t.Fatalf("got %+v, want both", list.Tokens)
	}
	for _, one := range list.Tokens {
		if strings.HasPrefix(fmt.Sprintf("%x", sha256.Sum256([]byte(mine))), one.ID) {
			w.do(t, request{method: "DELETE", path: "/api/tokens/" + one.ID, token: ownerToken}).want(t, 204)
			w.do(t, request{method: "DELETE", path: "/api/tokens/" + one.ID, token: ownerToken}).want(t, 404)
		}
	}
	if got := ends.ended(); got != nil {
		if _, ok := got.(*protocol.Peers); !ok {
			t.Errorf("got %T %v, want no word", got, got)
		}
	}
	w.do(t, request{method: "GET", path: "/api/me", token: other}).want(t, 200)
	w.do(t, request{method: "GET", path: "/api/me", token: mine}).want(t, 401)
	w = w.again(t, keep.startWith("2"))
	w.do(t, request{method: "GET", path: "/api/me", token: mine}).want(t, 401)
	w.do(t, request{method: "GET", path: "/api/me", token: other}).want(t, 200)
}

func TestAC48ARuntimeOfAnOlderServerGoesOnAndNothingElseOfIt(t *testing.T) {
	w := newWorld(t, (&keptTokens{}).startWith("1"), func(c *server.Config) {
		c.Former = signin.Former{Secret: secret, Runtimes: []event.RuntimeID{"r1"}}
	})
	w.book("b1")
	w.do(t, request{method: "GET", path: "/api/notebooks/b1", token: runtime(t, "b1", "r1")}).want(t, 200)
	for _, old := range []string{runtime(t, "b1", "r2"), key(t, "b1", access.Editor), person(t, "owner")} {
		a := w.do(t, request{method: "GET", path: "/api/notebooks/b1", token: old}).want(t, 401)
		if got := a.problem(t).Detail; !strings.Contains(got, "older server") {
			t.Errorf("got %q, want why", got)
		}
	}
}
