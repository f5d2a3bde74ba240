package notebook

import (
	"encoding/json"
	"errors"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/order"
	"github.com/quirehq/quire/core/text"
)

// scenario folds events into a notebook with the numbers that a room would give them.
type scenario struct {
	t rapid.TB
	n *Notebook
	// counter is that of the last event of the client c.
	counter uint64
	changes []Change // of the last event
}

// given returns a scenario that has folded the payloads, none of which may be moot.
func given(t rapid.TB, payloads ...event.Payload) *scenario {
	sc := &scenario{t: t, n: New()}
	return sc.add(payloads...)
}

// event wraps a payload in the next envelope. Its time is 1000 and its number.
func (sc *scenario) event(p event.Payload) *event.Event {
	sc.counter++
	seq := sc.n.Seq() + 1
	return &event.Event{
		Seq: seq, ID: event.ID{Client: "c", N: sc.counter}, Actor: "person:ada", Time: event.Time(1000 + seq), Payload: p,
	}
}

// add folds payloads, none of which may be moot.
func (sc *scenario) add(payloads ...event.Payload) *scenario {
	sc.t.Helper()
	for _, p := range payloads {
		e := sc.event(p)
		changes, err := sc.n.Apply(e, nil)
		if err != nil {
			sc.t.Fatalf("apply %s %+v: %v", p.Type(), p, err)
		}
		sc.changes = changes
	}
	return sc
}

// moot folds a payload that must be moot for a kind of reason, and change nothing else.
func (sc *scenario) moot(want MootKind, p event.Payload) {
	sc.t.Helper()
	before := state(sc.t, sc.n)
	changes, err := sc.n.Apply(sc.event(p), nil)
	var moot *Moot
	if !errors.As(err, &moot) {
		sc.t.Fatalf("apply %s %+v: got error %v, want a moot event", p.Type(), p, err)
	}
	if moot.Kind != want || moot.Reason == "" || len(changes) != 0 {
		sc.t.Errorf("apply %s %+v: got %s (%s) and changes %v, want %s", p.Type(), p, moot.Kind, moot.Reason, changes, want)
	}
	check(sc.t, "state after a moot event", state(sc.t, sc.n), before)
}

// order returns the ids of the cells in their order.
func (sc *scenario) order() []event.CellID { return append([]event.CellID{}, sc.n.Cells()...) }

// queue returns the runs that are not finished.
func (sc *scenario) queue() []event.RunID { return append([]event.RunID{}, sc.n.Queue()...) }

// state returns the snapshot of a notebook without the members that every event changes: its number and the counters of
// clients.
func state(t rapid.TB, n *Notebook) string {
	t.Helper()
	bare := *n
	bare.seq, bare.clients = 0, clients{}
	return snapshotOf(t, &bare)
}

func snapshotOf(t rapid.TB, n *Notebook) string {
	t.Helper()
	data, err := n.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func restored(t rapid.TB, n *Notebook) *Notebook {
	t.Helper()
	r, err := Restore([]byte(snapshotOf(t, n)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// check fails the test if got is not want.
func check(t rapid.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// The payloads that tests fold most often, in their shortest form.

func created(id event.CellID, key order.Key, source string) *event.CellCreated {
	return &event.CellCreated{Cell: id, Kind: event.KindCode, Order: key, Source: source}
}

func createdAs(id event.CellID, key order.Key, kind event.CellKind) *event.CellCreated {
	return &event.CellCreated{Cell: id, Kind: kind, Order: key}
}

func edited(id event.CellID, rev event.Rev, e text.Edit) *event.SourceEdited {
	return &event.SourceEdited{Cell: id, Rev: rev, Edit: e}
}

func runtimeStarted(id event.RuntimeID, takes event.Takes) *event.RuntimeStarted {
	return &event.RuntimeStarted{Runtime: id, Takes: takes}
}

// requested asks for runs, given as pairs of a run and its cell.
func requested(pairs ...string) *event.RunRequested {
	p := new(event.RunRequested)
	for i := 0; i < len(pairs); i += 2 {
		p.Runs = append(p.Runs, event.RunOf{Run: event.RunID(pairs[i]), Cell: event.CellID(pairs[i+1])})
	}
	return p
}

func keepGoing(p *event.RunRequested) *event.RunRequested {
	p.KeepGoing = true
	return p
}

func mayFail(p *event.RunRequested, run event.RunID) *event.RunRequested {
	for i := range p.Runs {
		p.Runs[i].MayFail = p.Runs[i].MayFail || p.Runs[i].Run == run
	}
	return p
}

func allow(p *event.RunRequested, names ...string) *event.RunRequested {
	p.Allow = names
	return p
}

func assigned(id event.RunID, epoch event.Epoch) *event.RunAssigned {
	return &event.RunAssigned{Run: id, Epoch: epoch}
}

func started(id event.RunID, epoch event.Epoch) *event.RunStarted {
	return &event.RunStarted{Run: id, Epoch: epoch}
}

func finished(id event.RunID, epoch event.Epoch, status event.RunStatus) *event.RunFinished {
	return &event.RunFinished{Run: id, Epoch: epoch, Status: status}
}

func cancelled(id event.RunID) *event.RunCancelled { return &event.RunCancelled{Run: id} }

func printed(id event.OutputID, run event.RunID, epoch event.Epoch, s string) *event.OutputAdded {
	return &event.OutputAdded{
		Output: id, Run: run, Epoch: epoch,
		Value: event.Output{Kind: event.OutputStream, Stream: event.Stdout, Text: s},
	}
}

func appended(id event.OutputID, run event.RunID, epoch event.Epoch, drop int, s string) *event.OutputAppended {
	return &event.OutputAppended{Output: id, Run: run, Epoch: epoch, Drop: drop, Text: s}
}

// bundle makes the data of an output from pairs of a MIME type and a JSON value.
func bundle(pairs ...string) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = json.RawMessage(pairs[i+1])
	}
	return m
}

// running returns a scenario with a cell for each name, and a started run r of the first of them.
func running(t rapid.TB, cells ...event.CellID) *scenario {
	t.Helper()
	sc := given(t, runtimeStarted("rt", event.TakesCode))
	for i, c := range cells {
		sc.add(created(c, order.Key('A'+rune(i)), ""))
	}
	return sc.add(requested("r", string(cells[0])), assigned("r", 1), started("r", 1))
}
