package notebook

import (
	"encoding/json"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/order"
	"github.com/quirehq/quire/core/text"
)

// histories generates logs with few, often colliding names. About half of the events are aimed at the current notebook,
// so all states are reached; the rest are arbitrary, even some that no room would admit.
func histories() *rapid.Generator[[]event.Event] {
	return rapid.Custom(func(t *rapid.T) []event.Event {
		n := New()
		var events []event.Event
		for range rapid.IntRange(0, 60).Draw(t, "events") {
			e := drawEvent(t, n)
			n.Apply(&e, nil) //nolint:errcheck // moot events are wanted
			events = append(events, e)
		}
		return events
	})
}

func drawEvent(t *rapid.T, n *Notebook) event.Event {
	client := rapid.SampledFrom([]event.ClientID{"c", "d"}).Draw(t, "client")
	counter := n.Seen(client) + 1
	if often(t, "again") {
		counter = rapid.Uint64Range(1, 3).Draw(t, "counter")
	}
	return event.Event{
		Seq: n.Seq() + 1, ID: event.ID{Client: client, N: counter},
		Actor: rapid.SampledFrom([]event.Actor{"person:ada", "runtime:rt"}).Draw(t, "actor"),
		Time:  event.Time(rapid.Int64Range(0, 3).Draw(t, "time")), Payload: drawPayload(t, n),
	}
}

// often is true for about one draw in eight, and false in the simplest case.
func often(t *rapid.T, what string) bool { return rapid.IntRange(0, 7).Draw(t, what) == 7 }

func one[T any](t *rapid.T, what string, values ...T) T {
	return rapid.SampledFrom(values).Draw(t, what)
}

func drawCell(t *rapid.T) event.CellID     { return one[event.CellID](t, "cell", "a", "b", "c") }
func drawOutput(t *rapid.T) event.OutputID { return one[event.OutputID](t, "output", "o", "p", "q") }
func drawDisplay(t *rapid.T) string        { return one(t, "display", "", "x", "y") }
func drawTakes(t *rapid.T) event.Takes     { return one(t, "takes", event.TakesCode, event.TakesAI) }

func drawText(t *rapid.T) string {
	return one(t, "text", "", "ab", "\n", "\"\\", "é😀", "<&>", "\u2028\x01")
}

// drawValue draws a JSON value.
func drawValue(t *rapid.T) json.RawMessage {
	return json.RawMessage(one(t, "value", `1`, `null`, `"s\n"`, `"<&>\u2028"`, `{"a":[{},"]}"]}`))
}

// drawMetadata draws a JSON value or none.
func drawMetadata(t *rapid.T) json.RawMessage {
	if often(t, "no value") {
		return nil
	}
	return drawValue(t)
}

func drawKind(t *rapid.T) event.CellKind {
	return one(t, "kind", event.KindCode, event.KindAI, event.KindSQL, event.KindMarkdown, "new")
}

// drawRun draws a run, most often one of the queue in a state, if there is one.
func drawRun(t *rapid.T, n *Notebook, state RunState) (event.RunID, event.Epoch) {
	for _, id := range n.Queue() {
		if r := n.Run(id); r.State == state && !often(t, "other run") {
			epoch := r.Epoch
			if rt := n.Runtime(r.Takes); state == RunPending && rt != nil {
				epoch = rt.Epoch
			}
			return id, epoch
		}
	}
	return one[event.RunID](t, "run", "r", "s", "u", "v", "none"), event.Epoch(rapid.Uint64Range(0, 4).Draw(t, "epoch"))
}

func drawRuntime(t *rapid.T, n *Notebook) (event.RuntimeID, event.Epoch) {
	if rt := n.Runtime(drawTakes(t)); rt != nil && !often(t, "other runtime") {
		return rt.ID, rt.Epoch
	}
	return one[event.RuntimeID](t, "runtime", "rt", "su"), event.Epoch(rapid.Uint64Range(0, 4).Draw(t, "epoch"))
}

func drawPayload(t *rapid.T, n *Notebook) event.Payload {
	draw := one(t, "family",
		drawNext, drawNext, drawNext, drawNext, drawCellEvent, drawCellEvent, drawRunEvent, drawOutputEvent, drawOutputEvent, drawCommEvent, drawCommEvent, drawRestEvent)
	return draw(t, n)
}

// drawNext draws an event that creates a run or moves one forward.
func drawNext(t *rapid.T, n *Notebook) event.Payload {
	cell, takes := drawCell(t), drawTakes(t)
	rt := n.Runtime(takes)
	switch {
	case rt == nil || rt.State == RuntimeStopped:
		return runtimeStarted(event.RuntimeID("rt-"+takes), takes)
	case n.Cell(cell) == nil:
		return createdAs(cell, "R", one(t, "kind", event.KindCode, event.KindAI))
	case len(n.Queue()) == 0:
		return requested(one(t, "run", "r", "s", "u", "v"), string(cell))
	}
	r := n.Run(n.Queue()[0])
	switch {
	case r.State == RunPending && r.Takes == takes:
		return assigned(r.ID, rt.Epoch)
	case r.State == RunAssigned:
		return started(r.ID, r.Epoch)
	case r.State == RunStarted && often(t, "finish"):
		return finished(r.ID, r.Epoch, event.StatusOK)
	}
	return drawOutputEvent(t, n)
}

