package notebook

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/core/event"
)

// rows returns every row of a notebook in a form that shows whether it changed.
func rows(t rapid.TB, n *Notebook) map[Change]string {
	t.Helper()
	m := map[Change]string{}
	add := func(table Table, id string, row any) {
		data, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		m[Change{table, id}] += string(data)
	}
	add(TableNotebook, "", []any{n.title, n.metadata, n.order})
	for id, c := range n.cells {
		row := n.snapCell(c)
		row.Outputs = nil
		add(TableCells, string(id), []any{row, c.Outputs})
	}
	for _, r := range n.snapRuns() {
		add(TableRuns, string(r.ID), r)
	}
	for id, o := range n.outputs {
		add(TableOutputs, string(id), []any{o.Cell, o.Run, o.Value()})
	}
	for _, takes := range []event.Takes{event.TakesCode, event.TakesAI} {
		if rt := n.runtimes[takes]; rt != nil {
			add(TableRuntimes, string(rt.ID), rt)
		}
	}
	for id, in := range n.inputs {
		add(TableInputs, string(id), in)
	}
	for id, a := range n.approvals {
		add(TableApprovals, string(id), a)
	}
	for name, f := range n.files {
		add(TableFiles, name, f)
	}
	for id, c := range n.comms.rows {
		add(TableComms, string(id), c)
	}
	return m
}

func TestNB6ChangesNameTheRowsThatChanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := New()
		for range rapid.IntRange(0, 60).Draw(t, "events") {
			e := drawEvent(t, n)
			before := rows(t, n)
			changes, _ := n.Apply(&e, nil)
			after := rows(t, n)
			for row := range union(before, after) {
				if before[row] != after[row] && !slices.Contains(changes, row) {
					t.Fatalf("%s %+v changed %v, and its changes are %v", e.Payload.Type(), e.Payload, row, changes)
				}
			}
			for _, row := range changes {
				if before[row] == after[row] && !isAbout(n, e.Payload, row) {
					t.Fatalf("%s %+v names %v, which is as before", e.Payload.Type(), e.Payload, row)
				}
			}
		}
	})
}

func union(a, b map[Change]string) map[Change]bool {
	m := map[Change]bool{}
	for row := range a {
		m[row] = true
	}
	for row := range b {
		m[row] = true
	}
	return m
}

// isAbout reports whether an event names a row by its id, or a display by its
// display id.
func isAbout(n *Notebook, p event.Payload, row Change) bool {
	data, _ := json.Marshal(p)
	names := string(data)
	has := func(s string) bool { return slices.Contains(texts(names), s) }
	if row.Table == TableOutputs && n.outputs[event.OutputID(row.ID)] != nil {
		return has(row.ID) || has(n.outputs[event.OutputID(row.ID)].value.DisplayID)
	}
	return row.Table == TableNotebook || has(row.ID)
}

// texts returns all strings in a JSON value.
func texts(data string) []string {
	var v any
	if json.Unmarshal([]byte(data), &v) != nil {
		return nil
	}
	var all []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			all = append(all, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(v)
	return all
}

func TestNB6ChangesGoBehindThoseThatAreThere(t *testing.T) {
	sc := given(t, created("a", "R", ""))
	first := Change{Table: TableFiles, ID: "first"}
	got, err := sc.n.Apply(sc.event(&event.CellKindChanged{Cell: "a", Kind: event.KindAI}), []Change{first})
	if err != nil {
		t.Fatal(err)
	}
	check(t, "changes", got, []Change{first, {Table: TableCells, ID: "a"}})
}
