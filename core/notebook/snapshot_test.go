package notebook

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

// complete returns a notebook that uses every member of a snapshot.
func complete(t testing.TB) *Notebook {
	t.Helper()
	no := false
	sc := running(t, "a", "b").add(
		titled("T"), &event.NotebookMetadataSet{Key: "k", Value: json.RawMessage(`[1, {"a": "]"}]`)},
		&event.CellVisibilitySet{Cell: "a", Source: &no, Outputs: &no, Context: &no},
		&event.CellMetadataSet{Cell: "a", Key: "k", Value: json.RawMessage(`"v"`)},
		printed("o", "r", 1, "é😀\x01\"\\\n<>"), displayed("d", "r", "x", `{"a": [1, "}"]}`),
		&event.OutputAdded{Output: "e", Run: "r", Epoch: 1, Value: event.Output{
			Kind: event.OutputError, Error: &event.Error{Name: "E", Message: "m", Line: 1, Trace: []string{"t"}},
		}},
		&event.OutputAdded{Output: "f", Run: "r", Epoch: 1, Value: event.Output{
			Kind: event.OutputResult, Count: 3, Artifacts: map[string]event.Artifact{"image/png": {Hash: "ab"}}, Metadata: bundle("m", "1"),
		}},
		opened("w", "value", `[1, 2]`), viewed("v", "r", "w"),
		&event.OutputsCleared{Run: "r", Epoch: 1, Wait: true},
		&event.InputAsked{Input: "i", Run: "r", Epoch: 1}, &event.ApprovalAsked{Approval: "p", Run: "r", Epoch: 1, Tool: "t"},
		keepGoing(requested("s", "b")), cancelled("s"), requested("u", "a"),
		&event.FileAttached{Name: "f", MIME: "m", Artifact: event.Artifact{Hash: "h"}},
		createdAs("z", "S", event.KindRaw), createdAs("y", "T", event.KindAI), &event.CellDeleted{Cell: "z"}, &event.CellDeleted{Cell: "y"},
		runtimeStarted("ai", event.TakesAI), edited("a", 0, text.Insert(0, "x")),
	)
	return sc.n
}

func TestNB30ASnapshotIsTheWholeNotebook(t *testing.T) {
	n := complete(t)
	got := restored(t, n)
	checkParts(t, got)
	check(t, "rows", rows(t, got), rows(t, n))
	check(t, "number", got.Seq(), n.Seq())
	check(t, "seen", got.Seen("c"), n.Seen("c"))
	check(t, "snapshot", snapshotOf(t, got), snapshotOf(t, n))
}

