// Package scripted is a language model that plays the turns of a file, for tests and for demonstrations without a key.
// docs/models.md describes the file.
package scripted

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"sync"
	"time"

	"github.com/quirehq/quire/core/assist"
)

// Script is what a file has.
type Script struct {
	Models []Model `json:"models"` // one named "scripted" that can all if empty
	Turns  []Turn  `json:"turns"`
	// Loop has the first turn follow the last one. Otherwise a request beyond the last turn fails.
	Loop bool `json:"loop"`
}

// Model is a model that the script offers.
type Model struct {
	Name    string         `json:"name"`
	Title   string         `json:"title"`
	Can     assist.Ability `json:"can"`
	Context int            `json:"context"`
}

// Turn is an answer to one request.
type Turn struct {
	Expect Expectation       `json:"expect"` // of the request
	Parts  []Part            `json:"parts"`
	Error  *Failure          `json:"error"` // that ends the answer
	Stop   assist.StopReason `json:"stop"`  // "tools" if there are calls, else "end", if empty
	Usage  *assist.Usage     `json:"usage"`
}

// Part is a part of an answer: one of its members.
type Part struct {
	Text      string `json:"text"`
	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
	Call      *Call  `json:"call"`
	Wait      string `json:"wait"` // a time such as "50ms", or "cancelled" for ever
}

// Call is a tool call.
type Call struct {
	ID   string `json:"id"` // "call-1" and so on if empty
	Name string `json:"name"`
	// Arguments is an object, or a text that is sent as it is.
	Arguments json.RawMessage `json:"arguments"`
}

// Failure is a failure of the service.
type Failure struct {
	Kind    assist.FailureKind `json:"kind"`
	Message string             `json:"message"`
	Status  int                `json:"status"`
}

// Config says what is played, and how.
type Config struct {
	Provider string // the name of the provider
	Script   Script
	// Sleep waits for a time, or until a context ends; with a timer if nil. Tests pass one that does not wait.
	Sleep func(context.Context, time.Duration)
}

// Provider plays a script. It implements [assist.Provider]. Requests get the turns in their order, whatever model they
// name.
type Provider struct {
	config Config

	mu    sync.Mutex
	turns int // that were played
	calls int
}

// Read reads a script, and checks it.
func Read(path string) (Script, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Script{}, fmt.Errorf("read the script: %w", err)
	}
	s, err := Parse(data)
	if err != nil {
		return Script{}, fmt.Errorf("read the script %s: %w", path, err)
	}
	return s, nil
}

// Parse parses a script, and checks it.
func Parse(data []byte) (Script, error) {
	var s Script
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&s); err != nil {
		return s, err
	}
	if decoder.More() {
		return s, errors.New("there is more behind the object")
	}
	if len(s.Turns) == 0 {
		return s, errors.New("it has no turns")
	}
	for i, t := range s.Turns {
		if err := t.check(); err != nil {
			return s, fmt.Errorf("turn %d: %w", i+1, err)
		}
	}
	return s, nil
}

// check checks the form of a turn.
func (t Turn) check() error {
	for i, p := range t.Parts {
		set := 0
		for _, is := range []bool{p.Text != "", p.Thinking != "" || p.Signature != "", p.Call != nil, p.Wait != ""} {
			if is {
				set++
			}
		}
		if set != 1 {
			return fmt.Errorf("part %d must be one of text, thinking, call and wait", i+1)
		}
		if p.Call != nil && p.Call.Name == "" {
			return fmt.Errorf("part %d: a call must have a name", i+1)
		}
		if p.Wait != "" && p.Wait != cancelled {
			if _, err := time.ParseDuration(p.Wait); err != nil {
				return fmt.Errorf("part %d: %q is neither a time such as 50ms nor %q", i+1, p.Wait, cancelled)
			}
		}
	}
	return nil
}

