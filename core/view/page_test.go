package view_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
	"github.com/quirehq/quire/core/view"
)

// table is a replica with its pages, fed by a room that the test controls.
type table struct {
	t     *testing.T
	room  *notebook.Notebook
	r     *replica.Replica
	pages *view.Pages
	n     uint64
	held  []event.Event
}

func newTable(t *testing.T) *table {
	t.Helper()
	tb := &table{t: t, room: notebook.New(), r: replica.New("me"), pages: view.NewPages()}
	tb.receive(&protocol.Welcome{Version: protocol.Version, Actor: "person:me", Role: access.Editor})
	return tb
}

// receive gives the replica a message.
func (tb *table) receive(msg protocol.ToClient) {
	tb.t.Helper()
	u, err := tb.r.Receive(msg)
	if err != nil {
		tb.t.Fatal(err)
	}
	tb.pages.Receive(tb.r, u)
}

// append lets the room append an event of another member, unless it is moot. The replica gets it with deliver.
func (tb *table) append(p event.Payload) bool {
	tb.n++
	return tb.take(event.Draft{ID: event.ID{Client: "other", N: tb.n}, Payload: p}, "person:other")
}

func (tb *table) take(d event.Draft, by event.Actor) bool {
	e := event.Event{Seq: tb.room.Seq() + 1, ID: d.ID, Actor: by, Time: 1, Payload: d.Payload}
	if _, err := tb.room.Admit(&e, nil); err != nil {
		return false
	}
	tb.held = append(tb.held, e)
	return true
}

// must appends events that are not moot.
func (tb *table) must(payloads ...event.Payload) {
	tb.t.Helper()
	for _, p := range payloads {
		if !tb.append(p) {
			tb.t.Fatalf("the room did not take %s", p.Type())
		}
	}
	tb.deliver()
}

func (tb *table) deliver() {
	tb.t.Helper()
	if len(tb.held) > 0 {
		tb.receive(&protocol.Events{Events: slices.Clone(tb.held)})
		tb.held = nil
	}
}

// types makes an edit in an editor of this page.
func (tb *table) types(cell event.CellID, e text.Edit) {
	tb.t.Helper()
	_, changes, err := tb.r.Edit(cell, e)
	if err != nil {
		tb.t.Fatal(err)
	}
	tb.pages.ApplyLocal(tb.r, view.LocalChange{Changes: changes, Edits: []replica.CellEdit{{Cell: cell, Edit: e}}, By: "editor"})
}

// mirror is the state that a page derives from batches.
type mirror struct {
	t        *testing.T
	notebook *view.Notebook
	cells    map[event.CellID]view.Cell
	texts    map[event.CellID]view.Text
	runs     map[event.RunID]view.Run
	outputs  map[event.OutputID]view.CellOutput
	queue    []event.RunID
	whole    int // rows of outputs that came whole
}

func newMirror(t *testing.T) *mirror {
	return &mirror{t: t, texts: map[event.CellID]view.Text{}}
}

func (m *mirror) show(b *view.Batch) {
	m.t.Helper()
	if b == nil {
		return
	}
	if b.Reset {
		m.cells, m.runs = map[event.CellID]view.Cell{}, map[event.RunID]view.Run{}
		m.outputs = map[event.OutputID]view.CellOutput{}
	}
	if b.Notebook != nil {
		m.notebook = b.Notebook
	}
	if b.Queue != nil {
		m.queue = *b.Queue
	}
	for _, c := range b.Cells {
		if c.Text != nil {
			m.texts[c.ID] = *c.Text
		}
		c.Text = nil
		m.cells[c.ID] = c
	}
	for _, u := range b.Texts {
		m.update(u)
	}
	for _, r := range b.Runs {
		m.runs[r.ID] = r
	}
	for _, o := range b.Outputs {
		m.outputs[o.ID] = o
		m.whole++
	}
	for _, a := range b.Appended {
		m.append(a)
	}
	if b.Gone != nil {
		for _, id := range b.Gone.Outputs {
			delete(m.outputs, id)
		}
		for _, id := range b.Gone.Runs {
			delete(m.runs, id)
		}
	}
}

func (m *mirror) update(u view.TextUpdate) {
	m.t.Helper()
	has, ok := m.texts[u.Cell]
	if !ok || has.Version != u.Version {
		m.t.Fatalf("an update of cell %s at version %d came to a page that has %d", u.Cell, u.Version, has.Version)
	}
	source := text.NewText(has.Source)
	if err := source.Apply(u.Edit); err != nil {
		m.t.Fatal(err)
	}
	m.texts[u.Cell] = view.Text{Version: has.Version + 1, Source: source.String()}
}