func TestNB30ASnapshotHasEachMemberOfACellAndOfARun(t *testing.T) {
	n := New()
	c, r := &Cell{source: text.NewText("x")}, &Run{}
	fill(t, reflect.ValueOf(c).Elem(), "Outputs")
	fill(t, reflect.ValueOf(r).Elem())
	r.State = RunFinished
	n.cells[c.ID], n.runs[r.ID] = c, r
	again := restored(t, n)
	c.Deleter = "" // which snapshots do not have
	if diff := cmp.Diff(c, again.Cell(c.ID), cmpopts.IgnoreUnexported(Cell{})); diff != "" {
		t.Errorf("cell: add the member to snapCell, to both of its conversions and to the scanner (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(r, again.Run(r.ID), cmpopts.IgnoreUnexported(Run{})); diff != "" {
		t.Errorf("run: add the member to snapRun, to both of its conversions and to the scanner (-want +got):\n%s", diff)
	}
}

// fill sets the exported members of a row, besides some, to values that are not zero.
func fill(t *testing.T, row reflect.Value, besides ...string) {
	t.Helper()
	for i := range row.NumField() {
		f, name := row.Field(i), row.Type().Field(i).Name
		if !f.CanSet() || slices.Contains(besides, name) {
			continue
		}
		switch {
		case f.Kind() == reflect.String:
			f.SetString("R")
		case f.Kind() == reflect.Bool:
			f.SetBool(true)
		case f.CanInt():
			f.SetInt(1)
		case f.CanUint():
			f.SetUint(1)
		case f.Type() == reflect.TypeFor[event.ID]():
			f.Set(reflect.ValueOf(event.ID{Client: "c", N: 1}))
		case f.Type() == reflect.TypeFor[[]string]():
			f.Set(reflect.ValueOf([]string{"a"}))
		case f.Type() == reflect.TypeFor[map[string]json.RawMessage]():
			f.Set(reflect.ValueOf(map[string]json.RawMessage{"k": json.RawMessage(`1`)}))
		default:
			t.Fatalf("no value for %s, a %s", name, f.Type())
		}
	}
}

func TestNB30ASnapshotOfACompleteNotebookTakesTheShortWay(t *testing.T) {
	if _, ok := scanSnapshot([]byte(snapshotOf(t, complete(t)))); !ok {
		t.Error("got false, want it scanned")
	}
}

func TestNB30ASnapshotInAnotherLayoutGivesTheSame(t *testing.T) {
	want := snapshotOf(t, complete(t))
	var any map[string]any
	if err := json.Unmarshal([]byte(want), &any); err != nil {
		t.Fatal(err)
	}
	data, err := json.MarshalIndent(any, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	n, err := Restore(data)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "snapshot", snapshotOf(t, n), want)
}

func TestNB31RowsOfASnapshotAreInTheirOrder(t *testing.T) {
	var s snapshot
	if err := json.Unmarshal([]byte(snapshotOf(t, complete(t))), &s); err != nil {
		t.Fatal(err)
	}
	var cells, runs []string
	for _, c := range s.Cells {
		cells = append(cells, string(c.ID))
	}
	for _, r := range s.Runs {
		runs = append(runs, string(r.ID))
	}
	check(t, "cells", cells, []string{"a", "b", "y", "z"})
	check(t, "runs", runs, []string{"r", "u", "s"})
}

func TestNB32ASnapshotThatDoesNotFitTogetherIsRefused(t *testing.T) {
	const (
		cell    = `{"seq":9,"cells":[{"id":"a","kind":"code","order":"R"`
		runtime = `"epoch":1,"runtimes":[{"id":"rt","epoch":1,"takes":"code","state":"ready"}]`
		run     = `"id":"r","cell":"a","batch":"c.1","takes":"code"`
	)
	out := `{"id":"o","value":{"kind":"stream","stream":"stdout"}}`
	tests := []struct{ name, data, want string }{
		{"nothing", ``, "unexpected end"},
		{"no object", `[]`, "cannot unmarshal"},
		{"a cut snapshot", cell, "unexpected end"},
		{"a number that is too large", `{"seq":99999999999999999999}`, "cannot unmarshal"},
		{"a cell twice", `{"seq":9,"cells":[{"id":"a","kind":"code","order":"R"},{"id":"a","kind":"code","order":"S"}]}`, "twice"},
		{"an output twice", cell + `,"outputs":[` + out + `,` + out + `]}]}`, "twice"},
		{"an unknown clearing", cell + `,"outputs":[` + out + `],"clear":3}]}`, "clear is 3"},
		{"a clearing of nothing", cell + `,"clear":1}]}`, "0 outputs"},
		{"a latest run that is missing", cell + `,"run":"r"}]}`, "missing"},
		{"a run without its cell", `{"seq":9,"runs":[{` + run + `,"state":"pending"}]}`, "missing"},
		{"a run twice", cell + `,"run":"r"}],"runs":[{` + run + `,"state":"pending"},{` + run + `,"state":"pending"}]}`, "twice"},
		{"an unknown state of a run", cell + `,"run":"r"}],"runs":[{` + run + `,"state":"dreaming"}]}`, "dreaming"},
		{"a run without a batch", cell + `,"run":"r"}],"runs":[{"id":"r","cell":"a","takes":"code","state":"pending"}]}`, "batch is missing"},
		{"a batch that is no id", cell + `,"run":"r"}],"runs":[{"id":"r","cell":"a","batch":"c","takes":"code","state":"pending"}]}`, "event id"},
		{
			"a run of another cell",
			cell + `},{"id":"b","kind":"code","order":"S","run":"r"}],"runs":[{` + run + `,"state":"pending"}]}`, "missing",
		},
		{"a finished run that is not the latest", cell + `}],"runs":[{` + run + `,"state":"finished"}]}`, "not the latest"},
		{"a run without its runtime", cell + `,"run":"r"}],"runs":[{` + run + `,"state":"assigned","epoch":1}]}`, "missing"},
		{"a run of an old epoch", cell + `,"run":"r"}],"runs":[{` + run + `,"state":"started"}],` + runtime + `}`, "missing"},
		{
			"a run of a stopped runtime",
			cell + `,"run":"r"}],"runs":[{` + run + `,"state":"started","epoch":1}],` + strings.Replace(runtime, "ready", "stopped", 1) + `}`, "missing",
		},
		{"an unknown state of a runtime", `{"seq":9,` + strings.Replace(runtime, "ready", "dreaming", 1) + `}`, "dreaming"},
		{"a runtime with an epoch to come", `{"seq":9,` + strings.Replace(runtime, `"epoch":1,"r`, `"epoch":0,"r`, 1) + `}`, "epoch 1 of 0"},
		{"a runtime without an epoch", `{"seq":9,` + strings.Replace(runtime, `"epoch":1,"t`, `"epoch":0,"t`, 1) + `}`, "epoch 0 of 1"},
		{"two runtimes of a kind", `{"seq":9,` + strings.Replace(runtime, `[`, `[{"id":"su","epoch":1,"takes":"code","state":"ready"},`, 1) + `}`, "twice"},
		{"a runtime that is live twice", `{"seq":9,` + strings.Replace(runtime, `[`, `[{"id":"rt","epoch":1,"takes":"ai","state":"ready"},`, 1) + `}`, "twice"},
		{"an input whose run is missing", `{"seq":9,"inputs":[{"id":"i","run":"r"}]}`, "not executing"},
		{"an input whose run is pending", cell + `,"run":"r"}],"runs":[{` + run + `,"state":"pending"}],"inputs":[{"id":"i","run":"r"}]}`, "not executing"},
		{
			"an input twice", cell + `,"run":"r"}],"runs":[{` + run + `,"state":"started","epoch":1}],` + runtime +
				`,"inputs":[{"id":"i","run":"r"},{"id":"i","run":"r"}]}`, "twice",
		},
		{"an approval twice", `{"seq":9,"approvals":[{"id":"p","run":"r"},{"id":"p","run":"r"}]}`, "twice"},
		{"a comm twice", `{"seq":9,` + runtime + `,"comms":[{"id":"w","target":"t","epoch":1},{"id":"w","target":"t","epoch":1}]}`, "twice"},
		{"a comm without its runtime", `{"seq":9,"comms":[{"id":"w","target":"t","epoch":1}]}`, "missing"},
		{"a dead comm that is not shown", `{"seq":9,"comms":[{"id":"w","target":"t","epoch":1,"dead":true}]}`, "shown nowhere"},
		{"a comma too many", `{"seq":9,}`, "invalid character"},
		{"a line feed in a string", "{\"seq\":9,\"title\":\"a\nb\"}", "invalid character"},
		{"an unknown escape", `{"seq":9,"title":"a\x"}`, "invalid character"},
		{"an open string", `{"seq":9,"title":"a`, "unexpected end"},
		{"a member that is no JSON", `{"seq":9,"metadata":{"k":[1,}]}}`, "invalid character"},
		{"something behind it", `{"seq":9} {}`, "after top-level"},
		{"something behind the files", `{"seq":9,"files":{}} {}`, "after top-level"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, err := Restore([]byte(tt.data))
			if err == nil {
				t.Fatalf("got %s, want an error", snapshotOf(t, n))
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %q, want %q in it", err, tt.want)
			}
		})
	}
}

