package room_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

func TestSY2ASecondHelloEndsTheConnection(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	s := d.AddPerson("c", access.Editor)
	d.Receive(t.Context(), s.Member, &protocol.Hello{Version: protocol.Version, Client: "c"})
	wantClosed(t, s, protocol.CodeInvalid)
	if got := d.Members(); got != 0 {
		t.Errorf("got %d members, want none", got)
	}
}

func TestSY3AnotherVersionIsClosedWithThatCode(t *testing.T) {
	for _, version := range []int{-1, protocol.Version + 1} {
		d := roomtest.NewSequencer(t, nil)
		wantClosed(t, d.Connect("person:ada", access.Owner, protocol.Hello{Version: version, Client: "c"}), protocol.CodeVersion)
	}
}

func TestSY4AClientNeedsAnIDThatIsOneAndNotTheRooms(t *testing.T) {
	for _, client := range []event.ClientID{"", "a b", "a.b", "é", event.ClientID(strings.Repeat("x", 65)), "room"} {
		d := roomtest.NewSequencer(t, nil)
		wantClosed(t, d.Connect("person:ada", access.Owner, protocol.Hello{Client: client}), protocol.CodeInvalid)
	}
}

func TestSY5WhoMayReadIsLetInAndNobodyElse(t *testing.T) {
	for role, want := range map[access.Role]bool{
		access.Owner: true, access.Editor: true, access.Runner: true, access.Viewer: true, access.Runtime: true,
		"": false, "admin": false,
	} {
		d := roomtest.NewSequencer(t, nil)
		s := d.Connect("person:ada", role, protocol.Hello{Client: "c"})
		if !want {
			wantClosed(t, s, protocol.CodeForbidden)
			continue
		}
		if w := roomtest.Only[*protocol.Welcome](s.Take()); len(w) != 1 || w[0].Role != role {
			t.Errorf("%s: got %v, want a Welcome with the role", role, w)
		}
	}
}

func TestSY6ToServeAsARuntimeNeedsTheRoleOrTheRuntimesToken(t *testing.T) {
	for _, test := range []struct {
		name  string
		actor event.Actor
		role  access.Role
		asks  event.RuntimeID
		want  protocol.Code // empty to be let in
	}{
		{"an owner", "person:ada", access.Owner, "rt", ""},
		{"an editor", "key:ci", access.Editor, "rt", protocol.CodeForbidden},
		{"a runner", "person:bob", access.Runner, "rt", protocol.CodeForbidden},
		{"a viewer", "person:bob", access.Viewer, "rt", protocol.CodeForbidden},
		{"the runtime", "runtime:rt", access.Runtime, "rt", ""},
		{"another runtime", "runtime:other", access.Runtime, "rt", protocol.CodeForbidden},
		{"an owner with no name for it", "person:ada", access.Owner, "a b", protocol.CodeInvalid},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := roomtest.NewSequencer(t, nil)
			s := d.Connect(test.actor, test.role, protocol.Hello{Client: "c", Runtime: test.asks})
			if test.want != "" {
				wantClosed(t, s, test.want)
				return
			}
			w := roomtest.Only[*protocol.Welcome](s.Take())
			if len(w) != 1 || w[0].Role != access.Runtime || w[0].Actor != "runtime:rt" {
				t.Errorf("got %v, want a Welcome as runtime:rt", w)
			}
		})
	}
}

func TestSY6AnEditorBringsARuntimeWhereTheOwnerLetsThem(t *testing.T) {
	for _, test := range []struct {
		name string
		role access.Role
		asks event.RuntimeID
		want protocol.Code // empty to be let in
	}{
		{"an editor", access.Editor, "own", ""},
		{"an editor again", access.Editor, "brought", ""},
		{"an editor as the server's runtime", access.Editor, "rt", protocol.CodeForbidden},
		{"an editor as another's", access.Editor, "owners", protocol.CodeForbidden},
		{"an owner as another's", access.Owner, "brought", ""},
		{"a runner", access.Runner, "own", protocol.CodeForbidden},
		{"a viewer", access.Viewer, "own", protocol.CodeForbidden},
		{"nobody", "", "own", protocol.CodeForbidden},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := roomtest.NewSequencer(t, nil)
			switch test.asks {
			case "rt":
				d.AddRuntime("rt")
			case "owners":
				d.Connect("person:ada", access.Owner, protocol.Hello{Client: "o", Runtime: "owners"}).Push(&event.RuntimeStarted{Runtime: "owners", Takes: event.TakesCode})
			case "brought":
				d.ConnectOwn("key:ci", access.Editor, protocol.Hello{Client: "before", Runtime: "brought"}).Push(&event.RuntimeStarted{Runtime: "brought", Takes: event.TakesCode})
			}
			d.MustCommit()
			s := d.ConnectOwn("key:ci", test.role, protocol.Hello{Client: "c", Runtime: test.asks})
			if test.want != "" {
				wantClosed(t, s, test.want)
				return
			}
			if w := roomtest.Only[*protocol.Welcome](s.Take()); len(w) != 1 || w[0].Role != access.Runtime || w[0].Actor != event.NewActor(event.ActorRuntime, string(test.asks)) {
				t.Errorf("got %v, want a Welcome as the runtime", w)
			}
		})
	}
}

func TestSY7TheSameClientDisplacesItsOlderConnection(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	old := d.AddPerson("c", access.Editor)
	again := d.AddPerson("c", access.Editor)
	wantResume(t, old)

	old.Push(roomtest.NewCell("late"))
	d.MustCommit()

	if got := d.Notebook().Seq(); got != 0 {
		t.Errorf("got %d events, want the displaced connection's push ignored", got)
	}
	if got := old.Take(); len(got) != 0 {
		t.Errorf("the displaced connection got %v, want nothing", got)
	}
	again.Push(roomtest.NewCell("a"))
	d.MustCommit()
	wantSeqs(t, again.Take(), span(1, 1))
}

func TestSY7AnotherClientDisplacesNobody(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	one := d.AddPerson("c", access.Editor)
	d.AddPerson("e", access.Editor)
	if one.Closed() || d.Members() != 2 {
		t.Errorf("got %d members, want both clients", d.Members())
	}
}

func TestSY8AMessageThatCannotBeDecodedEndsTheConnection(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	s := d.AddPerson("c", access.Editor)
	d.Malformed(s.Member, errors.New("message: what is this"))
	wantClosed(t, s, protocol.CodeInvalid)
}

func TestSY6TheRoomSaysWhoBroughtARuntime(t *testing.T) {
	for actor, want := range map[event.Actor]event.Actor{"person:ada": "person:ada", "runtime:rt": ""} {
		role := access.Runtime
		if actor == "person:ada" {
			role = access.Owner
		}
		d := roomtest.NewSequencer(t, nil)
		s := d.Connect(actor, role, protocol.Hello{Client: "c", Runtime: "rt"})
		s.Push(&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode, Brought: "person:claimed"})
		d.MustCommit()
		if rt := d.Notebook().Runtime(event.TakesCode); rt == nil || rt.Brought != want || rt.Actor != "runtime:rt" {
			t.Errorf("%s: got %v, want a runtime that %q brought", actor, rt, want)
		}
	}
}
