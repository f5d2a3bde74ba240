package server_test

import (
	"context"
	"sync"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server"
)

func TestAC61APurgedNotebookIsGoneForItsMembersToo(t *testing.T) {
	w := newWorld(t, new(record).use)
	w.book("b1")
	purge := request{method: "POST", path: "/api/notebooks/b1/purge"}
	for token, want := range map[string]int{key(t, "b1", access.Editor): 403, key(t, "b1", access.Runner): 403, key(t, "b2", access.Editor): 404} {
		purge.token = token
		w.do(t, purge).want(t, want)
	}
	p := w.join(t, "b1", ownerToken, "p1")
	p.titled("Leaks")
	purge.token = ownerToken
	w.do(t, purge).want(t, 204)
	if msg, ok := p.ended().(*protocol.Resume); !ok {
		t.Errorf("got %v, want to be told to connect again", msg)
	}
	header := socketHeader()
	w.do(t, request{method: "POST", path: "/api/notebooks/b1/restore", token: ownerToken}).want(t, 410)
	w.do(t, purge).want(t, 410)
	for _, token := range []string{ownerToken, key(t, "b1", access.Viewer), person(t, "viewer")} {
		for _, path := range []string{"/api/notebooks/b1/sync", "/api/notebooks/b1", "/api/notebooks/b1/view"} {
			a := w.do(t, request{method: "GET", path: path, token: token, header: header}).want(t, 410)
			if got := a.problem(t).Code; got != protocol.CodePurged {
				t.Errorf("%s: got code %q, want %q", path, got, protocol.CodePurged)
			}
		}
	}
	w.do(t, request{method: "GET", path: "/api/notebooks/b2", token: person(t, "viewer")}).want(t, 404)
	acts := asked(t, w, "?kind=purge&actor=owner")
	if len(acts) != 1 || acts[0].Failed != "" || acts[0].Notebook != "b1" {
		t.Errorf("got %+v, want one purge", acts)
	}
}

// purgingStore waits until it is let before it removes a notebook.
type purgingStore struct {
	*store
	began, let chan struct{}
}

func (s *purgingStore) PurgeNotebook(ctx context.Context, id string) ([]string, error) {
	close(s.began)
	<-s.let
	return s.store.PurgeNotebook(ctx, id)
}

func TestAC61WhoComesWhileANotebookIsPurgedIsToldToComeAgain(t *testing.T) {
	st := &purgingStore{store: newStore(), began: make(chan struct{}), let: make(chan struct{})}
	w := newWorldOn(t, st.store, func(c *server.Config) { c.Directory = st })
	w.book("b1")
	var purging sync.WaitGroup
	purging.Go(func() {
		w.do(t, request{method: "POST", path: "/api/notebooks/b1/purge", token: ownerToken}).want(t, 204)
	})
	<-st.began
	look := request{method: "GET", path: "/api/notebooks/b1", token: ownerToken}
	w.do(t, look).want(t, 503)
	w.do(t, request{method: "POST", path: "/api/notebooks/b1/restore", token: ownerToken}).want(t, 503)
	close(st.let)
	purging.Wait()
	w.do(t, look).want(t, 410)
}