func (m *mirror) append(a view.Append) {
	m.t.Helper()
	o := m.outputs[a.Output]
	grown := text.NewText(o.Value.Text)
	if err := grown.Append(a.Drop, a.Text); err != nil {
		m.t.Fatal(err)
	}
	o.Value.Text = grown.String()
	m.outputs[a.Output] = o
}

// wantShown requires the page to show the replica's view.
func (m *mirror) wantShown(r *replica.Replica) {
	m.t.Helper()
	for id := range m.outputs {
		if r.View().Output(id) == nil {
			m.t.Fatalf("the page has output %s, which is gone", id)
		}
	}
	want := newMirror(m.t)
	want.show(view.First(r.View(), 1<<30, 1<<30))
	got := newMirror(m.t)
	got.notebook, got.queue = m.notebook, m.queue
	got.cells, got.runs, got.outputs = map[event.CellID]view.Cell{}, map[event.RunID]view.Run{}, map[event.OutputID]view.CellOutput{}
	for id, c := range want.cells {
		got.cells[id] = m.cells[id]
		got.texts[id] = view.Text{Source: m.texts[id].Source}
		if run, ok := m.runs[c.Run]; ok {
			got.runs[c.Run] = run
		}
		for _, o := range c.Outputs {
			got.outputs[o] = m.outputs[o]
		}
	}
	for name, pair := range map[string][2]any{
		"notebook": {want.notebook, got.notebook}, "cells": {want.cells, got.cells}, "texts": {want.texts, got.texts},
		"runs": {want.runs, got.runs}, "outputs": {want.outputs, got.outputs}, "queue": {want.queue, got.queue},
	} {
		if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
			m.t.Fatalf("%s (-view +page):\n%s", name, diff)
		}
	}
}

func TestAS60ApprovalsComeWithTheirArgumentsWhileTheyAreOpen(t *testing.T) {
	tb := newTable(t)
	page := tb.pages.Open()
	tb.append(&event.CellCreated{Cell: "q", Kind: event.KindAI, Order: "a", Source: "mend it"})
	tb.append(&event.RuntimeStarted{Runtime: "ai", Takes: event.TakesAI})
	tb.append(&event.RuntimeReady{Runtime: "ai", Epoch: 1})
	tb.append(&event.RunRequested{Runs: []event.RunOf{{Run: "r", Cell: "q"}}})
	tb.append(&event.RunAssigned{Run: "r", Epoch: 1})
	tb.append(&event.RunStarted{Run: "r", Epoch: 1})
	asked := &event.ApprovalAsked{
		Approval: "a", Run: "r", Epoch: 1, Tool: "edit_cell", Class: event.ToolEdits, Arguments: json.RawMessage(`{}`), Diff: "-a\n+b\n", Wait: 600_000,
	}
	if !tb.append(asked) {
		t.Fatal("the room refused the question")
	}
	tb.deliver()
	open := view.Approval{
		ID: "a", Run: "r", Tool: "edit_cell", Class: event.ToolEdits, Arguments: json.RawMessage(`{}`), Diff: "-a\n+b\n", Wait: 600_000, Asked: 1,
	}
	if diff := cmp.Diff([]view.Approval{open}, page.Take(tb.r, view.Link{}).Approvals); diff != "" {
		t.Errorf("open (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]view.Approval{open}, view.First(tb.r.View(), 10, 1000).Approvals); diff != "" {
		t.Errorf("first paint (-want +got):\n%s", diff)
	}
	tb.append(&event.ApprovalAnswered{Approval: "a", Answer: event.AnswerDenied, Reason: "no"})
	tb.deliver()
	answered := view.Approval{
		ID: "a", Run: "r", Tool: "edit_cell", Class: event.ToolEdits, Wait: 600_000, Asked: 1,
		Answer: event.AnswerDenied, Reason: "no", Actor: "person:other",
	}
	for name, p := range map[string]*view.Page{"the page": page, "a new page": tb.pages.Open()} {
		if diff := cmp.Diff([]view.Approval{answered}, p.Take(tb.r, view.Link{}).Approvals); diff != "" {
			t.Errorf("answered, %s (-want +got):\n%s", name, diff)
		}
	}
	if got := view.First(tb.r.View(), 10, 1000).Approvals; len(got) != 0 {
		t.Errorf("got %v in the first paint, want none that is answered", got)
	}
}

func TestPagesShowWhatTheViewHas(t *testing.T) {
	for seed := range uint64(200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			g := &generator{table: newTable(t), Rand: rand.New(rand.NewPCG(seed, 1))}
			first, page := newMirror(t), g.pages.Open()
			var second *mirror
			var late *view.Page
			for i := range 150 {
				g.step()
				if g.IntN(3) == 0 {
					g.deliver()
				}
				if g.IntN(4) == 0 {
					first.show(page.Take(g.r, view.Link{}))
					first.wantShown(g.r)
				}
				if i == 75 {
					late, second = g.pages.Open(), newMirror(t)
				}
			}
			g.deliver()
			first.show(page.Take(g.r, view.Link{}))
			first.wantShown(g.r)
			second.show(late.Take(g.r, view.Link{}))
			second.wantShown(g.r)
		})
	}
}

