package runtime

import (
	"context"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
)

// shown waits until the notebook has some sources.
func (w *world) shown(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	w.until("the notebook has its sources", func(n *notebook.Notebook) bool {
		got = nil
		for _, id := range n.Cells() {
			got = append(got, n.Cell(id).Source())
		}
		return len(n.Queue()) == 0
	})
	same(t, got, want)
}

func TestAG34WhatAProgramOffersIsStatedBehindItsOutputsAndBeforeItsEnd(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		w.wantStatus(w.request(w.cell("print a", "replace print b"))[0], event.StatusOK)
		var order []string
		for _, e := range w.events() {
			switch e.Payload.(type) {
			case *event.OutputAdded, *event.SourceOffered, *event.RunFinished, *event.SourceEdited:
				order = append(order, string(e.Payload.Type()))
			}
		}
		same(t, order, []string{"OutputAdded", "SourceOffered", "SourceEdited", "RunFinished"})
		w.shown(t, "print b")
		w.wantStatus(w.request(w.cell("offer print c"))[0], event.StatusOK)
		w.shown(t, "print b", "offer print c", "print c")
	})
}

func TestAG34ARunThatDoesNotEndWellOffersNothing(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		w.wantStatus(w.request(w.cell("replace print b", "fail ValueError x"))[0], event.StatusError)
		w.shown(t, "replace print b\nfail ValueError x")
	})
}

func TestAG34AnOfferOutlivesTheRoom(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		id := w.request(w.cell("wait go", "replace print b"))[0]
		w.state(id, notebook.RunStarted)
		w.crash()
		m.engine().Release("go")
		w.start()
		w.wantStatus(id, event.StatusOK)
		w.shown(t, "print b")
	})
}

// lavish is an engine that offers more than a cell takes.
type lavish struct{ *langtest.Scripted }

func (e lavish) Execute(ctx context.Context, req lang.Request, out lang.Sink) (lang.Result, error) {
	result, err := e.Scripted.Execute(ctx, req, out)
	result.Offer = &lang.Offer{Source: strings.Repeat("x", protocol.MaxMessage), Replace: true}
	return result, err
}

func TestAG34AnOfferThatIsTooLargeForACellIsSaid(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		spec := lang.Spec{Language: "scripted", New: func() (lang.Engine, error) { return lavish{langtest.NewScripted()}, nil }}
		w.add("rt", func(c *Config) { c.Engines = lang.NewSet([]lang.Spec{spec}) })
		cell := w.cell("print a")
		w.wantStatus(w.request(cell)[0], event.StatusOK)
		same(t, w.outputs(cell), []string{"stdout: a\n", "stderr: The source for a cell has 16 MiB, and a cell takes 16380 KiB at most\n"})
		w.shown(t, "print a")
	})
}