// New returns a provider that plays a script from its beginning.
func New(c Config) *Provider {
	if len(c.Script.Models) == 0 {
		c.Script.Models = []Model{{Name: "scripted", Can: assist.Ability{Tools: true, Vision: true, Thinking: true}, Context: 100_000}}
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	return &Provider{config: c}
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Name implements [assist.Provider].
func (p *Provider) Name() string { return p.config.Provider }

// Models implements [assist.Provider].
func (p *Provider) Models(ctx context.Context) ([]assist.ModelInfo, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var models []assist.ModelInfo
	for _, m := range p.config.Script.Models {
		models = append(models, assist.ModelInfo{Provider: p.Name(), Name: m.Name, Title: m.Title, Can: m.Can, Context: m.Context})
	}
	return models, nil
}

// Played returns the number of turns that were asked for.
func (p *Provider) Played() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.turns
}

// Answer implements [assist.Model].
func (p *Provider) Answer(ctx context.Context, r assist.Request) iter.Seq2[assist.Chunk, error] {
	return func(yield func(assist.Chunk, error) bool) {
		if ctx.Err() != nil {
			yield(assist.Chunk{}, context.Cause(ctx))
			return
		}
		turn, err := p.next(r)
		if err != nil {
			yield(assist.Chunk{}, err)
			return
		}
		p.play(ctx, turn, yield)
	}
}

// next returns the turn for a request.
func (p *Provider) next(r assist.Request) (Turn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	turns := p.config.Script.Turns
	number := p.turns
	p.turns++
	if number >= len(turns) && !p.config.Script.Loop {
		return Turn{}, p.fail(assist.FailedRequest, 0, fmt.Sprintf("the script has %d turns, and this request is number %d", len(turns), number+1))
	}
	turn := turns[number%len(turns)]
	if fault := turn.Expect.fault(r); fault != "" {
		return Turn{}, p.fail(assist.FailedRequest, 0, fmt.Sprintf("turn %d of the script expects another request: %s", number+1, fault))
	}
	return turn, nil
}

func (p *Provider) fail(kind assist.FailureKind, status int, text string) error {
	return &assist.ModelError{Kind: kind, Provider: p.Name(), Status: status, Err: errors.New(text)}
}

// cancelled is the wait that lasts until the request is cancelled.
const cancelled = "cancelled"

// play yields the parts of a turn.
func (p *Provider) play(ctx context.Context, t Turn, yield func(assist.Chunk, error) bool) {
	calls := 0
	for _, part := range t.Parts {
		chunk := assist.Chunk{Text: part.Text, Thinking: part.Thinking, Signature: part.Signature}
		switch {
		case part.Wait == cancelled:
			<-ctx.Done()
		case part.Wait != "":
			d, _ := time.ParseDuration(part.Wait) // it was checked
			p.config.Sleep(ctx, d)
		case part.Call != nil:
			chunk.Call = p.call(*part.Call, calls)
			calls++
		}
		if ctx.Err() != nil {
			yield(assist.Chunk{}, context.Cause(ctx))
			return
		}
		if part.Wait == "" && !yield(chunk, nil) {
			return
		}
	}
	if t.Error != nil {
		yield(assist.Chunk{}, p.fail(t.Error.Kind, t.Error.Status, t.Error.Message))
		return
	}
	yield(t.end(calls), nil)
}

// call returns the chunk of a call.
func (p *Provider) call(c Call, index int) *assist.CallChunk {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	chunk := &assist.CallChunk{Index: index, ID: c.ID, Name: c.Name, Arguments: string(c.Arguments)}
	if chunk.ID == "" {
		chunk.ID = fmt.Sprintf("call-%d", p.calls)
	}
	var text string
	if json.Unmarshal(c.Arguments, &text) == nil {
		chunk.Arguments = text
	}
	return chunk
}

// end returns the last chunk of a turn.
func (t Turn) end(calls int) assist.Chunk {
	c := assist.Chunk{Stop: t.Stop, Usage: t.Usage}
	switch {
	case c.Stop != "":
	case calls > 0:
		c.Stop = assist.StopTools
	default:
		c.Stop = assist.StopEnd
	}
	return c
}