// generator appends random events of users and a runtime.
type generator struct {
	*table
	*rand.Rand
	cells   []event.CellID
	outputs []event.OutputID
	count   int
	running event.RunID
}

func (g *generator) name(kind string) string {
	g.count++
	return fmt.Sprintf("%s%d", kind, g.count)
}

func (g *generator) cell() event.CellID { return g.cells[g.IntN(len(g.cells))] }

func (g *generator) step() {
	if len(g.cells) == 0 || g.IntN(12) == 0 {
		g.create()
		return
	}
	switch g.IntN(8) {
	case 0:
		g.append(&event.CellDeleted{Cell: g.cell()})
	case 1:
		g.append(&event.CellRestored{Cell: g.cell()})
	case 2, 3:
		g.edit()
	case 4:
		g.typeHere()
	default:
		g.run()
	}
}

func (g *generator) create() {
	key, err := g.room.Between(g.IntN(len(g.room.Cells()) + 1))
	if err != nil {
		g.t.Fatal(err)
	}
	id := event.CellID(g.name("c"))
	if g.append(&event.CellCreated{Cell: id, Kind: event.KindCode, Order: key, Source: "abc😀def"}) {
		g.cells = append(g.cells, id)
	}
}

// edit is another member's edit of the room's text.
func (g *generator) edit() {
	c := g.room.Cell(g.cell())
	g.append(&event.SourceEdited{Cell: c.ID, Rev: c.Rev, Edit: text.Insert(g.IntN(3), "x")})
}

// typeHere is an edit of this replica, which the room never commits here: it is transformed over all received edits.
func (g *generator) typeHere() {
	if c := g.r.View().Cell(g.cell()); c != nil {
		g.types(c.ID, text.Insert(min(3, c.Text().Len()), "me"))
	}
}

func (g *generator) run() {
	if g.room.Runtime(event.TakesCode) == nil {
		g.append(&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode, Languages: []string{"python"}})
		g.append(&event.RuntimeReady{Runtime: "rt", Epoch: 1})
	}
	if g.running == "" {
		g.running = event.RunID(g.name("r"))
		g.append(&event.RunRequested{Runs: []event.RunOf{{Run: g.running, Cell: g.cell()}}})
		g.append(&event.RunAssigned{Run: g.running, Epoch: 1})
		g.append(&event.RunStarted{Run: g.running, Epoch: 1})
		return
	}
	g.print()
}

func (g *generator) print() {
	switch g.IntN(6) {
	case 0:
		g.append(&event.RunFinished{Run: g.running, Epoch: 1, Status: event.StatusOK})
		g.running = ""
	case 1:
		g.append(&event.OutputsCleared{Run: g.running, Epoch: 1, Wait: g.IntN(2) == 0})
	case 2:
		id := event.OutputID(g.name("o"))
		g.outputs = append(g.outputs, id)
		g.append(&event.OutputAdded{Output: id, Run: g.running, Epoch: 1, Value: event.Output{
			Kind: event.OutputStream, Stream: event.Stdout, Text: "line\n",
		}})
	default:
		if len(g.outputs) > 0 {
			g.append(&event.OutputAppended{
				Output: g.outputs[len(g.outputs)-1], Run: g.running, Epoch: 1, Drop: g.IntN(3), Text: "more 😀\n",
			})
			if g.IntN(4) == 0 {
				a := event.Artifact{Hash: strings.Repeat("0", 64), Size: g.Int64N(100)}
				g.append(&event.OutputStored{
					Output: g.outputs[len(g.outputs)-1], Run: g.running, Epoch: 1, Artifacts: map[string]event.Artifact{"text/plain": a},
				})
			}
		}
	}
}