func drawCellEvent(t *rapid.T, n *Notebook) event.Payload {
	cell := drawCell(t)
	key := one[order.Key](t, "key", "A", "R", "R!a!R", "", "a b")
	if n.Cell(cell) == nil && !often(t, "early") {
		return &event.CellCreated{Cell: cell, Kind: drawKind(t), Order: key, Source: drawText(t)}
	}
	switch one(t, "type", "edited", "edited", "kind", "language", "moved", "deleted", "restored", "visibility", "metadata", "created") {
	case "edited":
		return drawEdit(t, n, cell)
	case "kind":
		return &event.CellKindChanged{Cell: cell, Kind: drawKind(t)}
	case "language":
		return &event.CellLanguageChanged{Cell: cell, Language: one(t, "language", "", "r")}
	case "moved":
		return &event.CellMoved{Cell: cell, Order: key}
	case "deleted":
		return &event.CellDeleted{Cell: cell}
	case "restored":
		return &event.CellRestored{Cell: cell}
	case "visibility":
		yes := rapid.Bool().Draw(t, "visible")
		return &event.CellVisibilitySet{Cell: cell, Source: one(t, "source", nil, &yes), Context: one(t, "context", nil, &yes)}
	case "metadata":
		return &event.CellMetadataSet{Cell: cell, Key: one(t, "key", "k", "l"), Value: drawMetadata(t)}
	}
	return createdAs(cell, key, event.KindCode)
}

func drawEdit(t *rapid.T, n *Notebook, cell event.CellID) event.Payload {
	rev, length := event.Rev(0), 0
	if c := n.Cell(cell); c != nil && !often(t, "rev") {
		rev, length = c.Rev, c.Text().Len()
	}
	at := rapid.IntRange(0, length+1).Draw(t, "at")
	return edited(cell, rev, text.Replace(min(at, length), rapid.IntRange(0, 2).Draw(t, "drop"), drawText(t)))
}

func drawRunEvent(t *rapid.T, n *Notebook) event.Payload {
	switch one(t, "type", "requested", "requested", "assigned", "started", "finished", "offered", "cancelled", "all", "input", "answer", "close") {
	case "requested":
		p := &event.RunRequested{KeepGoing: rapid.Bool().Draw(t, "keepGoing")}
		if !often(t, "allow") {
			p.Allow = []string{"ValueError"}
		}
		for range rapid.IntRange(0, 3).Draw(t, "runs") {
			p.Runs = append(p.Runs, event.RunOf{Run: one[event.RunID](t, "run", "r", "s", "u", "v"), Cell: drawCell(t), MayFail: !often(t, "mayFail")})
		}
		return p
	case "assigned":
		run, epoch := drawRun(t, n, RunPending)
		return assigned(run, epoch)
	case "started":
		run, epoch := drawRun(t, n, RunAssigned)
		return started(run, epoch)
	case "finished":
		run, epoch := drawRun(t, n, one(t, "from", RunStarted, RunAssigned))
		status := one(t, "status", event.StatusOK, event.StatusError, event.StatusLost)
		exited := status == event.StatusOK && !often(t, "exited")
		allowed := status == event.StatusError && !often(t, "allowed")
		return &event.RunFinished{
			Run: run, Epoch: epoch, Status: status, Exited: exited, Allowed: allowed, Count: rapid.IntRange(0, 2).Draw(t, "count"),
		}
	case "offered":
		run, epoch := drawRun(t, n, RunStarted)
		return &event.SourceOffered{Run: run, Epoch: epoch, Cell: "x", Source: drawText(t), Replace: rapid.Bool().Draw(t, "replace")}
	case "cancelled":
		run, _ := drawRun(t, n, one(t, "from", RunPending, RunStarted))
		return cancelled(run)
	case "input":
		run, epoch := drawRun(t, n, RunStarted)
		return &event.InputAsked{
			Input: one[event.InputID](t, "input", "i", "j"), Run: run, Epoch: epoch, Secret: rapid.Bool().Draw(t, "secret"),
		}
	case "answer":
		return &event.InputAnswered{Input: one[event.InputID](t, "input", "i", "j"), Value: drawText(t)}
	case "close":
		_, epoch := drawRun(t, n, RunStarted)
		return &event.InputClosed{
			Input: one[event.InputID](t, "input", "i", "j"), Epoch: epoch, Answered: rapid.Bool().Draw(t, "answered"),
		}
	}
	return &event.AllRunsCancelled{}
}

