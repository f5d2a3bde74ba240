package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
)

// outputs returns the outputs of a cell, a line each.
func (w *world) outputs(cell event.CellID) (lines []string) {
	w.t.Helper()
	_ = w.person.With(func(r *replica.Replica) error {
		book := r.Confirmed()
		for _, id := range book.Cell(cell).Outputs {
			lines = append(lines, outputLine(book.Output(id).Value()))
		}
		return nil
	})
	return lines
}

func outputLine(v event.Output) string {
	switch v.Kind {
	case event.OutputStream:
		return v.Stream + ": " + v.Text
	case event.OutputError:
		return "error: " + v.Error.Name
	case event.OutputResult:
		return fmt.Sprintf("result %d: %s", v.Count, bundleLine(v.Data))
	default:
		return "display: " + bundleLine(v.Data)
	}
}

func bundleLine(data map[string]json.RawMessage) string {
	var all []string
	for mime, raw := range data {
		all = append(all, mime+" "+string(raw))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// events returns everything in the log.
func (w *world) events() (all []event.Event) {
	w.t.Helper()
	err := w.log.Read(context.Background(), 0, func(r event.Record) error {
		e, err := event.Decode(r.Data)
		all = append(all, e)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// types returns the types of the events of one actor.
func (w *world) types(actor event.Actor) (types []string) {
	w.t.Helper()
	for _, e := range w.events() {
		if e.Actor == actor {
			types = append(types, string(e.Payload.Type()))
		}
	}
	return types
}

// errorOf returns the error that a cell's one output is.
func (w *world) errorOf(cell event.CellID) (failed event.Error) {
	w.t.Helper()
	_ = w.person.With(func(r *replica.Replica) error {
		book := r.Confirmed()
		if outputs := book.Cell(cell).Outputs; len(outputs) == 1 {
			if e := book.Output(outputs[0]).Value().Error; e != nil {
				failed = *e
			}
		}
		return nil
	})
	return failed
}
