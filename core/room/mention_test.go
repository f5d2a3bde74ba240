package room_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
)

// shelf is what a host has of a notebook's artifacts.
type shelf struct {
	has       map[string]bool
	mentioned []string
	err       error
	seq       func() event.Seq
	before    event.Seq // what the notebook had come to at the last mention
}

func (s *shelf) mention(_ context.Context, list []event.Artifact) error {
	if s.err != nil {
		return s.err
	}
	for _, a := range list {
		if !s.has[a.Hash] {
			return fmt.Errorf("%s: %w", a.Hash, room.ErrNoArtifact)
		}
		s.mentioned = append(s.mentioned, a.Hash)
	}
	s.before = s.seq()
	return nil
}

// shelved returns a sequencer with a shelf that has one artifact.
func shelved(t *testing.T) (*roomtest.Sequencer, *shelf, event.Artifact) {
	t.Helper()
	a := event.Artifact{Hash: strings.Repeat("ab", 32), Size: 3}
	s := &shelf{has: map[string]bool{a.Hash: true}}
	d := roomtest.NewSequencer(t, func(c *room.Config) { c.Mention = s.mention })
	s.seq = func() event.Seq { return d.Notebook().Seq() }
	return d, s, a
}

func attached(name string, a event.Artifact) *event.FileAttached {
	return &event.FileAttached{Name: name, Artifact: a}
}

func TestAR11AnArtifactIsNotedBeforeTheEventThatMentionsItIsTaken(t *testing.T) {
	d, s, a := shelved(t)
	seat := d.AddPerson("c", access.Editor)
	seat.Push(&event.NotebookMetadataSet{Key: "k", Value: []byte("1")}, attached("f", a))
	d.MustCommit()
	if got := d.Notebook().Seq(); got != 2 || s.before != 1 {
		t.Errorf("got number %d, and %d when it was noted, want 2 and 1", got, s.before)
	}
	if diff := cmp.Diff([]string{a.Hash}, s.mentioned); diff != "" {
		t.Errorf("noted (-want +got):\n%s", diff)
	}
	if f, ok := d.Notebook().File("f"); !ok || f.Artifact != a {
		t.Errorf("got file %v and %t", f, ok)
	}
}

func TestAR11AnEventThatMentionsWhatTheNotebookLacksIsRefusedAsNotFound(t *testing.T) {
	d, s, a := shelved(t)
	seat := d.AddPerson("c", access.Editor)
	none := event.Artifact{Hash: strings.Repeat("cd", 32)}
	seat.Push(attached("f", none), attached("g", a))
	d.MustCommit()
	var no *protocol.Refused
	for _, m := range seat.Take() {
		if r, ok := m.(*protocol.Refused); ok {
			no = r
		}
	}
	if no == nil || no.ID != (event.ID{Client: "c", N: 1}) || no.Code != protocol.CodeNotFound || !strings.Contains(no.Message, "upload it first") {
		t.Errorf("got %+v, want that the first is refused as not found", no)
	}
	if diff := cmp.Diff([]string{"g"}, d.Notebook().Files()); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	err := d.Submit(t.Context(), "person:ada", attached("h", none))
	if got := room.CodeOf(err); got != protocol.CodeNotFound {
		t.Errorf("submit: got %v, want that it is refused as not found", err)
	}
	if len(s.mentioned) != 1 {
		t.Errorf("got %v noted, want one", s.mentioned)
	}
}

func TestAR11WhoPushesWhileArtifactsCannotBeLookedUpConnectsAgainAndPushesAllOfIt(t *testing.T) {
	d, s, a := shelved(t)
	seat := d.AddPerson("c", access.Editor)
	s.err = errors.New("disk on fire")
	title := &event.NotebookMetadataSet{Key: "k", Value: []byte("1")}
	seat.Push(title, attached("f", a), &event.NotebookMetadataSet{Key: "k", Value: []byte("2")})
	d.MustCommit()
	resume := false
	for _, m := range seat.Take() {
		switch m := m.(type) {
		case *protocol.Resume:
			resume = true
		case *protocol.Refused:
			t.Errorf("got refused: %+v", m)
		}
	}
	if !resume || d.Members() != 0 || d.Notebook().Seq() != 1 {
		t.Errorf("got resume: %t, %d members and number %d, want the member gone after its first event", resume, d.Members(), d.Notebook().Seq())
	}
	if err := d.Submit(t.Context(), "person:ada", attached("h", a)); room.CodeOf(err) != protocol.CodeUnavailable {
		t.Errorf("submit: got %v, want that it is unavailable", err)
	}
	s.err = nil
	seat = d.AddPerson("c", access.Editor)
	again := &protocol.Push{Events: []event.Draft{
		{ID: event.ID{Client: "c", N: 1}, Payload: title},
		{ID: event.ID{Client: "c", N: 2}, Payload: attached("f", a)},
		{ID: event.ID{Client: "c", N: 3}, Payload: &event.NotebookMetadataSet{Key: "k", Value: []byte("2")}},
	}}
	d.Receive(t.Context(), seat.Member, again)
	d.MustCommit()
	if got := string(d.Notebook().Metadata()["k"]); got != "2" || d.Notebook().Seq() != 3 {
		t.Errorf("got %s and number %d, want all three events once", got, d.Notebook().Seq())
	}
}