func drawOutputEvent(t *rapid.T, n *Notebook) event.Payload {
	run, epoch := drawRun(t, n, RunStarted)
	late := event.CellID("")
	if one(t, "late", false, true) {
		run, late, epoch = drawLate(t, n)
	}
	switch one(t, "type", "added", "added", "appended", "stored", "updated", "cleared", "cell cleared", "imported") {
	case "added":
		return &event.OutputAdded{Output: drawOutput(t), Run: run, Epoch: epoch, Late: late, Value: drawResult(t)}
	case "appended":
		id := drawOutput(t)
		if o := n.Output(id); o != nil {
			run = o.Run
		}
		p := appended(id, run, epoch, rapid.IntRange(-1, 2).Draw(t, "drop"), drawText(t))
		p.Late = late
		return p
	case "stored":
		id := drawOutput(t)
		if o := n.Output(id); o != nil {
			run = o.Run
		}
		p := stored(id, run, epoch, "text/plain", int64(rapid.IntRange(0, 2).Draw(t, "size")))
		p.Late = late
		return p
	case "updated":
		return &event.DisplayUpdated{DisplayID: drawDisplay(t), Run: run, Epoch: epoch, Late: late, Data: map[string]json.RawMessage{"k": drawValue(t)}}
	case "cleared":
		return &event.OutputsCleared{Run: run, Epoch: epoch, Late: late, Wait: rapid.Bool().Draw(t, "wait")}
	case "imported":
		p := &event.OutputsImported{Cell: drawCell(t), Count: rapid.IntRange(0, 1).Draw(t, "count")}
		for range rapid.IntRange(0, 2).Draw(t, "outputs") {
			p.Outputs = append(p.Outputs, drawResult(t))
		}
		return p
	}
	return &event.CellOutputsCleared{Cells: rapid.SliceOfN(rapid.Custom(drawCell), 0, 2).Draw(t, "cells")}
}

// drawLate draws a run that has ended, most often the latest of a cell, with its cell.
func drawLate(t *rapid.T, n *Notebook) (event.RunID, event.CellID, event.Epoch) {
	cell := drawCell(t)
	epoch := event.Epoch(rapid.Uint64Range(0, 4).Draw(t, "epoch"))
	if c := n.Cell(cell); c != nil && !often(t, "other run") {
		if r := n.Run(c.Run); r != nil {
			epoch = r.Epoch
		}
		return one(t, "run", c.Run, c.Began, "r"), cell, epoch
	}
	return one[event.RunID](t, "run", "r", "s", "none"), cell, epoch
}

func drawResult(t *rapid.T) event.Output {
	v := event.Output{
		Kind: one(t, "kind", event.OutputStream, event.OutputDisplay, event.OutputError, event.OutputMarkdown), DisplayID: drawDisplay(t),
	}
	switch v.Kind {
	case event.OutputStream, event.OutputMarkdown:
		v.Stream, v.Text = one(t, "stream", "", event.Stderr), drawText(t)
	case event.OutputError:
		v.Error = &event.Error{Name: "E", Message: drawText(t), Trace: []string{"<cell>"}}
	default:
		v.Data = map[string]json.RawMessage{"text/plain": drawValue(t), "é": json.RawMessage(`"<b>"`)}
		if !often(t, "no view") {
			v.Data[viewType] = json.RawMessage(`{"model_id": "` + string(drawComm(t)) + `"}`)
		}
		v.Artifacts = map[string]event.Artifact{"image/png": {Hash: "ab", Size: 3}}
		v.Metadata = one(t, "metadata", nil, map[string]json.RawMessage{}, map[string]json.RawMessage{"w": json.RawMessage("1")})
	}
	return v
}

func drawRestEvent(t *rapid.T, n *Notebook) event.Payload {
	switch one(t, "type", "runtime", "runtime", "ready", "stopped", "title", "metadata", "file", "removed", "asked", "answered", "unknown") {
	case "runtime":
		return &event.RuntimeStarted{Runtime: one[event.RuntimeID](t, "runtime", "rt", "su", "tv"), Takes: drawTakes(t), Languages: []string{"r"}}
	case "ready":
		id, epoch := drawRuntime(t, n)
		return &event.RuntimeReady{Runtime: id, Epoch: epoch}
	case "stopped":
		id, epoch := drawRuntime(t, n)
		return &event.RuntimeStopped{Runtime: id, Epoch: epoch, Reason: event.StopIdle}
	case "title":
		return &event.NotebookTitled{Title: drawText(t)}
	case "metadata":
		return &event.NotebookMetadataSet{Key: one(t, "key", "k", "l"), Value: drawMetadata(t)}
	case "file":
		return &event.FileAttached{Name: one(t, "name", "f", "g"), MIME: "text/csv", Artifact: event.Artifact{Hash: "cd"}}
	case "removed":
		return &event.FileRemoved{Name: one(t, "name", "f", "g")}
	case "asked":
		run, epoch := drawRun(t, n, RunStarted)
		return &event.ApprovalAsked{Approval: one[event.ApprovalID](t, "approval", "p", "q"), Run: run, Epoch: epoch, Arguments: drawMetadata(t)}
	case "answered":
		return &event.ApprovalAnswered{Approval: one[event.ApprovalID](t, "approval", "p", "q"), Answer: event.AnswerOnce}
	}
	return &event.Unknown{Name: "CellPainted", Raw: json.RawMessage(`{"cell":"a"}`)}
}
