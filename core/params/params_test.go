package params

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/order"
)

// bookWith returns the events of a notebook with a text and then code cells. A tag
// stands before the source of its cell.
func bookWith(sources ...string) []event.Payload {
	made := []event.Payload{&event.CellCreated{Cell: "text", Kind: event.KindMarkdown, Order: "A", Source: "# Title"}}
	const keys = "BCDEFGH"
	for i, source := range sources {
		id := event.CellID("c" + keys[i:i+1])
		tag, code, tagged := strings.Cut(source, "|")
		if !tagged {
			code = source
		}
		made = append(made, &event.CellCreated{Cell: id, Kind: event.KindCode, Order: order.Key(keys[i : i+1]), Source: code})
		if tagged {
			made = append(made, &event.CellMetadataSet{Cell: id, Key: "tags", Value: json.RawMessage(`["x","` + tag + `"]`)})
		}
	}
	return made
}

// foldedSources returns the sources of a notebook's cells.
func foldedSources(t *testing.T, payloads []event.Payload) (sources []string, n *notebook.Notebook) {
	t.Helper()
	n = notebook.New()
	for i, p := range payloads {
		e := &event.Event{Seq: event.Seq(i + 1), ID: event.ID{Client: "file", N: uint64(i) + 1}, Payload: p}
		if _, err := n.Admit(e, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range n.Cells() {
		sources = append(sources, n.Cell(id).Source())
	}
	return sources, n
}

func injected(t *testing.T, given List, payloads []event.Payload) (sources, warnings []string) {
	t.Helper()
	_, n := foldedSources(t, payloads)
	made, warnings, err := given.Inject(payloads, n, "spare")
	if err != nil {
		t.Fatal(err)
	}
	sources, after := foldedSources(t, made)
	if tagged(after, tagInjected) == nil && len(given) > 0 {
		t.Errorf("no cell has the tag %s", tagInjected)
	}
	return sources, warnings
}

func TestParametersGoBelowTheirDefaults(t *testing.T) {
	given := List{{Name: "a", Literal: "1"}, {Name: "b", Literal: `"x"`}}
	sources, warnings := injected(t, given, bookWith("import x", "parameters|a = 0\nb: str = 'y'", "print(a)"))
	want := []string{"# Title", "import x", "a = 0\nb: str = 'y'", "# Parameters\na = 1\nb = \"x\"", "print(a)"}
	if diff := cmp.Diff(want, sources); diff != "" || warnings != nil {
		t.Errorf("sources (-want +got), warnings %q:\n%s", warnings, diff)
	}
}

func TestParametersWithoutDefaultsGoToTheTopWithAWarning(t *testing.T) {
	sources, warnings := injected(t, List{{Name: "a", Literal: "1"}}, bookWith("print(a)"))
	if diff := cmp.Diff([]string{"# Parameters\na = 1", "# Title", "print(a)"}, sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "no cell has the tag parameters") {
		t.Errorf("got warnings %q", warnings)
	}
}

func TestParametersTakeThePlaceOfThoseOfAnEarlierRun(t *testing.T) {
	payloads := append(bookWith("parameters|a = 0", "print(a)", "injected-parameters|# Parameters\na = 5"),
		&event.OutputsImported{Cell: "cD", Count: 3, Outputs: []event.Output{{Kind: event.OutputStream, Stream: "stdout", Text: "old"}}})
	sources, _ := injected(t, List{{Name: "a", Literal: "1"}}, payloads)
	if diff := cmp.Diff([]string{"# Title", "a = 0", "print(a)", "# Parameters\na = 1"}, sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	if created := payloads[len(payloads)-3].(*event.CellCreated); created.Source != "# Parameters\na = 5" {
		t.Error("the events that were given have changed")
	}
	_, n := foldedSources(t, payloads)
	made, _, err := List{{Name: "a", Literal: "1"}}.Inject(payloads, n, "spare")
	if _, after := foldedSources(t, made); err != nil || len(tagged(after, tagInjected).Outputs) > 0 {
		t.Errorf("the cell has still outputs of the earlier run, %v", err)
	}
}

func TestNoParametersChangeNothing(t *testing.T) {
	sources, warnings := injected(t, nil, bookWith("x"))
	if len(sources) != 2 || warnings != nil {
		t.Errorf("got %q, %q, want the notebook as it was", sources, warnings)
	}
}

func TestAParameterWithoutADefaultIsWarnedOf(t *testing.T) {
	const defaults = "a = 1\nb: int = 2\nc, d = 3, 4\n  e=5\nx = y == 6\n# g = 7\nf(h=8)\nold.i = 9\nj == 1\nk = l = 2"
	for name, want := range map[string]bool{
		"a": true, "b": true, "c": true, "d": true, "e": true, "x": true, "k": true, "l": true,
		"y": false, "g": false, "h": false, "i": false, "j": false, "int": false,
	} {
		if got := assigns(defaults, name); got != want {
			t.Errorf("%s: got %t, want %t", name, got, want)
		}
	}
	_, warnings := injected(t, List{{Name: "a", Literal: "1"}, {Name: "aa", Literal: "1"}}, bookWith("parameters|"+defaults))
	if diff := cmp.Diff([]string{"the cell with the tag parameters has no aa"}, warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestAParameterMustHaveTheNameOfAVariable(t *testing.T) {
	for _, name := range []string{"a", "_a1", "größe", "変数"} {
		if err := checkName(name); err != nil {
			t.Errorf("%s: got %v, want none", name, err)
		}
	}
	for _, arg := range []string{"", "=1", "1a=1", "a b=1", "a-b=1", "class=1", "a", "a=\xff"} {
		if given, err := Parse(arg, true); err == nil {
			t.Errorf("%q: got %v, want it to be refused", arg, given)
		}
	}
}
