package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/order"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

// echoes is an assistant without a model. It answers a prompt with the prompt, in a display and in a Markdown cell that it
// creates. A prompt that begins with "run " it executes in a code cell of its own first, and answers with what that printed.
type echoes struct {
	*langtest.Scripted
	session *replica.Session
}

func (e echoes) Execute(ctx context.Context, req lang.Request, out lang.Sink) (lang.Result, error) {
	answer := req.Source
	if code, ok := strings.CutPrefix(answer, "run "); ok {
		var err error
		if answer, err = e.run(ctx, event.RunID("by-"+req.Run), code); err != nil {
			return lang.Result{}, err
		}
	}
	note := &event.CellCreated{Cell: event.CellID("note-" + req.Run), Kind: event.KindMarkdown, Order: orderKey(), Source: "> " + answer}
	if err := e.session.Do(ctx, note); err != nil {
		return lang.Result{}, err
	}
	out.Display(lang.Text("text/markdown", answer), "")
	return lang.Result{Count: 1}, nil
}

// run executes code in a new cell, and returns what it printed.
func (e echoes) run(ctx context.Context, id event.RunID, code string) (printed string, err error) {
	cell := event.CellID("code-" + id)
	err = e.session.Do(ctx,
		&event.CellCreated{Cell: cell, Kind: event.KindCode, Order: orderKey(), Source: code},
		&event.RunRequested{Runs: []event.RunOf{{Run: id, Cell: cell}}})
	if err != nil {
		return "", err
	}
	err = e.session.Wait(ctx, func(r *replica.Replica) bool {
		run := r.Confirmed().Run(id)
		return run == nil || run.State == notebook.RunFinished
	})
	_ = e.session.With(func(r *replica.Replica) error {
		for _, o := range r.Confirmed().Cell(cell).Outputs {
			printed += r.Confirmed().Output(o).Value().Text
		}
		return nil
	})
	return strings.TrimSpace(printed), err
}

func orderKey() order.Key {
	key, err := order.Between(order.Place{}, order.Place{})
	if err != nil {
		panic(err) // between nothing and nothing there always is one
	}
	return key
}

// addEcho attaches the assistant.
func (w *world) addEcho(name string) *made {
	w.t.Helper()
	var m *made
	ready := make(chan struct{})
	m = w.add(name, func(c *Config) {
		c.Takes, c.Language = event.TakesAI, "prompt"
		c.Engines = lang.NewSet([]lang.Spec{{Language: "prompt", New: func() (lang.Engine, error) {
			<-ready
			return echoes{langtest.NewScripted(), m.Session()}, nil
		}}})
	})
	close(ready)
	return m
}

func TestAC9AnAssistantAttachesAnswersEditsAndRuns(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("code")
		w.addEcho("echo")
		prompt := w.cellOf(event.KindAI, "", "run print tide")
		id := w.request(prompt)[0]
		w.wantStatus(id, event.StatusOK)
		same(t, w.outputs(prompt), []string{`display: text/markdown "tide"`})
		note := event.CellID("note-" + string(id))
		w.until("the note is there", func(n *notebook.Notebook) bool { return n.Cell(note) != nil && n.Cell(note).Source() == "> tide" })
		authors := map[string]event.Actor{}
		for _, e := range w.events() {
			switch p := e.Payload.(type) {
			case *event.CellCreated:
				authors[string(p.Cell)] = e.Actor
			case *event.RunAssigned:
				authors[string(p.Run)] = e.Actor
			case *event.OutputAdded:
				authors["output of "+string(p.Run)] = e.Actor
			}
		}
		for what, want := range map[string]event.Actor{
			string(note): "assistant:echo", "output of " + string(id): "assistant:echo", "output of by-" + string(id): "runtime:code",
		} {
			if authors[what] != want {
				t.Errorf("%s: got the author %s, want %s", what, authors[what], want)
			}
		}
	})
}

// The runs of code and of prompts go on beside each other, and neither runtime ends with the other.
func TestRT3AnAssistantAndARuntimeDoNotDisturbEachOther(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		code := w.add("code")
		assistant := w.addEcho("echo")
		looping := w.request(w.cell("loop"))[0]
		w.state(looping, notebook.RunStarted)
		w.wantStatus(w.request(w.cellOf(event.KindAI, "", "hello"))[0], event.StatusOK)
		second := w.addEcho("echo2")
		if err := <-assistant.ended; !errors.Is(err, ErrDisplaced) {
			t.Errorf("the first assistant: got %v, want that the second has its place", err)
		}
		w.wantStatus(w.request(w.cellOf(event.KindAI, "", "again"))[0], event.StatusOK)
		w.state(looping, notebook.RunStarted)
		w.do(&event.RunCancelled{Run: looping})
		w.wantStatus(looping, event.StatusCancelled)
		code.stop()
		if err := <-code.ended; err != nil {
			t.Error(err)
		}
		w.wantStatus(w.request(w.cellOf(event.KindAI, "", "alone"))[0], event.StatusOK)
		second.stop()
		if err := <-second.ended; err != nil {
			t.Error(err)
		}
	})
}

func TestAC6ARuntimeOfCodeEditsNothing(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		code := w.add("code")
		err := code.Session().Do(w.ctx, &event.CellCreated{Cell: "x", Kind: event.KindMarkdown, Order: orderKey()})
		if want := "the role runtime may not append CellCreated"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	})
}

func TestSY121ACallGoesToTheRuntimeOfItsKind(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("code")
		_, err := w.person.CallRuntime(w.ctx, event.TakesAI, protocol.MethodVariables, nil)
		if want := "no assistant is attached"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		w.addEcho("echo")
		for kind, want := range map[event.Takes]string{event.TakesCode: "scripted", event.TakesAI: "prompt"} {
			got, err := w.person.CallRuntime(w.ctx, kind, protocol.MethodVariables, struct{}{})
			if text := fmt.Sprintf(`{"language":%q,"variables":[]}`, want); err != nil || string(got) != text {
				t.Errorf("%s: got %s, %v, want %s", kind, got, err, text)
			}
		}
	})
}
