package assist

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
)

// Model answers conversations. Its methods may be called by several goroutines at once.
type Model interface {
	// Answer asks for the next message of a conversation and yields it in chunks, in the order in which they arrive. The
	// last chunk has the reason why the model stopped. An error ends the sequence; it is a *[ModelError], or the cause of
	// ctx. When ctx ends, or the consumer breaks off, the request is cancelled before the sequence returns.
	Answer(ctx context.Context, r Request) iter.Seq2[Chunk, error]
}

// Request is a conversation to answer.
type Request struct {
	Model    string // as the provider names it
	System   string // instructions that stand before the conversation
	Messages []Message
	Tools    []Tool
	// Temperature is the randomness of the answer, between 0 and 2; the provider's default if nil.
	Temperature *float64
	// Effort is how much the model thinks before it answers; the provider's default if empty. A model that cannot think
	// does not see it.
	Effort Effort
	// MaxTokens is the longest answer, in tokens; the adapter's default if 0.
	MaxTokens int
}

// Effort says how much a model thinks before it answers.
type Effort string

// The efforts.
const (
	EffortNone   Effort = "none"
	EffortLow    Effort = "low"
	EffortMedium Effort = "medium"
	EffortHigh   Effort = "high"
)

// Role says who speaks in a message.
type Role string

// The roles. A message of RoleTool has the result of one tool call.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one turn of a conversation.
type Message struct {
	Role     Role       `json:"role"`
	Text     string     `json:"text,omitempty"`
	Images   []Image    `json:"images,omitempty"`   // of a user, or of a tool's result
	Thinking []Thinking `json:"thinking,omitempty"` // of an assistant, before its text
	Calls    []ToolCall `json:"calls,omitempty"`    // of an assistant, after its text
	CallID   string     `json:"callId,omitempty"`   // of a tool: the call that it answers
	Failed   bool       `json:"failed,omitempty"`   // of a tool: its text is an error
}

// Image is a picture that a model may see.
type Image struct {
	MIME string `json:"mime"` // such as "image/png"
	Data []byte `json:"data"`
}

// Thinking is reasoning that a model showed before its answer. Some services want it back, with its signature, together
// with the tool calls that followed it.
type Thinking struct {
	Text      string `json:"text"`
	Signature string `json:"signature,omitempty"` // opaque
}

// Tool is a function that a model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON Schema of an object
}

// ToolCall is a model's wish to call a tool.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments has the text that the model wrote, which is JSON only if the model made no mistake.
	Arguments string `json:"arguments"`
}

// Chunk is a part of an answer. Any of its members may be empty.
type Chunk struct {
	Text      string
	Thinking  string // more of the current thinking
	Signature string // ends the current thinking
	Call      *CallChunk
	Usage     *Usage     // replaces that of earlier chunks
	Stop      StopReason // only in the last chunk
}

// CallChunk is a part of a tool call. Parts with the same index belong together: the last ID and Name that are not empty
// count, and the arguments are joined.
type CallChunk struct {
	Index     int
	ID, Name  string
	Arguments string
}

// Usage is the cost of an answer, in tokens as the service counts them.
type Usage struct {
	Input  int `json:"input"`            // the conversation and the tools
	Cached int `json:"cached,omitempty"` // the part of Input that the service had read before
	Output int `json:"output"`           // the answer, thinking included
}

// StopReason says why a model ended its answer.
type StopReason string

// The reasons to stop.
const (
	StopEnd     StopReason = "end"     // the answer is complete
	StopTools   StopReason = "tools"   // it waits for the results of its tool calls
	StopLength  StopReason = "length"  // it reached the longest answer
	StopRefused StopReason = "refused" // the service withholds the rest
)

// maxCalls is the most tool calls of one answer; an index beyond it is a fault of the service.
const maxCalls = 128

// Join appends a chunk to the message that it is a part of.
func (m *Message) Join(c Chunk) error {
	m.Text += c.Text
	m.joinThinking(c)
	if c.Call == nil {
		return nil
	}
	if c.Call.Index < 0 || c.Call.Index >= maxCalls {
		return &ModelError{Kind: FailedMalformed, Err: errors.New("a tool call has an index that is out of range")}
	}
	if missing := c.Call.Index + 1 - len(m.Calls); missing > 0 {
		m.Calls = append(m.Calls, make([]ToolCall, missing)...)
	}
	call := &m.Calls[c.Call.Index]
	call.ID = cmp.Or(c.Call.ID, call.ID)
	call.Name = cmp.Or(c.Call.Name, call.Name)
	call.Arguments += c.Call.Arguments
	return nil
}

// joinThinking adds to the last thinking while it has no signature, and begins another after that.
func (m *Message) joinThinking(c Chunk) {
	if c.Thinking == "" && c.Signature == "" {
		return
	}
	if last := len(m.Thinking) - 1; last < 0 || m.Thinking[last].Signature != "" {
		m.Thinking = append(m.Thinking, Thinking{})
	}
	t := &m.Thinking[len(m.Thinking)-1]
	t.Text += c.Thinking
	t.Signature += c.Signature
}

// Whole drops tool calls that no part named, which indexes with gaps leave, and returns the rest.
func (m *Message) Whole() []ToolCall {
	return slices.DeleteFunc(slices.Clone(m.Calls), func(c ToolCall) bool { return strings.TrimSpace(c.Name) == "" })
}