func TestATextThatGrowsCostsWhatIsAdded(t *testing.T) {
	tb := newTable(t)
	page, m := tb.pages.Open(), newMirror(t)
	key, _ := tb.room.Between(0)
	tb.must(
		&event.CellCreated{Cell: "a", Kind: event.KindCode, Order: key},
		&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode, Languages: []string{"python"}},
		&event.RuntimeReady{Runtime: "rt", Epoch: 1},
		&event.RunRequested{Runs: []event.RunOf{{Run: "r", Cell: "a"}}},
		&event.RunAssigned{Run: "r", Epoch: 1}, &event.RunStarted{Run: "r", Epoch: 1},
		&event.OutputAdded{Output: "o", Run: "r", Epoch: 1, Value: event.Output{Kind: event.OutputStream, Stream: event.Stdout, Text: "0\n"}},
	)
	m.show(page.Take(tb.r, view.Link{}))
	most := 0
	for range 100 {
		for range 10 {
			tb.must(&event.OutputAppended{Output: "o", Run: "r", Epoch: 1, Text: "a line that is added\n"})
		}
		b := page.Take(tb.r, view.Link{})
		data, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, len(data))
		m.show(b)
	}
	m.wantShown(tb.r)
	if m.whole != 1 {
		t.Errorf("the output came whole %d times, want once", m.whole)
	}
	if most > 1000 {
		t.Errorf("a batch of ten lines took %d bytes", most)
	}
}

func TestAnEditorThatIsBehindIsToldSo(t *testing.T) {
	tb := newTable(t)
	page, m := tb.pages.Open(), newMirror(t)
	key, _ := tb.room.Between(0)
	tb.must(&event.CellCreated{Cell: "a", Kind: event.KindCode, Order: key, Source: "x"})
	m.show(page.Take(tb.r, view.Link{}))
	push := view.TextPush{Cell: "a", Version: m.texts["a"].Version}
	if err := tb.pages.Check(tb.r, &push); err != nil {
		t.Errorf("a push on what the page has: %v", err)
	}
	tb.must(&event.SourceEdited{Cell: "a", Rev: 0, Edit: text.Insert(0, "y")})
	if err := tb.pages.Check(tb.r, &push); err != view.ErrBehind {
		t.Errorf("a push on what is past: %v, want %v", err, view.ErrBehind)
	}
	push.Version = 9
	if err := tb.pages.Check(tb.r, &push); err == nil || err == view.ErrBehind {
		t.Errorf("a push on what is yet to come: %v, want an error that says so", err)
	}
	push = view.TextPush{Cell: "nowhere"}
	if err := tb.pages.Check(tb.r, &push); err == nil {
		t.Error("a push to no cell was taken")
	}
}

func TestTheServersFirstViewIsBehindTheCore(t *testing.T) {
	tb := newTable(t)
	key, _ := tb.room.Between(0)
	tb.must(&event.CellCreated{Cell: "a", Kind: event.KindCode, Order: key, Source: "x"})
	tb.pages.Open()
	first := view.First(tb.room, 1, 1<<30)
	push := view.TextPush{Cell: "a", Version: first.Cells[0].Text.Version}
	if err := tb.pages.Check(tb.r, &push); err != view.ErrBehind {
		t.Errorf("a push on the first view: %v, want %v", err, view.ErrBehind)
	}
}

func TestARefusedEditIsTakenOutOfTheEditors(t *testing.T) {
	tb := newTable(t)
	page, m := tb.pages.Open(), newMirror(t)
	key, _ := tb.room.Between(0)
	tb.must(&event.CellCreated{Cell: "a", Kind: event.KindCode, Order: key, Source: "x"})
	tb.types("a", text.Insert(1, "mine"))
	m.show(page.Take(tb.r, view.Link{}))
	if got := m.texts["a"].Source; got != "xmine" {
		t.Fatalf("the page shows %q", got)
	}
	sent := tb.r.Outgoing()
	push := sent[len(sent)-1].(*protocol.Push)
	u, err := tb.r.Receive(&protocol.Refused{ID: push.Events[0].ID, Code: protocol.CodeForbidden, Message: "no"})
	if err == nil {
		t.Fatal("a refused edit ends the connection")
	}
	tb.pages.Receive(tb.r, u)
	b := page.Take(tb.r, view.Link{})
	m.show(b)
	if got := m.texts["a"].Source; got != "x" {
		t.Errorf("the page shows %q, want what is in the log", got)
	}
	want := []view.Refusal{{ID: push.Events[0].ID, Type: "SourceEdited", Code: protocol.CodeForbidden, Message: "no", Source: "mine"}}
	if diff := cmp.Diff(want, b.Refused); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
}

