package transcript

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/core/celltext"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
)

// thinkingEvery is the least time between two updates of thinking that goes on: each has all of it.
const thinkingEvery = time.Second

// maxShown bounds the text of a tool's result in the notebook, in bytes. The model gets all of it.
const maxShown = 32_000

// Writer shows an answer as outputs of its run. It has one owner.
type Writer struct {
	sink lang.MarkdownSink
	run  string
	mark Mark

	metadata map[string]json.RawMessage
	thoughts int       // of this run, shown so far
	shown    time.Time // when the current thinking was last shown; zero if there is none
	begun    bool      // the current thinking is shown
}

// NewWriter returns a writer of the answer of a run by a model.
func NewWriter(sink lang.MarkdownSink, run, provider, model string) *Writer {
	return &Writer{sink: sink, run: run, mark: Mark{Role: assist.RoleAssistant, Provider: provider, Model: model}}
}

// Begin begins a request to the model.
func (r *Writer) Begin(turn int) {
	r.mark.Turn = turn
	r.metadata = r.mark.Metadata()
}

// Chunk shows a part of an answer, which is joined to the message so far.
func (r *Writer) Chunk(c assist.Chunk, said *assist.Message) {
	if c.Thinking != "" || c.Signature != "" {
		r.thinking(said, c.Signature != "")
	}
	if c.Text != "" {
		r.EndThinking(said)
		r.sink.Markdown(c.Text, r.metadata)
	}
}

// thinking shows the current thinking, at its beginning and its end, and now and then between.
func (r *Writer) thinking(said *assist.Message, ended bool) {
	current := said.Thinking[len(said.Thinking)-1]
	now := time.Now()
	switch {
	case !r.begun:
		r.thoughts++
		r.sink.Display(r.thought(current), r.thoughtID())
	case ended || now.Sub(r.shown) >= thinkingEvery:
		r.sink.Update(r.thoughtID(), r.thought(current))
	default:
		return
	}
	r.begun, r.shown = !ended, now
}

// EndThinking shows the whole current thinking, if some is being shown.
func (r *Writer) EndThinking(said *assist.Message) {
	if r.begun {
		r.thinking(said, true)
	}
}

func (r *Writer) thoughtID() string { return fmt.Sprintf("%s-thinking-%d", r.run, r.thoughts) }

func (r *Writer) thought(t assist.Thinking) lang.Bundle {
	return r.bundle(ThinkingType, t, celltext.Fold(t.Text, maxShown))
}

// Call shows a tool call.
func (r *Writer) Call(c *assist.ToolCall, class event.ToolClass) {
	shown := Call{ID: c.ID, Tool: c.Name, Class: class, Arguments: ArgumentsOf(c.Arguments)}
	r.sink.Display(r.bundle(CallType, shown, c.Name+" "+c.Arguments), "")
}

// Result shows the result of a tool call.
func (r *Writer) Result(result Result) {
	result.Text = celltext.Fold(result.Text, maxShown)
	mark := "ok"
	if result.Failed {
		mark = "failed"
	}
	r.sink.Display(r.bundle(ResultType, result, fmt.Sprintf("%s %s: %s", result.Tool, mark, result.Text)), "")
}

// Notice shows a sentence of the assistant itself, which is no part of the model's answer.
func (r *Writer) Notice(text string) {
	m := r.mark
	m.Role = "notice"
	r.sink.Display(lang.Bundle{Data: lang.Text("text/markdown", "> "+text).Data, Metadata: m.Metadata()}, "")
}

// Usage shows the cost of the answer.
func (r *Writer) Usage(u Usage) {
	text := fmt.Sprintf("%s %s: %d requests, %d tokens read, %d written", r.mark.Provider, r.mark.Model, u.Turns, u.Input, u.Output)
	r.sink.Display(r.bundle(UsageType, u, text), "")
}

// bundle returns a value of a type with its text.
func (r *Writer) bundle(mime string, v any, text string) lang.Bundle {
	b := lang.Text("text/plain", text)
	raw, err := json.Marshal(v)
	if err != nil {
		return b // no such value: its members are texts, numbers and valid JSON
	}
	b.Data[mime] = raw
	b.Metadata = r.metadata
	return b
}
