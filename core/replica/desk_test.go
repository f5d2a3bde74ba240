package replica_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
	"github.com/quirehq/quire/core/text"
)

// desk is the sequencer of a room with a log in memory, at which a test seats replicas.
type desk struct {
	*room.Sequencer
	t   *testing.T
	log *roomtest.Memory
	cfg room.Config
	now event.Time
}

// newDesk opens a desk on an empty log. Change may be nil.
func newDesk(t *testing.T, change func(*room.Config)) *desk {
	t.Helper()
	d := &desk{t: t, log: roomtest.NewMemory(), now: 1_000_000}
	d.cfg = room.Config{Now: func() event.Time { return d.now }, Clock: func() event.Time { return d.now }, Grace: 10 * time.Second}
	if change != nil {
		change(&d.cfg)
	}
	d.open()
	return d
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

// feed gives a replica messages of a room.
func feed(t *testing.T, r *replica.Replica, messages []protocol.ToClient) replica.Update {
	t.Helper()
	var all replica.Update
	for _, msg := range messages {
		up, err := r.Receive(msg)
		if err != nil {
			t.Fatal(err)
		}
		all.Changes = append(all.Changes, up.Changes...)
		all.Edits = append(all.Edits, up.Edits...)
		all.Committed = append(all.Committed, up.Committed...)
	}
	return all
}

// recordsOf returns the batch of an empty log that has the events.
func recordsOf(t *testing.T, events ...event.Event) room.Batch {
	t.Helper()
	var b room.Batch
	for i := range events {
		data, err := event.Append(nil, &events[i])
		if err != nil {
			t.Fatal(err)
		}
		b.Records = append(b.Records, event.Record{Seq: events[i].Seq, Data: data})
	}
	return b
}

// begin puts the events of an earlier version into the log.
func (d *desk) begin(b room.Batch) {
	d.t.Helper()
	if err := d.log.Append(d.t.Context(), b); err != nil {
		d.t.Fatal(err)
	}
}

// expire lets time pass and the leases end that do, and returns the events of it.
func (d *desk) expire(ms event.Time) []event.Event {
	d.t.Helper()
	before := d.Notebook().Seq()
	d.now += ms
	if err := d.Expire(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
	d.commit()
	return d.logged(before)
}

// ready returns a desk with a runtime and a member who may run.
func ready(t *testing.T) (d *desk, rt, ada *seat) {
	t.Helper()
	d = newDesk(t, nil)
	rt, _ = d.joinRuntime("rt")
	ada = d.join("ada", access.Runner)
	rt.take()
	return d, rt, ada
}

// wantAnswers wants the member to have got answers, each in JSON, and no more.
func wantAnswers(t *testing.T, s *seat, want ...string) {
	t.Helper()
	var got []string
	for _, a := range only[*protocol.Answer](s.take()) {
		text := fmt.Sprintf("%d %s", a.ID, a.Result)
		if a.Error != nil {
			text = fmt.Sprintf("%d %s", a.ID, a.Error.Code)
			if a.Error.Message == "" || a.Result != nil {
				t.Errorf("got %+v, want a message and no result", a)
			}
		}
		got = append(got, text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

func printed(s string) event.Output {
	return event.Output{Kind: event.OutputStream, Stream: event.Stdout, Text: s}
}

// filled returns a desk with n cells in its log, where a client is far behind by
// more than 10 events.
func filled(t *testing.T, n int) *desk {
	t.Helper()
	d := newDesk(t, func(c *room.Config) { c.MaxBehind = 10 })
	for i := range n {
		d.submit(newCell(event.CellID(fmt.Sprintf("c%d", i+1))))
	}
	return d
}

// send lets the room receive one message of the member.
func (s *seat) send(msg protocol.ToRoom) { s.desk.Receive(s.desk.t.Context(), s.Member, msg) }

// call asks the runtime for its variables.
func (s *seat) call(id uint64) { s.send(&protocol.Call{ID: id, Method: protocol.MethodVariables}) }

// loading returns a desk at which a user with a role has requested the run r1 of cell c, which
// has the source "%load x.py" and a cell d behind it. A runtime executes it.
func loading(t *testing.T, role access.Role, change func(*room.Config)) (d *desk, asker, rt *seat) {
	t.Helper()
	d = newDesk(t, change)
	d.submit(cellWith("c", "%load x.py"), cellAfter("d"))
	asker = d.join("ada", role)
	asker.push(request("r1", "c"))
	rt, epoch := d.joinRuntime("rt")
	rt.push(&event.RunAssigned{Run: "r1", Epoch: epoch}, &event.RunStarted{Run: "r1", Epoch: epoch})
	d.commit()
	wantCodes(t, rt.take())
	asker.take()
	return d, asker, rt
}

func cellAfter(id event.CellID) *event.CellCreated {
	return &event.CellCreated{Cell: id, Kind: event.KindCode, Order: "X"}
}

func offer(source string, replace bool) *event.SourceOffered {
	return &event.SourceOffered{Run: "r1", Epoch: 1, Cell: "made", Source: source, Replace: replace}
}

// sources returns the sources of a desk's cells in their order.
func (d *desk) sources() []string {
	var list []string
	for _, id := range d.Notebook().Cells() {
		list = append(list, string(id)+": "+d.source(id))
	}
	return list
}

func finish(run event.RunID, epoch event.Epoch, status event.RunStatus) *event.RunFinished {
	return &event.RunFinished{Run: run, Epoch: epoch, Status: status}
}
