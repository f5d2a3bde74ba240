package server_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/host/server"
)

// trusting is a launcher that keeps trust.
type trusting struct {
	*launcher
	of   map[string]bool // which notebooks are trusted or not; the others are
	full bool            // it can keep no more
}

func (l *trusting) Trust(notebook string) (server.NotebookTrust, error) {
	trusted, known := l.of[notebook]
	trusted = trusted || !known
	return server.NotebookTrust{Own: !known, Trusted: trusted, Sandboxed: !trusted}, nil
}

func (l *trusting) SetTrust(notebook string, trusted bool) error {
	if l.full {
		return errors.New("there is no room")
	}
	l.of[notebook] = trusted
	return nil
}

func TestAC62WhatComesFromElsewhereIsNotTrustedUntilItsOwnerSaysSo(t *testing.T) {
	l := &trusting{launcher: newLauncher(), of: map[string]bool{}}
	w := newWorld(t, func(c *server.Config) { c.Launcher = l })
	made := func(a answer) string {
		t.Helper()
		var listing directory.Listing
		a.want(t, http.StatusCreated).into(t, &listing)
		return listing.ID
	}
	trust := func(id string) (got server.NotebookTrust) {
		t.Helper()
		w.do(t, request{method: "GET", path: "/api/notebooks/" + id + "/trust", token: ownerToken}).want(t, 200).into(t, &got)
		return got
	}
	duplicate := func(id string) string {
		t.Helper()
		return made(w.do(t, request{method: "POST", path: "/api/notebooks/" + id + "/duplicate", token: ownerToken, body: "{}"}))
	}
	set := func(id string, trusted string) {
		t.Helper()
		w.do(t, request{method: "PUT", path: "/api/notebooks/" + id + "/trust", token: ownerToken, body: `{"trusted":` + trusted + `}`}).want(t, 200)
	}
	inSandbox := server.NotebookTrust{Sandboxed: true}
	free := server.NotebookTrust{Own: true, Trusted: true}
	trusted := server.NotebookTrust{Trusted: true}

	own := made(w.do(t, request{method: "POST", path: "/api/notebooks", token: ownerToken, body: `{"title":"Own"}`}))
	foreign := made(w.importFile(t, "", file))
	copied := duplicate(foreign)
	for id, want := range map[string]server.NotebookTrust{own: free, duplicate(own): free, foreign: inSandbox, copied: inSandbox} {
		if got := trust(id); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	// Trust is of one notebook.
	set(foreign, "true")
	exported := w.do(t, request{method: "GET", path: "/api/notebooks/" + foreign + "/export", token: ownerToken}).want(t, 200).body
	for id, want := range map[string]server.NotebookTrust{foreign: trusted, copied: inSandbox, duplicate(foreign): inSandbox, made(w.importFile(t, "", exported)): inSandbox} {
		if got := trust(id); got != want {
			t.Errorf("after it was trusted: got %+v, want %+v", got, want)
		}
	}
	set(own, "false")
	if got := trust(own); got != inSandbox {
		t.Errorf("after trust was taken back: got %+v, want %+v", got, inSandbox)
	}
	// A notebook that cannot be kept from being trusted is not made.
	l.full = true
	w.importFile(t, "", file).want(t, http.StatusInternalServerError)
	var all struct {
		Notebooks []directory.Listing `json:"notebooks"`
	}
	w.do(t, request{method: "GET", path: "/api/notebooks", token: ownerToken}).want(t, 200).into(t, &all)
	if len(all.Notebooks) != 6 {
		t.Errorf("got %d notebooks, want 6", len(all.Notebooks))
	}
}
