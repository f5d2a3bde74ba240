package room_test

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
	"github.com/quirehq/quire/core/text"
)

// desk is a room's sequencer on a log in memory, at which a test seats members. Its
// clock moves when the test says so.
type desk struct {
	*room.Sequencer
	t   *testing.T
	log *roomtest.Memory
	cfg room.Config
	now event.Time

	left func(event.RuntimeID) []event.Draft // what runtimes have left, if not nil
}

// newDesk opens a desk on an empty log. Change may be nil.
func newDesk(t *testing.T, change func(*room.Config)) *desk {
	t.Helper()
	d := &desk{t: t, log: roomtest.NewMemory(), now: 1_000_000}
	d.cfg = room.Config{Now: func() event.Time { return d.now }, Clock: func() event.Time { return d.now }, Grace: 10 * time.Second, Spooled: d.leftBy}
	if change != nil {
		change(&d.cfg)
	}
	d.open()
	return d
}

func (d *desk) leftBy(id event.RuntimeID) []event.Draft {
	if d.left == nil {
		return nil
	}
	return d.left(id)
}

func (d *desk) open() {
	d.t.Helper()
	cfg := d.cfg
	if cfg.Log == nil {
		cfg.Log = d.log
	}
	s, err := room.OpenSequencer(d.t.Context(), cfg)
	if err != nil {
		d.t.Fatal(err)
	}
	d.Sequencer = s
}

// restart crashes the room, and opens it from what its log has.
func (d *desk) restart() {
	d.t.Helper()
	d.log = d.log.Reopen()
	d.open()
}

