// Package openai is the adapter of services that speak OpenAI's chat completions: OpenAI itself, Groq, vLLM, llama.cpp,
// LM Studio and many others.
package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"math"

	sdk "github.com/sashabaranov/go-openai"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/internal/llm/call"
)

// URL is the service of OpenAI itself.
const URL = "https://api.openai.com/v1"

// Provider is a service that speaks the dialect. It implements [assist.Provider].
type Provider struct{ service *call.Service }

// New returns the provider of a configuration, at [URL] if it has none.
func New(c call.Config) (*Provider, error) {
	c.URL = cmp.Or(c.URL, URL)
	service, err := call.New(c, "Authorization", "Bearer ")
	if err != nil {
		return nil, err
	}
	return &Provider{service}, nil
}

// Name implements [assist.Provider].
func (p *Provider) Name() string { return p.service.Provider() }

// Answer implements [assist.Model].
func (p *Provider) Answer(ctx context.Context, r assist.Request) iter.Seq2[assist.Chunk, error] {
	return func(yield func(assist.Chunk, error) bool) {
		c := p.service.Stream(ctx)
		defer c.Close()
		c.Line = withoutComments
		stream, err := p.client(c).CreateChatCompletionStream(c.Context, request(r))
		if err != nil {
			yield(assist.Chunk{}, c.Failure(err))
			return
		}
		defer stream.Close()
		a := answer{call: c, stream: stream}
		a.each(yield)
	}
}

// client returns the SDK's client for a call. It has no key, which the call adds.
func (p *Provider) client(c *call.Call) *sdk.Client {
	config := sdk.DefaultConfig("")
	config.BaseURL = p.service.URL().String()
	config.HTTPClient = c.HTTP
	config.EmptyMessagesLimit = math.MaxUint // the call bounds the stream
	return sdk.NewClientWithConfig(config)
}

// withoutComments drops the lines of an event stream that have no data: the SDK takes their text for part of an error
// that follows.
func withoutComments(line []byte) []byte {
	if len(line) > 2 && string(line[:min(len(line), 5)]) != "data:" {
		return nil
	}
	return line
}

// answer is a stream of events that is translated to chunks.
type answer struct {
	call   *call.Call
	stream *sdk.ChatCompletionStream
	stop   assist.StopReason
	usage  *assist.Usage
	calls  bool // the answer has tool calls
}

// each yields the chunks until the stream ends.
func (a *answer) each(yield func(assist.Chunk, error) bool) {
	for {
		raw, err := a.stream.RecvRaw()
		if errors.Is(err, io.EOF) && a.stop != "" {
			yield(assist.Chunk{Usage: a.usage, Stop: a.stop}, nil)
			return
		}
		if err != nil {
			yield(assist.Chunk{}, a.failure(err))
			return
		}
		chunks, err := a.read(raw)
		for _, c := range chunks {
			if !yield(c, nil) {
				return
			}
		}
		if err != nil {
			yield(assist.Chunk{}, a.call.Failure(err))
			return
		}
	}
}

// failure returns the failure of a stream that ended too early.
func (a *answer) failure(err error) error {
	if reported, ok := errors.AsType[*sdk.APIError](err); ok {
		report, err := json.Marshal(map[string]any{"error": reported})
		if err != nil {
			return a.call.Failure(err)
		}
		return a.call.Reported(report)
	}
	if errors.Is(err, io.EOF) {
		return a.call.Incomplete()
	}
	return a.call.Failure(err)
}

// event is one event of the stream: what the SDK has of it, the reasoning that it does not know, and an error.
type event struct {
	Choices []struct {
		Delta struct {
			sdk.ChatCompletionStreamChoiceDelta
			Reasoning string `json:"reasoning"` // of OpenRouter, Groq and vLLM; others have reasoning_content
		} `json:"delta"`
		FinishReason sdk.FinishReason `json:"finish_reason"`
	} `json:"choices"`
	Usage *sdk.Usage      `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// read returns the chunks of an event.
func (a *answer) read(raw []byte) ([]assist.Chunk, error) {
	var e event
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, err
	}
	if len(e.Error) > 0 && string(e.Error) != "null" {
		return nil, a.call.Reported(raw)
	}
	if e.Usage != nil {
		a.usage = usage(e.Usage)
	}
	if len(e.Choices) == 0 {
		return nil, nil
	}
	choice := e.Choices[0]
	if choice.FinishReason != "" {
		a.stop = a.stopReason(choice.FinishReason)
	}
	d := choice.Delta
	if d.Refusal != "" {
		a.stop = assist.StopRefused
	}
	var chunks []assist.Chunk
	if c := (assist.Chunk{Text: d.Content + d.Refusal, Thinking: cmp.Or(d.ReasoningContent, d.Reasoning)}); c != (assist.Chunk{}) {
		chunks = append(chunks, c)
	}
	for i, part := range d.ToolCalls {
		index := i
		if part.Index != nil { // some services send a call whole, and without an index
			index = *part.Index
		}
		a.calls = true
		chunks = append(chunks, assist.Chunk{Call: &assist.CallChunk{Index: index, ID: part.ID, Name: part.Function.Name, Arguments: part.Function.Arguments}})
	}
	return chunks, nil
}

// stopReason translates the reason why a model stopped. A refusal stays one.
func (a *answer) stopReason(r sdk.FinishReason) assist.StopReason {
	switch {
	case a.stop == assist.StopRefused, r == sdk.FinishReasonContentFilter:
		return assist.StopRefused
	case r == sdk.FinishReasonLength:
		return assist.StopLength
	case r == sdk.FinishReasonToolCalls, a.calls: // some services say "stop" behind tool calls
		return assist.StopTools
	}
	return assist.StopEnd
}

func usage(u *sdk.Usage) *assist.Usage {
	cost := &assist.Usage{Input: u.PromptTokens, Output: u.CompletionTokens}
	if u.PromptTokensDetails != nil {
		cost.Cached = u.PromptTokensDetails.CachedTokens
	}
	return cost
}
