package server_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/internal/ws"
)

// regrant gives a person another role in b1, and has the server know it.
func (w *world) regrant(t *testing.T, person string, role access.Role) {
	t.Helper()
	w.store.grant("b1", person, role)
	if err := w.Regrant(t.Context(), "b1", person); err != nil {
		t.Fatal(err)
	}
}

func TestAC7ALoweredRoleHoldsOnASocketThatIsOpen(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	p := w.join(t, "b1", person(t, "editor"), "c1")
	p.committed(p.push(created("k1", ""))[0])
	w.regrant(t, "editor", access.Viewer)
	_ = p.Send(soon(t), []byte(`{"kind":"push","events":[{"id":"c1.2","type":"CellDeleted","payload":{"cell":"k1"}}]}`))
	if msg, ok := p.ended().(*protocol.Resume); !ok || !strings.Contains(msg.Reason, "viewer") {
		t.Errorf("got %v, want to be told to connect again as a viewer", msg)
	}
	again := w.join(t, "b1", person(t, "editor"), "c1")
	if got, want := again.welcome.Role, access.Viewer; got != want {
		t.Errorf("got a welcome as %q, want %q", got, want)
	}
	if got, want := again.welcome.Last, event.Seq(1); got != want {
		t.Errorf("got a log of %d events, want %d", got, want)
	}
}

func TestAC7ARoleThatIsTakenAwayClosesTheSocketsOfThatPersonOnly(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	one, two := w.join(t, "b1", person(t, "editor"), "c1"), w.join(t, "b1", person(t, "editor"), "c2")
	other := w.join(t, "b1", person(t, "co-owner"), "c3")
	w.regrant(t, "editor", "")
	for _, p := range []*peer{one, two} {
		if got := wantClosed(t, p, protocol.CodeForbidden).Message; !strings.Contains(got, "no longer") {
			t.Errorf("got %q, want that they may no longer read it", got)
		}
	}
	other.titled("still here")
	_, err := ws.Dial(soon(t), w.url+"/api/notebooks/b1/sync", person(t, "editor"), ws.Options{})
	var closed *protocol.Closed
	if !errors.As(err, &closed) || closed.Code != protocol.CodeNotFound {
		t.Errorf("got %v, want not-found", err)
	}
}

func TestAC7TheServersOwnerKeepsTheRole(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	p := w.join(t, "b1", ownerToken, "c1")
	w.regrant(t, "owner", "")
	p.titled("mine")
}

func TestAC7ANotebookThatNobodyHasOpenNeedsNothing(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	w.regrant(t, "editor", access.Viewer)
	if err := w.Regrant(t.Context(), "nowhere", "editor"); err != nil {
		t.Errorf("got %v, want no error", err)
	}
	w.eventually(t, "quire_rooms 0")
}

// slowRoles is an access whose first answer is late.
type slowRoles struct {
	server.Access
	asked, answer chan struct{}
	late          atomic.Bool
}

func (s *slowRoles) Role(ctx context.Context, notebook, person string) (access.Role, error) {
	role, err := s.Access.Role(ctx, notebook, person)
	if s.late.CompareAndSwap(false, true) {
		close(s.asked)
		<-s.answer
	}
	return role, err
}

func TestAC7ARoleThatChangesWhileASocketOpensHoldsOnIt(t *testing.T) {
	for _, role := range []access.Role{access.Viewer, ""} {
		t.Run(fmt.Sprintf("%q", role), func(t *testing.T) {
			roles := &slowRoles{asked: make(chan struct{}), answer: make(chan struct{})}
			w := newWorld(t, func(c *server.Config) { roles.Access, c.Access = c.Access, roles })
			w.book("b1")
			var opening sync.WaitGroup
			opening.Go(func() {
				p := w.open(t, "b1", person(t, "editor"))
				p.hello(protocol.Hello{Client: "c1"})
				wantClosed(t, p, protocol.CodeUnavailable)
			})
			<-roles.asked // it was an editor when it was let in
			w.regrant(t, "editor", role)
			close(roles.answer)
			opening.Wait()
		})
	}
}

func TestAC7RegrantingSaysWhenTheRoleCannotBeRead(t *testing.T) {
	w := newWorld(t, func(c *server.Config) { c.Access = brokenAccess{} })
	if err := w.Regrant(t.Context(), "b1", "ada"); !errors.Is(err, errBroken) {
		t.Errorf("got %v, want %v", err, errBroken)
	}
}

var errBroken = errors.New("the disk does not answer")

type brokenAccess struct{}

func (brokenAccess) Role(context.Context, string, string) (access.Role, error) { return "", errBroken }
