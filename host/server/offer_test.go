package server_test

import (
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/text"
)

func TestSY151TheRoleThatAnAbsentPersonHasByThenDecidesOnAnOffer(t *testing.T) {
	for name, test := range map[string]struct {
		asker string // as tokenOf names them
		then  func(*testing.T, *world)
		want  event.Type
	}{
		"an editor":                     {"editor", nil, "SourceEdited"},
		"an editor who is a viewer":     {"editor", func(t *testing.T, w *world) { w.regrant(t, "editor", access.Viewer) }, "OutputAdded"},
		"an editor who is a runner":     {"editor", func(t *testing.T, w *world) { w.regrant(t, "editor", access.Runner) }, "OutputAdded"},
		"an editor who is nothing":      {"editor", func(t *testing.T, w *world) { w.regrant(t, "editor", "") }, "OutputAdded"},
		"a runner":                      {"runner", nil, "OutputAdded"},
		"a runner who is an editor":     {"runner", func(t *testing.T, w *world) { w.regrant(t, "runner", access.Editor) }, "SourceEdited"},
		"an owner":                      {"co-owner", nil, "SourceEdited"},
		"the server's owner":            {"owner", nil, "SourceEdited"},
		"the server's owner, ungranted": {"owner", func(t *testing.T, w *world) { w.regrant(t, "owner", "") }, "SourceEdited"},
		"a program with a key":          {"key", nil, "OutputAdded"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.book("b1")
			rt := w.joinAs(t, "b1", runtime(t, "b1", "r1"), helloOf("of-r1", "r1"))
			rt.committed(rt.push(&event.RuntimeStarted{Runtime: "r1", Takes: event.TakesCode})[0])
			owner := w.join(t, "b1", ownerToken, "of-owner")
			owner.committed(owner.push(created("k1", "%load x.py"))[0])
			if err := owner.Close(); err != nil {
				t.Fatal(err)
			}
			token := map[string]string{"owner": ownerToken, "key": key(t, "b1", access.Editor)}[test.asker]
			if token == "" {
				token = person(t, test.asker)
			}
			asker := w.join(t, "b1", token, "of-asker")
			asker.committed(asker.push(&event.RunRequested{Runs: []event.RunOf{{Run: "run1", Cell: "k1"}}})[0])
			rt.committed(rt.push(&event.RunAssigned{Run: "run1", Epoch: 1}, &event.RunStarted{Run: "run1", Epoch: 1})[1])
			if err := asker.Close(); err != nil {
				t.Fatal(err)
			}
			w.eventually(t, "quire_clients 1") // the runtime
			if test.then != nil {
				test.then(t, w)
			}
			rt.committed(rt.push(&event.SourceOffered{Run: "run1", Epoch: 1, Cell: "made", Source: "x = 1", Replace: true})[0])
			got := next[*protocol.Events](rt).Events[0]
			if got.Payload.Type() != test.want || got.Actor != "runtime:r1" {
				t.Fatalf("got %s by %s, want %s by the runtime", got.Payload.Type(), got.Actor, test.want)
			}
			switch p := got.Payload.(type) {
			case *event.SourceEdited:
				source := text.NewText("%load x.py")
				if err := source.Apply(p.Edit); err != nil || p.Cell != "k1" || source.String() != "x = 1" {
					t.Errorf("got the source %q in cell %s, %v", source, p.Cell, err)
				}
			case *event.OutputAdded:
				if p.Run != "run1" || p.Value.Text != "x = 1" {
					t.Errorf("got the output %+v, want the text", p)
				}
			}
		})
	}
}