func TestWhatIsRefusedWhileNoPageIsThereIsToldToTheNext(t *testing.T) {
	tb := newTable(t)
	if _, _, err := tb.r.Do(&event.NotebookMetadataSet{Key: "mine", Value: json.RawMessage(`1`)}); err != nil {
		t.Fatal(err)
	}
	sent := tb.r.Outgoing()
	push := sent[len(sent)-1].(*protocol.Push)
	u, err := tb.r.Receive(&protocol.Refused{ID: push.Events[0].ID, Code: protocol.CodeForbidden, Message: "no"})
	if err != nil {
		t.Fatal(err)
	}
	tb.pages.Receive(tb.r, u)
	for i, want := range []int{1, 0} {
		page := tb.pages.Open()
		if got := len(page.Take(tb.r, view.Link{}).Refused); got != want {
			t.Errorf("page %d is told of %d refusals, want %d", i+1, got, want)
		}
	}
}

func TestASnapshotGoesOnWithTheTextsThatPagesHave(t *testing.T) {
	tb := newTable(t)
	page, m := tb.pages.Open(), newMirror(t)
	key, _ := tb.room.Between(0)
	tb.must(&event.CellCreated{Cell: "a", Kind: event.KindCode, Order: key, Source: "x"})
	m.show(page.Take(tb.r, view.Link{}))
	tb.append(&event.SourceEdited{Cell: "a", Rev: 0, Edit: text.Insert(0, "y")})
	tb.held = nil
	snapshot, err := tb.room.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	tb.r.Disconnected()
	tb.receive(&protocol.Welcome{
		Version: protocol.Version, Actor: "person:me", Role: access.Editor, Seq: tb.room.Seq(), Last: tb.room.Seq(), Snapshot: snapshot,
	})
	b := page.Take(tb.r, view.Link{})
	if !b.Reset || b.Cells[0].Text != nil || len(b.Texts) != 1 {
		t.Errorf("reset %v, text %v, %d updates; want all rows anew and one update", b.Reset, b.Cells[0].Text, len(b.Texts))
	}
	m.show(b)
	m.wantShown(tb.r)
}

func TestAReplicaThatHasNothingYetShowsItsStatusAlone(t *testing.T) {
	r, pages := replica.New("me"), view.NewPages()
	page := pages.Open()
	b := page.Take(r, view.Link{Trouble: "no server"})
	if b == nil || b.Reset || b.Notebook != nil || b.Status == nil || b.Status.Trouble != "no server" {
		t.Errorf("took %+v, want the status alone", b)
	}
	if again := page.Take(r, view.Link{Trouble: "no server"}); again != nil {
		t.Errorf("took %+v, want nothing: nothing changed", again)
	}
}

func TestACellOfTextShowsNoneOfTheOutputsThatItKeeps(t *testing.T) {
	n := notebook.New()
	apply := func(p event.Payload) {
		t.Helper()
		if _, err := n.Apply(&event.Event{ID: event.ID{Client: "a", N: uint64(n.Seq()) + 1}, Payload: p}, nil); err != nil {
			t.Fatal(err)
		}
	}
	apply(&event.CellCreated{Cell: "c", Kind: event.KindCode, Order: "V"})
	apply(&event.OutputsImported{Cell: "c", Outputs: []event.Output{{Kind: event.OutputStream, Stream: event.Stdout, Text: "kept"}}})
	for _, c := range []struct {
		kind event.CellKind
		want int
	}{{event.KindMarkdown, 0}, {event.KindRaw, 0}, {event.KindCode, 1}} {
		apply(&event.CellKindChanged{Cell: "c", Kind: c.kind})
		if got := len(view.First(n, 10, 1<<30).Cells[0].Outputs); got != c.want {
			t.Errorf("%s: got %d outputs shown, want %d", c.kind, got, c.want)
		}
	}
}