func TestNB30BytesThatAreNotUTF8AreReadTheLongWay(t *testing.T) {
	n, err := Restore([]byte("{\"seq\":9,\"title\":\"a\xff\"}"))
	if err != nil {
		t.Fatal(err)
	}
	check(t, "title", n.Title(), "a\uFFFD")
}

// FuzzRestore looks for a snapshot that makes restoring it, or folding on, panic, and for one that the fast path
// decodes differently.
func FuzzRestore(f *testing.F) {
	f.Add([]byte(snapshotOf(f, New())))
	f.Add([]byte(snapshotOf(f, complete(f))))
	f.Add([]byte(snapshotOf(f, large(f, 3))))
	f.Add([]byte(`{"seq":1,"metadata":{"a":1,"a":[{}]},"epoch":2,"cells":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkScan(t, data)
		n, err := Restore(data)
		if err != nil {
			return
		}
		checkParts(t, n)
		checkAgain(t, n)
		foldAll(n)
		checkParts(t, n)
	})
}

// checkScan fails the test if the fast path decodes data that the general decoder refuses, or decodes it differently.
func checkScan(t *testing.T, data []byte) {
	t.Helper()
	got, ok := scanSnapshot(data)
	if !ok {
		return
	}
	var want snapshot
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatalf("scanned %q: %v", data, err)
	}
	a, errA := json.Marshal(got)
	b, errB := json.Marshal(want)
	if errA != nil || errB != nil {
		t.Fatalf("encode %q: %v, %v", data, errA, errB)
	}
	check(t, "scanned", string(a), string(b))
}

// checkAgain fails the test if a notebook is not the same after a restore.
func checkAgain(t *testing.T, n *Notebook) {
	t.Helper()
	data := snapshotOf(t, n)
	again, err := Restore([]byte(data))
	if err != nil {
		t.Fatalf("restore %s: %v", data, err)
	}
	check(t, "snapshot", snapshotOf(t, again), data)
}

// foldAll folds an event of every kind for every row of a notebook.
func foldAll(n *Notebook) {
	var all []event.Payload
	for id, c := range n.cells {
		all = append(all, &event.CellMoved{Cell: id, Order: "R"}, &event.CellDeleted{Cell: id}, &event.CellRestored{Cell: id},
			edited(id, c.Rev, text.Insert(0, "x")), requested("new-"+string(id), string(id)))
	}
	for id, r := range n.runs {
		all = append(all, printed("new", id, r.Epoch, "x"), &event.OutputsCleared{Run: id, Epoch: r.Epoch}, started(id, r.Epoch),
			finished(id, r.Epoch, event.StatusError))
	}
	for id := range n.inputs {
		all = append(all, &event.InputAnswered{Input: id}, &event.InputClosed{Input: id, Epoch: 1})
	}
	for id := range n.approvals {
		all = append(all, &event.ApprovalAnswered{Approval: id})
	}
	all = append(all, &event.CellOutputsCleared{}, runtimeStarted("new", event.TakesCode), runtimeStarted("new2", event.TakesAI),
		&event.AllRunsCancelled{})
	for _, p := range all {
		n.Apply(&event.Event{ID: event.ID{Client: "fuzz", N: 1}, Payload: p}, nil) //nolint:errcheck // moot events are wanted
	}
}
