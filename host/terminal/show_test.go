package terminal

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

var update = flag.Bool("update", false, "write the golden files anew")

// foldOf returns the notebook of a log with the payloads.
func foldOf(t *testing.T, payloads ...event.Payload) *notebook.Notebook {
	t.Helper()
	n := notebook.New()
	for i, p := range payloads {
		e := event.Event{
			Seq: event.Seq(i + 1), ID: event.ID{Client: "test", N: uint64(i + 1)},
			Actor: "person:ada", Time: event.Time(1_700_000_000_000 + 1000*i), Payload: p,
		}
		if _, err := n.Apply(&e, nil); err != nil {
			t.Fatalf("event %d: %v", i+1, err)
		}
	}
	return n
}

// golden compares with a file of testdata, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// tour returns a notebook with a bit of everything.
func tour(t *testing.T) *notebook.Notebook {
	t.Helper()
	return foldOf(t, tourEvents()...)
}

func tourEvents() []event.Payload {
	return []event.Payload{
		&event.NotebookTitled{Title: "A tour"},
		&event.CellCreated{Cell: "intro", Kind: event.KindMarkdown, Order: "A", Source: "# A tour\n\nof everything\n"},
		&event.CellCreated{Cell: "first", Kind: event.KindCode, Language: "python", Order: "B", Source: "print(1)\n2"},
		&event.CellCreated{Cell: "second", Kind: event.KindCode, Order: "C", Source: "1/0"},
		&event.CellCreated{Cell: "third", Kind: event.KindCode, Order: "D"},
		&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode},
		&event.RunRequested{Runs: []event.RunOf{{Run: "r1", Cell: "first"}, {Run: "r2", Cell: "second"}}},
		&event.RunAssigned{Run: "r1", Epoch: 1},
		&event.RunStarted{Run: "r1", Epoch: 1},
		&event.OutputAdded{Output: "o1", Run: "r1", Epoch: 1, Value: event.Output{Kind: event.OutputStream, Stream: "stdout", Text: "1\n"}},
		&event.OutputAdded{Output: "o2", Run: "r1", Epoch: 1, Value: event.Output{
			Kind: event.OutputResult, Count: 1, Data: map[string]json.RawMessage{"text/plain": json.RawMessage(`"2"`)},
		}},
		&event.RunFinished{Run: "r1", Epoch: 1, Status: event.StatusOK, Count: 1, Took: 12},
		&event.RunAssigned{Run: "r2", Epoch: 1},
		&event.RunStarted{Run: "r2", Epoch: 1},
		&event.OutputAdded{Output: "o3", Run: "r2", Epoch: 1, Value: event.Output{
			Kind: event.OutputError, Error: &event.Error{Name: "ZeroDivisionError", Message: "division by zero", Line: 1},
		}},
		&event.RunFinished{Run: "r2", Epoch: 1, Status: event.StatusError, Count: 2, Took: 3},
		&event.RunRequested{Runs: []event.RunOf{{Run: "r3", Cell: "third"}}},
	}
}

func TestANotebookIsShownToPeople(t *testing.T) {
	var out bytes.Buffer
	if err := Show(&out, "k3x9ab", tour(t), false, nil); err != nil {
		t.Fatal(err)
	}
	golden(t, "show.golden", out.Bytes())
}

func TestANotebookIsShownToScripts(t *testing.T) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(NotebookOf("k3x9ab", tour(t))); err != nil {
		t.Fatal(err)
	}
	golden(t, "show.json.golden", out.Bytes())
}

func TestEveryEventIsOneLine(t *testing.T) {
	var out bytes.Buffer
	payloads := append(tourEvents(),
		&event.NotebookMetadataSet{Key: "k"}, &event.FileAttached{Name: "a.csv"}, &event.FileRemoved{Name: "a.csv"},
		&event.RuntimeReady{Runtime: "rt"}, &event.RuntimeStopped{Runtime: "rt", Reason: event.StopFailed, Detail: "no python"},
		&event.SourceEdited{Cell: "first"}, &event.CellKindChanged{Cell: "first", Kind: event.KindRaw},
		&event.CellLanguageChanged{Cell: "first", Language: "r"}, &event.CellMoved{Cell: "first"},
		&event.CellDeleted{Cell: "first"}, &event.CellRestored{Cell: "first"}, &event.CellVisibilitySet{Cell: "first"},
		&event.CellMetadataSet{Cell: "first", Key: "k"}, &event.RunCancelled{Run: "r3"}, &event.AllRunsCancelled{},
		&event.InputAsked{Run: "r3"}, &event.InputAnswered{Input: "i"},
		&event.InputClosed{Input: "i"}, &event.InputClosed{Input: "i", Answered: true}, &event.OutputAppended{Run: "r3", Text: "x"},
		&event.DisplayUpdated{Run: "r3", DisplayID: "d"}, &event.OutputsCleared{Run: "r3"}, &event.CellOutputsCleared{},
		&event.OutputsImported{Cell: "first"}, &event.ApprovalAsked{}, &event.Unknown{Name: "FromTheFuture"},
		&event.NotebookTitled{Title: "two\nlines \x1b[2J"},
	)
	for i, p := range payloads {
		e := event.Event{Seq: event.Seq(i + 1), Actor: "person:ada", Time: event.Time(1_700_000_000_000 + 1000*i), Payload: p}
		out.WriteString(EventLine(&e, time.UTC) + "\n")
	}
	golden(t, "log.golden", out.Bytes())
}

// namedByType are the events of which `quire log` says no more than their type.
var namedByType = []event.Type{
	"ApprovalAsked", "ApprovalAnswered", "CommOpened", "CommUpdated", "CommSent", "CommClosed", "CommsLost",
}

func TestEachEventIsDescribedOrNamedByItsType(t *testing.T) {
	for _, typ := range event.Types() {
		described := describe(event.New(typ)) != string(typ)
		if described == slices.Contains(namedByType, typ) {
			t.Errorf("%s: described %t, want it in describe or in namedByType, and not in both", typ, described)
		}
	}
}

func TestWhyARunEndedIsShownOnce(t *testing.T) {
	const reason = "the engine died: python ended: exit status 3"
	n := foldOf(t,
		&event.CellCreated{Cell: "c", Kind: event.KindCode, Order: "B", Source: "crash()"},
		&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode},
		&event.RunRequested{Runs: []event.RunOf{{Run: "r1", Cell: "c"}}},
		&event.RunAssigned{Run: "r1", Epoch: 1},
		&event.RunStarted{Run: "r1", Epoch: 1},
		&event.OutputAdded{Output: "o1", Run: "r1", Epoch: 1, Value: event.Output{
			Kind: event.OutputError, Error: &event.Error{Name: "EngineDied", Message: reason},
		}},
		&event.RunFinished{Run: "r1", Epoch: 1, Status: event.StatusLost, Reason: reason},
	)
	var b bytes.Buffer
	if err := Show(&b, "nb", n, false, nil); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), reason); got != 1 {
		t.Errorf("it is said %d times, want once:\n%s", got, b.String())
	}
}

func TestAnErrorWithAnEmptyTraceSaysItsReason(t *testing.T) {
	e := &event.Error{Name: "Interrupted", Message: "no user can be asked here", Trace: []string{""}}
	if got, want := errorText(e), "Interrupted: no user can be asked here"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
