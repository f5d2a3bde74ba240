package server_test

import (
	"encoding/json"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

func TestAC27CallsNeedARoleOnASocketToo(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	rt := w.joinAs(t, "b1", runtime(t, "b1", "r1"), helloOf("runtime", "r1"))
	rt.committed(rt.push(&event.RuntimeStarted{Runtime: "r1", Takes: event.TakesCode})[0])
	methods := []protocol.Method{
		protocol.MethodComplete, protocol.MethodInspect, protocol.MethodVariables, protocol.MethodAnswer, protocol.MethodComm, "unheard", "Complete", "execute",
	}
	params := []string{"", "null", "{}", `{"source":"__import__('os').system('id')","cursor":1}`, `{"actor":"person:owner"}`}
	for i, role := range access.Roles() {
		asker := map[access.Role]string{access.Owner: "co-owner", access.Runtime: "another"}[role]
		if asker == "" {
			asker = string(role)
		}
		token := person(t, asker)
		if role == access.Runtime {
			token = runtime(t, "b1", "r1") // which does not say that it serves
		}
		if role == access.Assistant {
			token, asker = assistant(t, "b1", "a1"), "a1"
		}
		p := w.join(t, "b1", token, eventClient(i))
		id := uint64(0)
		for _, method := range methods {
			for _, with := range params {
				id++
				p.send(&protocol.Call{ID: id, Method: method, Params: json.RawMessage(with)})
				if role.May(access.Run) {
					asked := next[*protocol.Call](rt)
					if asked.Method != method || asked.From != actorOf(role, asker) {
						t.Fatalf("%s calls %s: the runtime got %s of %s", role, method, asked.Method, asked.From)
					}
					rt.send(&protocol.Answer{ID: asked.ID, Result: json.RawMessage("{}")})
				}
				a := next[*protocol.Answer](p)
				if forbidden := a.Error != nil && a.Error.Code == protocol.CodeForbidden; a.ID != id || forbidden == role.May(access.Run) {
					t.Errorf("%s calls %s with %s: got %+v, want forbidden: %v", role, method, with, a.Error, !role.May(access.Run))
				}
			}
		}
	}

	// This call is the next that the runtime gets: none of the others came.
	owner := w.join(t, "b1", ownerToken, "last")
	owner.send(&protocol.Call{ID: 1, Method: "last"})
	if got := next[*protocol.Call](rt).Method; got != "last" {
		t.Errorf("the runtime got a call %q of one who may not make it", got)
	}
}

// actorOf returns the actor of one who asks with a role.
func actorOf(role access.Role, name string) event.Actor {
	if role == access.Assistant {
		return event.TakesAI.Actor(event.RuntimeID(name))
	}
	return event.NewActor(event.ActorPerson, name)
}
