package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

// asking is an engine whose programs can ask, besides what those of its own can:
//
//	ask PROMPT     print the answer, and "no: " with the reason if there is none
//	must PROMPT    the same, but the run fails if there is none
//	secret PROMPT  print how many bytes the answer has
type asking struct {
	*langtest.Scripted
	given chan string // gets the answers of secret
}

func (e asking) Execute(ctx context.Context, req lang.Request, out lang.Sink) (lang.Result, error) {
	var result lang.Result
	for text := range strings.Lines(req.Source) {
		text = strings.TrimSpace(text)
		command, prompt, _ := strings.Cut(text, " ")
		switch command {
		case "ask", "must", "secret":
			if failed := e.put(ctx, req.Ask, command, prompt, out); failed != nil {
				return lang.Result{Count: result.Count, Err: failed}, nil
			}
			continue
		}
		one := req
		one.Source = text
		var err error
		if result, err = e.Scripted.Execute(ctx, one, out); err != nil || result.Err != nil {
			return result, err
		}
	}
	return result, nil
}

func (e asking) put(ctx context.Context, ask lang.Ask, command, prompt string, out lang.Sink) *lang.Error {
	if ask == nil {
		return &lang.Error{Name: "StdinNotImplementedError"}
	}
	text, err := ask(ctx, lang.Question{Prompt: prompt, Secret: command == "secret"})
	switch {
	case ctx.Err() != nil:
		if !errors.Is(err, context.Cause(ctx)) {
			return &lang.Error{Name: "WrongCause", Message: fmt.Sprint(err)}
		}
		return &lang.Error{Name: "Interrupt", Cause: lang.CauseInterrupted}
	case err != nil && !errors.Is(err, lang.ErrNoAnswer):
		return &lang.Error{Name: "WrongError", Message: err.Error()}
	case err != nil && command == "must":
		return &lang.Error{Name: "EOFError", Message: err.Error()}
	case err != nil:
		out.Stream(lang.Stdout, "no: "+err.Error()+"\n")
	case command == "secret":
		e.given <- text
		out.Stream(lang.Stdout, fmt.Sprintf("got %d\n", len(text)))
	default:
		out.Stream(lang.Stdout, "got "+text+"\n")
	}
	return nil
}

// addAsking starts a runtime whose programs can ask, and returns what they are given.
func (w *world) addAsking(name string, change ...func(*Config)) (*made, <-chan string) {
	w.t.Helper()
	given := make(chan string, 8)
	spec := lang.Spec{Language: "scripted", New: func() (lang.Engine, error) {
		return asking{langtest.NewScripted(), given}, nil
	}}
	change = append([]func(*Config){func(c *Config) { c.Engines = lang.NewSet([]lang.Spec{spec}) }}, change...)
	return w.add(name, change...), given
}

// asked waits for a question that is open, and returns it: each once, as one that was
// just answered may still be open for the person.
func (w *world) asked() (in notebook.Input) {
	w.t.Helper()
	w.until("there is a question", func(n *notebook.Notebook) bool {
		for _, id := range n.Inputs() {
			if in = *n.Input(id); in.Open() && !slices.Contains(w.inputs, id) {
				w.inputs = append(w.inputs, id)
				return true
			}
		}
		return false
	})
	return in
}

// questions returns how many questions the notebook has that are open.
func (w *world) questions() (open int) {
	w.t.Helper()
	_ = w.person.With(func(r *replica.Replica) error {
		for _, id := range r.Confirmed().Inputs() {
			if r.Confirmed().Input(id).Open() {
				open++
			}
		}
		return nil
	})
	return open
}

// names returns the types of all events after the request of a run, in their order.
func (w *world) names() (names []string) {
	for _, e := range w.events() {
		if e.Payload.Type() == "RunStarted" {
			names = nil
		}
		names = append(names, string(e.Payload.Type()))
	}
	return names
}

// secret answers a question through a call.
func (w *world) secret(id event.InputID, value string) error {
	_, err := w.person.Call(w.ctx, protocol.MethodAnswer, protocol.Secret{Input: id, Value: value})
	return err
}

func wantCode(t *testing.T, err error, want protocol.Code) {
	t.Helper()
	var failed *protocol.CallError
	if !errors.As(err, &failed) || failed.Code != want || failed.Message == "" {
		t.Errorf("got %v, want %s with a message", err, want)
	}
}
