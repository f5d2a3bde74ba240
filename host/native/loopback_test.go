package native_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/host/native"
)

// open returns a room that serves until the test ends.
func open(t *testing.T) *native.Loopback {
	t.Helper()
	room, err := native.NewLoopback(t.Context(), room.Config{}, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- room.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("run: %v", err)
		}
	})
	return room
}

// join returns a session on the room that works until the test ends.
func join(t *testing.T, room *native.Loopback, client event.ClientID, role access.Role) *replica.Session {
	t.Helper()
	session := replica.NewSession(replica.SessionConfig{
		Replica: replica.New(client),
		Dial: func(context.Context) (protocol.Conn, error) {
			return room.Dial(event.NewActor(event.ActorPerson, string(client)), role), nil
		},
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() { defer close(done); _ = session.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	if err := session.Wait(t.Context(), (*replica.Replica).Online); err != nil {
		t.Fatal(err)
	}
	return session
}

func TestSessionsOnALoopbackSeeEachOthersEvents(t *testing.T) {
	room := open(t)
	ada, bob := join(t, room, "ada", access.Owner), join(t, room, "bob", access.Viewer)
	err := ada.Do(t.Context(),
		&event.NotebookTitled{Title: "shared"},
		&event.CellCreated{Cell: "c1", Kind: event.KindCode, Order: "M", Source: "1+1"})
	if err != nil {
		t.Fatal(err)
	}
	err = bob.Wait(t.Context(), func(r *replica.Replica) bool {
		c := r.Confirmed().Cell("c1")
		return r.Confirmed().Title() == "shared" && c != nil && c.Source() == "1+1"
	})
	if err != nil {
		t.Error(err)
	}
}

func TestALoopbackHoldsRolesAsAnyRoomDoes(t *testing.T) {
	viewer := join(t, open(t), "bob", access.Viewer)
	if err := viewer.Do(t.Context(), &event.NotebookTitled{Title: "mine"}); err == nil {
		t.Error("got no error for a viewer's title")
	}
}

func TestALateSessionGetsWhatWasSubmittedBefore(t *testing.T) {
	room := open(t)
	if err := room.Submit(t.Context(), "person:owner", &event.NotebookTitled{Title: "early"}); err != nil {
		t.Fatal(err)
	}
	var got string
	if err := room.View(t.Context(), func(n *notebook.Notebook) { got = n.Title() }); err != nil || got != "early" {
		t.Errorf("view: got %q, %v", got, err)
	}
	late := join(t, room, "late", access.Editor)
	_ = late.With(func(r *replica.Replica) error {
		got = r.Confirmed().Title()
		return nil
	})
	if got != "early" {
		t.Errorf("got title %q, want %q", got, "early")
	}
}

func TestAClosedConnectionReceivesNoMore(t *testing.T) {
	conn := open(t).Dial("person:owner", access.Owner)
	for range 2 {
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := conn.Receive(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want EOF", err)
	}
}

func TestGarbageEndsTheConnectionWithAReason(t *testing.T) {
	conn := open(t).Dial("person:owner", access.Owner)
	defer func() { _ = conn.Close() }()
	hello, err := protocol.EncodeToRoom(replica.New("ada").Hello())
	if err != nil {
		t.Fatal(err)
	}
	for _, message := range [][]byte{hello, []byte("garbage")} {
		if err := conn.Send(t.Context(), message); err != nil {
			t.Fatal(err)
		}
	}
	for {
		data, err := conn.Receive(t.Context())
		if err != nil {
			t.Fatalf("the connection ended without a reason: %v", err)
		}
		msg, err := protocol.DecodeToClient(data)
		if err != nil {
			t.Fatal(err)
		}
		if closed, ok := msg.(*protocol.Closed); ok {
			if closed.Code != protocol.CodeInvalid {
				t.Errorf("got code %q, want %q", closed.Code, protocol.CodeInvalid)
			}
			return
		}
	}
}
