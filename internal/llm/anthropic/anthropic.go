// Package anthropic is the adapter of services that speak Anthropic's messages.
package anthropic

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"sync"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/internal/llm/call"
)

// URL is the service of Anthropic itself.
const URL = "https://api.anthropic.com"

// Provider is a service that speaks the dialect. It implements [assist.Provider].
type Provider struct {
	service *call.Service

	mu    sync.Mutex
	known map[string]described // models by name
}

// New returns the provider of a configuration, at [URL] if it has none.
func New(c call.Config) (*Provider, error) {
	c.URL = cmp.Or(c.URL, URL)
	service, err := call.New(c, "X-Api-Key", "")
	if err != nil {
		return nil, err
	}
	return &Provider{service: service, known: map[string]described{}}, nil
}

// Name implements [assist.Provider].
func (p *Provider) Name() string { return p.service.Provider() }

// client returns the SDK's client for a call. It reads neither the environment nor files, repeats no request and has no
// key, which the call adds.
func (p *Provider) client(c *call.Call) sdk.Client {
	return sdk.NewClient(
		option.WithoutEnvironmentDefaults(),
		option.WithBaseURL(p.service.URL().String()),
		option.WithHTTPClient(c.HTTP),
		option.WithMaxRetries(0),
	)
}

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
		client := p.client(c)
		stream := client.Messages.NewStreaming(c.Context, out)
		defer stream.Close()
		a := answer{call: c, stream: stream, calls: map[int64]int{}}
		a.each(yield)
	}
}

// answer is a stream of events that is translated to chunks.
type answer struct {
	call      *call.Call
	stream    *ssestream.Stream[sdk.MessageStreamEventUnion]
	calls     map[int64]int // the numbers of tool calls by those of their blocks
	signature string        // of the thinking so far, which a chunk must have whole
	usage     assist.Usage
	stop      assist.StopReason
}

// each yields the chunks until the stream ends.
func (a *answer) each(yield func(assist.Chunk, error) bool) {
	for a.stream.Next() {
		e := a.stream.Current()
		if e.Type == "message_stop" && a.stop != "" {
			yield(assist.Chunk{Usage: &a.usage, Stop: a.stop}, nil)
			return
		}
		if c := a.read(e); c != (assist.Chunk{}) && !yield(c, nil) {
			return
		}
	}
	yield(assist.Chunk{}, a.failure())
}

// failure returns the failure of a stream that ended too early.
func (a *answer) failure() error {
	err := a.stream.Err()
	if reported, ok := errors.AsType[*sdk.Error](err); ok {
		return a.call.Reported([]byte(reported.RawJSON()))
	}
	if err == nil {
		return a.call.Incomplete()
	}
	return a.call.Failure(err)
}

// read returns the chunk of an event, which is empty for many.
func (a *answer) read(e sdk.MessageStreamEventUnion) assist.Chunk {
	switch e.Type {
	case "message_start":
		u := e.Message.Usage
		a.count(u.InputTokens, u.CacheCreationInputTokens, u.CacheReadInputTokens, u.OutputTokens)
	case "content_block_start":
		return a.begin(e)
	case "content_block_delta":
		return a.more(e)
	case "content_block_stop":
		c := assist.Chunk{Signature: a.signature}
		a.signature = ""
		return c
	case "message_delta":
		u := e.Usage
		a.count(u.InputTokens, u.CacheCreationInputTokens, u.CacheReadInputTokens, u.OutputTokens)
		if e.Delta.StopReason != "" {
			a.stop = stopReason(e.Delta.StopReason)
		}
	}
	return assist.Chunk{}
}

// redacted is the beginning of the signature of thinking that the service encrypted.
const redacted = "redacted:"

// begin returns the chunk with which a block begins.
func (a *answer) begin(e sdk.MessageStreamEventUnion) assist.Chunk {
	b := e.ContentBlock
	switch b.Type {
	case "text":
		return assist.Chunk{Text: b.Text}
	case "thinking":
		a.signature = b.Signature
		return assist.Chunk{Thinking: b.Thinking}
	case "redacted_thinking":
		a.signature = redacted + b.Data
	case "tool_use":
		a.calls[e.Index] = len(a.calls)
		return assist.Chunk{Call: &assist.CallChunk{Index: a.calls[e.Index], ID: b.ID, Name: b.Name}}
	}
	return assist.Chunk{}
}

// more returns the chunk with more of a block.
func (a *answer) more(e sdk.MessageStreamEventUnion) assist.Chunk {
	d := e.Delta
	a.signature += d.Signature
	if index, ok := a.calls[e.Index]; ok && d.PartialJSON != "" {
		return assist.Chunk{Call: &assist.CallChunk{Index: index, Arguments: d.PartialJSON}}
	}
	return assist.Chunk{Text: d.Text, Thinking: d.Thinking}
}

// count notes the tokens, of which an event has a part or all so far. The service counts the conversation in three parts.
func (a *answer) count(fresh, written, cached, output int64) {
	if input := fresh + written + cached; input > 0 {
		a.usage.Input, a.usage.Cached = int(input), int(cached)
	}
	a.usage.Output = max(a.usage.Output, int(output))
}

func stopReason(r sdk.StopReason) assist.StopReason {
	switch r {
	case sdk.StopReasonToolUse:
		return assist.StopTools
	case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded:
		return assist.StopLength
	case sdk.StopReasonRefusal:
		return assist.StopRefused
	}
	return assist.StopEnd
}
