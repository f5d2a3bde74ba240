package server_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

// legit returns an event that a role may state in a notebook with the runtime r1, nil if there is none.
func legit(role access.Role, n int) event.Payload {
	switch role {
	case access.Viewer:
		return nil
	case access.Runner:
		return &event.RunRequested{Runs: []event.RunOf{{Run: event.RunID(fmt.Sprint("run", n)), Cell: "k1"}}}
	case access.Runtime:
		return &event.RuntimeReady{Runtime: "r1", Epoch: 1}
	}
	return metadata("a", []byte(fmt.Sprint(n)))
}

// TestAC28NoRoleForgesIDs has a client of each role, the runtime's among them, push under ids
// that are not its own, that are used up, and that would use up all that there are.
func TestAC28NoRoleForgesIDs(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	rt := w.joinAs(t, "b1", runtime(t, "b1", "r1"), helloOf("runtime", "r1"))
	rt.committed(rt.push(&event.RuntimeStarted{Runtime: "r1", Takes: event.TakesCode})[0])
	victim := w.join(t, "b1", ownerToken, "victim")
	victim.committed(victim.push(created("k1", "1+1"))[0])
	for i, role := range access.Roles() {
		p, who := rt, event.ClientID("runtime")
		if role == access.Assistant {
			who = "assistant"
			p = w.joinAs(t, "b1", assistant(t, "b1", "a1"), helloOfAssistant(who, "a1"))
		} else if role != access.Runtime {
			asker := string(role)
			if role == access.Owner {
				asker = "co-owner"
			}
			who = eventClient(i)
			p = w.join(t, "b1", person(t, asker), who)
		}
		made := 0
		for range 3 {
			if payload := legit(role, made); payload != nil {
				p.committed(p.push(payload)[0])
				made++
			}
		}
		last := p.n
		for _, forged := range []struct {
			what string
			id   event.ID
			want protocol.Code
		}{
			{"another's, beyond its last", event.ID{Client: "victim", N: 2}, protocol.CodeForbidden},
			{"another's last", event.ID{Client: "victim", N: 1}, protocol.CodeForbidden},
			{"all counters of another", event.ID{Client: "victim", N: math.MaxUint64}, protocol.CodeForbidden},
			{"one of nobody", event.ID{Client: "nobody", N: 1}, protocol.CodeForbidden},
			{"the room's", event.ID{Client: "room", N: 1_000}, protocol.CodeForbidden},
			{"its last again", event.ID{Client: who, N: last}, protocol.CodeDuplicate},
			{"its first again", event.ID{Client: who, N: 1}, protocol.CodeDuplicate},
			{"all of its own counters", event.ID{Client: who, N: math.MaxUint64}, protocol.CodeInvalid},
			{"far beyond its last", event.ID{Client: who, N: last + 1<<32 + 1}, protocol.CodeInvalid},
		} {
			payload, want := legit(role, 100), forged.want
			if payload == nil { // who may state nothing is told so, whatever the id
				payload, want = metadata("a", []byte("1")), protocol.CodeForbidden
			}
			if forged.id.N == 0 {
				continue // a viewer has no last one
			}
			p.send(&protocol.Push{Events: []event.Draft{{ID: forged.id, Payload: payload}}})
			if got := p.refused(forged.id).Code; got != want {
				t.Errorf("%s with %s: got %q, want %q", role, forged.what, got, want)
			}
		}
		if payload := legit(role, made); payload != nil {
			p.committed(p.push(payload)[0]) // and it can go on
		}
	}
	victim.titled("still here")
}

// TestAC28WhatAnEventClaimsOfItselfIsTheRooms has each role claim to be another, at another
// place and time.
func TestAC28WhatAnEventClaimsOfItselfIsTheRooms(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	rt := w.joinAs(t, "b1", runtime(t, "b1", "r1"), helloOf("runtime", "r1"))
	rt.committed(rt.push(&event.RuntimeStarted{Runtime: "r1", Takes: event.TakesCode})[0])
	owner := w.join(t, "b1", ownerToken, "first")
	seq := owner.committed(owner.push(created("k1", "1+1"))[0]).Seq
	claims := []string{
		`"actor":"person:owner"`, `"actor":"room:room"`, `"actor":"runtime:r9"`, `"seq":1`, `"seq":18446744073709551615`, `"time":1`,
		`"time":-1`, `"actor":"person:owner","seq":99,"time":9223372036854775807`,
	}
	for _, role := range []string{"co-owner", "editor", "runner"} {
		p := w.join(t, "b1", person(t, role), event.ClientID(role))
		for _, claim := range claims {
			p.n++
			push := fmt.Sprintf(`{"kind":"push","events":[{"id":"%s.%d",%s,"type":"RunRequested","payload":{"runs":[{"run":"%[1]s-%[2]d","cell":"k1"}]}}]}`, role, p.n, claim)
			p.raw([]byte(push))
			e := p.committed(event.ID{Client: event.ClientID(role), N: p.n})
			seq++
			if e.Actor != event.NewActor(event.ActorPerson, role) || e.Seq != seq || e.Time < 1e12 || e.Time > 1e14 {
				t.Errorf("%s claims %s: got %s, %d at %d, want itself at %d now", role, claim, e.Actor, e.Seq, e.Time, seq)
			}
		}
	}
}

// TestAC27AnEditOfARevisionThatIsNoneIsRefused has revisions that are not yet and never were.
func TestAC27AnEditOfARevisionThatIsNoneIsRefused(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	owner := w.join(t, "b1", ownerToken, "c1")
	owner.committed(owner.push(created("k1", "one"))[0])
	for i, rev := range []string{"-1", "1", "99", "18446744073709551615", "18446744073709551616", "-9223372036854775808", "1.5", `"0"`, "1e3", "true", "[]"} {
		p := w.join(t, "b1", person(t, "editor"), eventClient(100+i))
		id := event.ID{Client: p.client, N: 1}
		p.raw([]byte(fmt.Sprintf(`{"kind":"push","events":[{"id":"%s","type":"SourceEdited","payload":{"cell":"k1","rev":%s,"edit":["x",3]}}]}`, id, rev)))
		code := protocol.CodeInvalid
		switch msg := p.answer(id).(type) {
		case *protocol.Refused:
			code = msg.Code
		case *protocol.Closed:
			code = msg.Code
		default:
			t.Errorf("revision %s: got %T", rev, msg)
		}
		if code != protocol.CodeInvalid && code != protocol.CodeConflict {
			t.Errorf("revision %s: got %q", rev, code)
		}
	}
	if e := owner.titled("still here"); e.Seq != 2 {
		t.Errorf("got the title at %d, want no event before it", e.Seq)
	}
}

// answer returns the outcome of an event, or the reason why the connection ends.
func (p *peer) answer(id event.ID) protocol.ToClient {
	p.t.Helper()
	for {
		switch msg := p.receive().(type) {
		case nil:
			return nil
		case *protocol.Closed:
			return msg
		case *protocol.Refused:
			if msg.ID == id {
				return msg
			}
		case *protocol.Events:
			for _, e := range msg.Events {
				if e.ID == id {
					return msg
				}
			}
		}
	}
}
