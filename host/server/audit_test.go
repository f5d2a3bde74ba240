package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/server"
)

// record is one in memory.
type record struct {
	mu   sync.Mutex
	acts []server.Act
}

func (r *record) Record(a server.Act) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.acts = append(r.acts, a)
}

func (r *record) Acts(_ context.Context, since time.Time, yield func(server.Act) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.acts {
		if a.Time.Before(since) {
			continue
		}
		if err := yield(a); err != nil {
			return err
		}
	}
	return nil
}

func (r *record) use(c *server.Config) { c.Audit = r }

// asked returns the acts that the owner gets.
func asked(t *testing.T, w *world, query string) []server.Act {
	t.Helper()
	var out server.Acts
	w.do(t, request{method: "GET", path: "/api/audit" + query, token: ownerToken}).want(t, 200).into(t, &out)
	return out.Acts
}

func TestAC60WhatPeopleDoIsRecordedWithoutSecrets(t *testing.T) {
	now := newClock()
	w := newWorld(t, new(record).use, now.use)
	w.book("b1")
	link := w.Link()
	w.do(t, request{method: "POST", path: link})
	w.do(t, request{method: "POST", path: "/login?token=sesame"})
	w.do(t, request{method: "GET", path: "/api/me", token: "qt_sesame.rubbish"})
	made := w.do(t, request{method: "POST", path: "/api/tokens", token: ownerToken, body: `{"name":"bot","notebook":"b1","role":"viewer","expiresIn":60}`}).want(t, 201)
	w.do(t, request{method: "POST", path: "/api/links", token: ownerToken}).want(t, 201)
	w.do(t, request{method: "GET", path: "/api/notebooks/b1/export", token: key(t, "b1", access.Viewer)}).want(t, 200)
	now.add(time.Hour)
	later := now.Now().UTC().Format(time.RFC3339)
	w.do(t, request{method: "DELETE", path: "/api/notebooks/b1", token: key(t, "b1", access.Viewer)}).want(t, 403)
	w.do(t, request{method: "DELETE", path: "/api/notebooks/b1", token: ownerToken}).want(t, 204)
	for query, want := range map[string]string{
		"":                                "sign-in sign-in! sign-in! token link export delete",
		"?kind=sign-in":                   "sign-in sign-in! sign-in!",
		"?kind=export&actor=key:ci":       "export",
		"?actor=owner":                    "sign-in token link delete",
		"?actor=person:owner&kind=delete": "delete",
		"?since=" + later:                 "delete",
		"?limit=2":                        "sign-in sign-in!",
		"?kind=purge":                     "",
	} {
		var kinds []string
		for _, a := range asked(t, w, query) {
			kind := a.Kind
			if a.Failed != "" {
				kind += "!"
			}
			kinds = append(kinds, kind)
			if a.From != "127.0.0.1" || a.Time.IsZero() {
				t.Errorf("%q: got %+v, want from where and when", query, a)
			}
		}
		if got := strings.Join(kinds, " "); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
	all, err := json.Marshal(asked(t, w, ""))
	if err != nil {
		t.Fatal(err)
	}
	var token server.Token
	made.into(t, &token)
	for _, secret := range []string{"sesame", token.Token, strings.TrimPrefix(link, "/login?token="), ownerToken} {
		if strings.Contains(string(all), secret) {
			t.Errorf("got %s, which has %s", all, secret)
		}
	}
	for _, bad := range []string{"?since=yesterday", "?limit=0", "?limit=x"} {
		w.do(t, request{method: "GET", path: "/api/audit" + bad, token: ownerToken}).want(t, 400).problem(t)
	}
	for _, a := range asked(t, w, "") {
		if len(asked(t, w, "?kind="+a.Kind)) == 0 {
			t.Errorf("got no acts of the kind %s, which there are", a.Kind)
		}
	}
}

func TestAnUnknownKindOfActsIsAnErrorThatNamesTheKnown(t *testing.T) {
	w := newWorld(t, new(record).use)
	said := w.do(t, request{method: "GET", path: "/api/audit?kind=nonsense", token: ownerToken}).want(t, 400).problem(t)
	if want := `there is no kind of act "nonsense": want one of create, delete, duplicate, export, import, limits, link, purge, rename, restore, ` +
		"run, runtime, runtime-restart, runtime-stop, sign-in, sign-out, token, token-revoke, trust"; said.Detail != want {
		t.Errorf("got %q, want %q", said.Detail, want)
	}
}

// brokenRecord is a record of which only a part can be read.
type brokenRecord struct{ record }

func (r *brokenRecord) Acts(ctx context.Context, since time.Time, yield func(server.Act) error) error {
	return errors.Join(r.record.Acts(ctx, since, yield), errors.New("the disk is gone"))
}

func TestAPartOfTheRecordIsNotTakenForAllOfIt(t *testing.T) {
	r := new(brokenRecord)
	w := newWorld(t, func(c *server.Config) { c.Audit = r })
	w.do(t, request{method: "GET", path: "/api/audit", token: ownerToken}).want(t, 500).problem(t)
	for range 1000 { // more than is held back
		r.Record(server.Act{Kind: "run", Notebook: strings.Repeat("b", 100)})
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+"/api/audit", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+ownerToken)
	resp, err := w.http.Do(req)
	if err != nil {
		return // it was cut off before its head was sent
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("got a whole answer, want one that is cut off")
	}
}

func TestTheRecordSaysWhyAnActWasRefused(t *testing.T) {
	w := newWorld(t, new(record).use)
	for _, body := range []string{`{`, `{"title":""}`} {
		w.do(t, request{method: "POST", path: "/api/notebooks", token: person(t, "owner"), body: body}).want(t, 400)
	}
	for _, a := range asked(t, w, "?kind=create") {
		if a.Failed != "invalid" {
			t.Errorf("got %+v, want invalid", a)
		}
	}
	if got := len(asked(t, w, "?kind=create")); got != 2 {
		t.Errorf("got %d acts, want 2", got)
	}
}

func TestAC60ARunIsRecordedWithWhoAskedForWhichCell(t *testing.T) {
	w := newWorld(t, new(record).use)
	w.book("b1")
	p := w.join(t, "b1", ownerToken, "p1")
	p.push(&event.CellCreated{Cell: "c1", Kind: event.KindCode, Language: "python", Order: "m", Source: "secret = 'sesame'"})
	p.committed(p.push(&event.RunRequested{Runs: []event.RunOf{{Run: "r1", Cell: "c1"}}})[0])
	acts := asked(t, w, "?kind=run")
	if len(acts) != 1 || acts[0].Actor != "person:owner" || acts[0].Notebook != "b1" || acts[0].Detail["cell"] != "c1" {
		t.Errorf("got %+v, want who ran which cell of which notebook", acts)
	}
	if text, _ := json.Marshal(acts); strings.Contains(string(text), "sesame") {
		t.Errorf("got %s, which has code", text)
	}
}

// unrecorded are the routes that change something and are no acts themselves: a sign-in is an act only if it succeeds, and
// the others add nothing that a later event or act does not name.
var unrecorded = map[server.Pattern]bool{
	{"POST", "/login"}:                                    true,
	{"POST", "/api/notebooks/{id}/artifacts"}:             true,
	{"POST", "/api/notebooks/{id}/artifacts/{hash}/link"}: true,
	{"POST", "/api/notebooks/{id}/export/link"}:           true,
	{"POST", "/api/notebooks/{id}/runtime/limit"}:         true,
}

func TestAC60EachRouteThatChangesSomethingIsRecordedOrNamed(t *testing.T) {
	for _, route := range newWorld(t).Routes() {
		if route.Method != http.MethodGet && server.Recorded(route) == unrecorded[route] {
			t.Errorf("%s %s: recorded %t, want it in the table of acts or in unrecorded, and not in both", route.Method, route.Path, server.Recorded(route))
		}
	}
}
