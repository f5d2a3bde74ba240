// Package ollama is the adapter of Ollama, which serves models on one's own machine.
package ollama

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/ollama/ollama/api"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/internal/llm/call"
)

// URL is where Ollama serves unless it is told otherwise.
const URL = "http://localhost:11434"

// Provider is a server of Ollama. It implements [assist.Provider].
type Provider struct {
	service *call.Service

	mu    sync.Mutex
	known map[string]described // models by name
}

// New returns the provider of a configuration, at [URL] if it has none.
func New(c call.Config) (*Provider, error) {
	c.URL = cmp.Or(c.URL, URL)
	service, err := call.New(c, "Authorization", "Bearer ")
	if err != nil {
		return nil, err
	}
	return &Provider{service: service, known: map[string]described{}}, nil
}

// Name implements [assist.Provider].
func (p *Provider) Name() string { return p.service.Provider() }

// client returns the SDK's client for a call.
func (p *Provider) client(c *call.Call) *api.Client { return api.NewClient(p.service.URL(), c.HTTP) }

// errBrokenOff ends a stream whose consumer wants no more.
var errBrokenOff = errors.New("the consumer wants no more")

// Answer implements [assist.Model].
func (p *Provider) Answer(ctx context.Context, r assist.Request) iter.Seq2[assist.Chunk, error] {
	return func(yield func(assist.Chunk, error) bool) {
		model, err := p.describe(ctx, r.Model)
		if err != nil {
			yield(assist.Chunk{}, err)
			return
		}
		out, err := request(r, model)
		if err != nil {
			yield(assist.Chunk{}, &assist.ModelError{Kind: assist.FailedRequest, Provider: p.Name(), Err: err})
			return
		}
		c := p.service.Stream(ctx)
		defer c.Close()
		watch := reports{}
		c.Line = watch.line
		a := answer{yield: yield, before: callsOf(r)}
		err = p.client(c).Chat(c.Context, out, a.read)
		switch {
		case errors.Is(err, errBrokenOff):
		case watch.report != nil:
			yield(assist.Chunk{}, c.Reported(watch.report))
		case err != nil:
			yield(assist.Chunk{}, c.Failure(err))
		case a.last == nil: // the SDK takes a broken stream for its end
			yield(assist.Chunk{}, c.Incomplete())
		default:
			yield(*a.last, nil)
		}
	}
}

// reports watches the lines of a stream for what the SDK does not tell apart: the failure that a service reports, which it
// returns as words alone, and a last line that is cut off.
type reports struct{ report []byte }

func (w *reports) line(line []byte) []byte {
	if !bytes.HasSuffix(line, []byte("\n")) && !json.Valid(line) {
		return nil
	}
	if bytes.Contains(line, []byte(`"error"`)) {
		var report struct{ Error string }
		if json.Unmarshal(line, &report) == nil && report.Error != "" {
			w.report = bytes.Clone(line)
		}
	}
	return line
}

// answer translates a stream to chunks.
type answer struct {
	yield  func(assist.Chunk, error) bool
	before int // tool calls of the conversation
	calls  int // of the answer
	last   *assist.Chunk
}

// read takes a part of the answer.
func (a *answer) read(r api.ChatResponse) error {
	m := r.Message
	if (m.Content != "" || m.Thinking != "") && !a.yield(assist.Chunk{Text: m.Content, Thinking: m.Thinking}, nil) {
		return errBrokenOff
	}
	for _, c := range m.ToolCalls {
		part := assist.CallChunk{Index: a.calls, ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments.String()}
		if part.ID == "" { // of servers before 0.12
			part.ID = fmt.Sprintf("call-%d", a.before+a.calls)
		}
		a.calls++
		if !a.yield(assist.Chunk{Call: &part}, nil) {
			return errBrokenOff
		}
	}
	if r.Done {
		a.last = &assist.Chunk{Usage: &assist.Usage{Input: r.PromptEvalCount, Output: r.EvalCount}, Stop: a.stopReason(r.DoneReason)}
	}
	return nil
}

func (a *answer) stopReason(reason string) assist.StopReason {
	switch {
	case reason == "length":
		return assist.StopLength
	case a.calls > 0:
		return assist.StopTools
	}
	return assist.StopEnd
}

// callsOf counts the tool calls of a conversation.
func callsOf(r assist.Request) (n int) {
	for _, m := range r.Messages {
		n += len(m.Calls)
	}
	return n
}
