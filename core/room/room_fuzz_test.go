package room_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
)

// vectorEvents returns the events of the vectors of the fold, by their types and payloads.
func vectorEvents(f *testing.F) (all []event.Payload) {
	for _, family := range []string{"notebook", "runs", "outputs", "comms"} {
		data, err := os.ReadFile("../../spec/vectors/" + family + ".json")
		if err != nil {
			f.Fatal(err)
		}
		var cases []struct{ Events []json.RawMessage }
		if err := json.Unmarshal(data, &cases); err != nil {
			f.Fatal(err)
		}
		for _, c := range cases {
			for _, raw := range c.Events {
				if e, err := event.Decode(raw); err == nil {
					all = append(all, e.Payload)
				}
			}
		}
	}
	return all
}

// vectorMessages returns the messages to a room in the vectors of the protocol.
func vectorMessages(f *testing.F) []json.RawMessage {
	data, err := os.ReadFile("../../spec/vectors/sync.json")
	if err != nil {
		f.Fatal(err)
	}
	var v struct{ ToRoom []json.RawMessage }
	if err := json.Unmarshal(data, &v); err != nil {
		f.Fatal(err)
	}
	return v.ToRoom
}

// FuzzRoom has an owner, an editor, a viewer and a runtime push any events in any order, and one
// of them send any message, while the room commits, time passes and they leave and come again.
// What is in the log then is what the log says that it is: numbered without gaps, of who sent it,
// nothing of the viewer, and the same notebook once it is read again. A move has three bytes: who
// or what, and the number of an event.
func FuzzRoom(f *testing.F) {
	events := vectorEvents(f)
	if len(events) < 300 {
		f.Fatalf("got %d events of the vectors", len(events))
	}
	in := func(who byte, from, through int) (moves []byte) {
		for i := from; i <= through; i++ {
			moves = append(moves, who, byte(i>>8), byte(i))
		}
		return append(moves, 4, 0, 0)
	}
	for from := 0; from < len(events); from += 25 {
		f.Add(append(in(0, from, from+12), in(2, from, from+24)...), ``)
		f.Add(append(in(1, from, from+24), append(in(2, from, from+24), 5, 0, 0, 6, 0, 2, 5, 0, 0)...), ``)
	}
	for _, m := range vectorMessages(f) {
		f.Add([]byte{0, 0, 0, 7, 0, 0, 4, 0, 0, 6, 0, 0, 7, 0, 2}, string(m))
	}
	f.Add([]byte{7, 0, 9, 7, 0, 3}, `{"kind":"hello","version":1,"client":"editor","since":18446744073709551615}`)
	f.Fuzz(func(t *testing.T, moves []byte, message string) {
		w := newFuzzRoom(t)
		for len(moves) >= 3 && w.moves < 80 {
			op, number := moves[0], int(moves[1])<<8|int(moves[2])
			moves = moves[3:]
			w.move(op, number, events[number%len(events)], message)
		}
		w.MustCommit()
		w.check()
	})
}

// fuzzRoom is a sequencer with members that send it anything.
type fuzzRoom struct {
	*roomtest.Sequencer
	seats map[string]*roomtest.Member
	moves int
}

func newFuzzRoom(t *testing.T) *fuzzRoom {
	w := &fuzzRoom{Sequencer: roomtest.NewSequencer(t, func(c *room.Config) { c.MaxSize = 1 << 20 }), seats: map[string]*roomtest.Member{}}
	for _, name := range []string{"owner", "editor", "viewer", "runtime"} {
		w.hello(name, protocol.Hello{Version: protocol.Version, Client: event.ClientID(name)})
	}
	return w
}

// hello seats a member, unless it is connected.
func (w *fuzzRoom) hello(name string, h protocol.Hello) {
	actor, role := event.Actor("person:"+name), access.Role(name)
	switch name {
	case "runtime":
		actor, role, h.Runtime = "runtime:rt", access.Runtime, "rt"
	case "eve":
		role = access.Owner
	case "owner", "editor", "viewer":
	default:
		return
	}
	if old := w.seats[name]; old != nil {
		w.Leave(old.Member)
	}
	m := &room.Member{Actor: actor, Role: role, Out: room.NewOutbox(1 << 16)}
	w.seats[name] = &roomtest.Member{Member: m, Of: w.Sequencer, Client: h.Client, N: w.Notebook().Seen(h.Client)}
	w.Join(w.T.Context(), m, &h)
}

// move has one of those who are there push an event, or something else happen.
func (w *fuzzRoom) move(op byte, number int, p event.Payload, message string) {
	w.moves++
	name := []string{"editor", "owner", "runtime", "viewer"}[number%4]
	switch s := w.seats[name]; op & 7 {
	default:
		w.push([]string{"editor", "owner", "runtime", "viewer"}[op&3], op&0x80 != 0, p)
	case 4:
		w.MustCommit()
		w.PublishPresence()
	case 5:
		w.Time += event.Time(8 * time.Second / time.Millisecond)
		if err := w.Expire(w.T.Context()); err != nil {
			w.T.Fatal(err)
		}
	case 6:
		if op&0x80 != 0 {
			w.Leave(s.Member)
			return
		}
		w.MustCommit() // no member joins within a batch
		w.hello(name, protocol.Hello{Version: protocol.Version, Client: event.ClientID(name), Since: w.Notebook().Seq()})
	case 7:
		msg, err := protocol.DecodeToRoom([]byte(message))
		h, isHello := msg.(*protocol.Hello)
		switch {
		case err != nil:
			w.Malformed(s.Member, err)
		case isHello && op&0x80 == 0:
			w.MustCommit()
			w.hello("eve", *h)
		default:
			w.Receive(w.T.Context(), s.Member, msg)
		}
	}
}

// push pushes an event of a member, under its own next id or that of another client.
func (w *fuzzRoom) push(name string, forged bool, p event.Payload) {
	s := w.seats[name]
	s.N++
	id := event.ID{Client: s.Client, N: s.N}
	if forged {
		id.Client = "owner"
	}
	w.Receive(w.T.Context(), s.Member, &protocol.Push{Events: []event.Draft{{ID: id, Payload: p}}})
}

// check wants a log that a room may write, and messages that every member can decode.
func (w *fuzzRoom) check() {
	w.T.Helper()
	for i, e := range w.Logged(0) {
		if e.Seq != event.Seq(i+1) || e.Time == 0 {
			w.T.Fatalf("event %d of the log has the number %d and the time %d", i+1, e.Seq, e.Time)
		}
		switch e.Actor {
		case "person:owner", "person:editor", "person:eve", "runtime:rt", "room:room":
		default:
			w.T.Fatalf("event %d is of %s", e.Seq, e.Actor)
		}
		if err := e.Payload.Check(); err != nil {
			w.T.Fatalf("event %d is malformed: %v", e.Seq, err)
		}
	}
	for name, s := range w.seats {
		messages := s.Take() // which decodes them
		for i, n := range seqs(messages) {
			if i > 0 && n != seqs(messages)[i-1]+1 {
				w.T.Fatalf("%s is told %v", name, seqs(messages))
			}
		}
	}
	before := w.Notebook().Clone()
	w.Restart()
	if after := w.Notebook(); after.Seq() < before.Seq() || after.Seq() == before.Seq() && !notebook.Equal(before, after) {
		w.T.Fatalf("the notebook at %d is another one when it is read again, at %d", before.Seq(), after.Seq())
	}
}