func (d *desk) commit() {
	d.t.Helper()
	if err := d.Commit(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}

// submit puts payloads into the log on behalf of a person.
func (d *desk) submit(payloads ...event.Payload) {
	d.t.Helper()
	if err := d.Submit(d.t.Context(), "person:ada", payloads...); err != nil {
		d.t.Fatal(err)
	}
	d.commit()
}

// source returns the text of a cell as the room has it.
func (d *desk) source(id event.CellID) string {
	d.t.Helper()
	c := d.Notebook().Cell(id)
	if c == nil {
		d.t.Fatalf("the room has no cell %s", id)
	}
	return c.Source()
}

// logged returns the events of the log after a number.
func (d *desk) logged(after event.Seq) []event.Event {
	d.t.Helper()
	var events []event.Event
	err := d.log.Read(d.t.Context(), after, func(r event.Record) error {
		e, err := event.Decode(r.Data)
		events = append(events, e)
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return events
}

// seat is a member of a desk's room.
type seat struct {
	*room.Member
	desk   *desk
	client event.ClientID
	n      uint64 // the counter of its last event
}

// seat seats a member with a hello.
func (d *desk) seat(actor event.Actor, role access.Role, h protocol.Hello) *seat {
	d.t.Helper()
	if h.Version == 0 {
		h.Version = protocol.Version
	}
	return d.sit(&room.Member{Actor: actor, Role: role, Out: room.NewOutbox(1 << 20)}, h)
}

// bring seats one whom the owner lets connect runtimes.
func (d *desk) bring(actor event.Actor, role access.Role, h protocol.Hello) *seat {
	d.t.Helper()
	h.Version = protocol.Version
	return d.sit(&room.Member{Actor: actor, Role: role, Brings: true, Out: room.NewOutbox(1 << 20)}, h)
}

func (d *desk) sit(m *room.Member, h protocol.Hello) *seat {
	s := &seat{Member: m, desk: d, client: h.Client, n: d.Notebook().Seen(h.Client)}
	d.Join(d.t.Context(), m, &h)
	return s
}

// join seats a person who has nothing of the log, and lets it take its welcome.
func (d *desk) join(client event.ClientID, role access.Role) *seat {
	d.t.Helper()
	s := d.seat("person:"+event.Actor(client), role, protocol.Hello{Client: client})
	s.take()
	return s
}

// joinRuntime seats a runtime with its own token, and starts it.
func (d *desk) joinRuntime(id event.RuntimeID) (*seat, event.Epoch) {
	d.t.Helper()
	actor := event.NewActor(event.ActorRuntime, string(id))
	s := d.seat(actor, access.Runtime, protocol.Hello{Client: event.ClientID("of-" + id), Runtime: id})
	s.push(&event.RuntimeStarted{Runtime: id, Takes: event.TakesCode})
	d.commit()
	s.take()
	return s, d.Notebook().Runtime(event.TakesCode).Epoch
}

// push lets the room receive a push of payloads, under the member's next ids.
func (s *seat) push(payloads ...event.Payload) {
	var push protocol.Push
	for _, p := range payloads {
		s.n++
		push.Events = append(push.Events, event.Draft{ID: event.ID{Client: s.client, N: s.n}, Payload: p})
	}
	s.desk.Receive(s.desk.t.Context(), s.Member, &push)
}

// take returns what the room has for the member.
func (s *seat) take() []protocol.ToClient {
	s.desk.t.Helper()
	messages, _ := s.Out.Drain()
	return decodeAll(s.desk.t, messages)
}

// closed reports whether the room has ended the member's connection.
func (s *seat) closed() bool {
	_, done := s.Out.Drain()
	return done
}

func decodeAll(t *testing.T, messages [][]byte) []protocol.ToClient {
	t.Helper()
	var decoded []protocol.ToClient
	for _, data := range messages {
		msg, err := protocol.DecodeToClient(data)
		if err != nil {
			t.Fatal(err)
		}
		decoded = append(decoded, msg)
	}
	return decoded
}

// only returns the messages of one kind.
func only[M protocol.ToClient](messages []protocol.ToClient) []M {
	var of []M
	for _, msg := range messages {
		if m, ok := msg.(M); ok {
			of = append(of, m)
		}
	}
	return of
}

// seqs returns the numbers of the events that messages bring.
func seqs(messages []protocol.ToClient) []event.Seq {
	var numbers []event.Seq
	for _, m := range only[*protocol.Events](messages) {
		for _, e := range m.Events {
			numbers = append(numbers, e.Seq)
		}
	}
	return numbers
}

// span returns the numbers from lo to hi.
func span(lo, hi event.Seq) []event.Seq {
	var numbers []event.Seq
	for n := lo; n <= hi; n++ {
		numbers = append(numbers, n)
	}
	return numbers
}

// codes returns the codes of the refusals among messages.
func codes(messages []protocol.ToClient) []protocol.Code {
	var got []protocol.Code
	for _, m := range only[*protocol.Refused](messages) {
		got = append(got, m.Code)
	}
	return got
}

func wantCodes(t *testing.T, messages []protocol.ToClient, want ...protocol.Code) {
	t.Helper()
	if got := codes(messages); !slices.Equal(got, want) {
		t.Errorf("refusals: got %v, want %v", got, want)
	}
}

func wantSeqs(t *testing.T, messages []protocol.ToClient, want []event.Seq) {
	t.Helper()
	if diff := cmp.Diff(want, seqs(messages)); diff != "" {
		t.Errorf("numbers of events (-want +got):\n%s", diff)
	}
}

// wantClosed wants the room to have ended a connection with one last word.
func wantClosed(t *testing.T, s *seat, want protocol.Code) {
	t.Helper()
	messages := s.take()
	last := only[*protocol.Closed](messages)
	if len(last) != 1 || last[0].Code != want || last[0].Message == "" {
		t.Errorf("got %v, want one Closed with code %s and a message", messages, want)
	}
	if !s.closed() {
		t.Error("the outbox is still open, want it closed")
	}
}

// wantResume wants the room to have told a member to connect again.
func wantResume(t *testing.T, s *seat) {
	t.Helper()
	messages := s.take()
	if len(only[*protocol.Resume](messages)) != 1 || !s.closed() {
		t.Errorf("got %v, want a Resume and the end", messages)
	}
}

func newCell(id event.CellID) *event.CellCreated {
	return &event.CellCreated{Cell: id, Kind: event.KindCode, Order: "U"}
}

func cellWith(id event.CellID, source string) *event.CellCreated {
	return &event.CellCreated{Cell: id, Kind: event.KindCode, Order: "U", Source: source}
}

func insert(cell event.CellID, rev event.Rev, at int, s string) *event.SourceEdited {
	return &event.SourceEdited{Cell: cell, Rev: rev, Edit: text.Insert(at, s)}
}

func request(run event.RunID, cell event.CellID) *event.RunRequested {
	return &event.RunRequested{Runs: []event.RunOf{{Run: run, Cell: cell}}}
}

// hookedLog calls a function before it appends.
type hookedLog struct {
	room.Log
	before func() error
}

// Append stores a batch unless the function objects.
func (l *hookedLog) Append(ctx context.Context, b room.Batch) error {
	if err := l.before(); err != nil {
		return err
	}
	return l.Log.Append(ctx, b)
}

func newLog() room.Log { return roomtest.NewMemory() }

// jsonText returns the data of an output that is text of one MIME type.
func jsonText(mime, s string) map[string]json.RawMessage {
	return map[string]json.RawMessage{mime: json.RawMessage(strconv.Quote(s))}
}
