// Package transcript is the form in which a notebook has the answers of assistants: outputs with what the model said, the
// tools that it called and their results, from which the conversation is built again.
//
// A Writer adds the outputs while an answer goes on; Messages reads them. What an assistant does is left to package answer.
// spec/assistants.md has the rules.
package transcript

import (
	"encoding/json"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/core/event"
)

// MetadataKey is the key of the mark in the metadata of an output.
const MetadataKey = "assistant"

// The types of the outputs by which a notebook records an answer. Each has a text/plain beside it.
const (
	ThinkingType = "application/vnd.quire.thinking+json"
	CallType     = "application/vnd.quire.tool-call+json"
	ResultType   = "application/vnd.quire.tool-result+json"
	UsageType    = "application/vnd.quire.usage+json"
)

// Mark is the metadata of each output of an answer, under [MetadataKey].
type Mark struct {
	Role     assist.Role `json:"role"`
	Provider string      `json:"provider,omitempty"`
	Model    string      `json:"model,omitempty"`
	Turn     int         `json:"turn"` // the request to the model, from 1
}

// Metadata returns the metadata of an output with the mark.
func (m Mark) Metadata() map[string]json.RawMessage {
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err) // texts and numbers always marshal
	}
	return map[string]json.RawMessage{MetadataKey: raw}
}

// Call is a tool call as an output has it.
type Call struct {
	ID    string          `json:"id"`
	Tool  string          `json:"tool"`
	Class event.ToolClass `json:"class,omitempty"` // none of an unknown tool
	// Arguments is what the model wrote: JSON, or a string with the text if it is none.
	Arguments json.RawMessage `json:"arguments"`
}

// Result is the result of a tool call as an output has it.
type Result struct {
	ID     string `json:"id"`
	Tool   string `json:"tool"`
	Text   string `json:"text"`
	Failed bool   `json:"failed,omitempty"`
	Images int    `json:"images,omitempty"` // how many the model got
	// Approval names the question that a person was asked for the call, if one was.
	Approval event.ApprovalID `json:"approval,omitempty"`
}

// Usage is the cost of a whole answer as an output has it.
type Usage struct {
	assist.Usage
	Turns int               `json:"turns"`
	Stop  assist.StopReason `json:"stop,omitempty"`
}

// part is what one output says of an answer: one member is set.
type part struct {
	turn     int
	text     string
	thinking *assist.Thinking
	call     *assist.ToolCall
	result   *Result
}

// partOf reads an output of an ai cell. It reports false for one that is no part of an answer.
func partOf(v *event.Output) (r part, ok bool) {
	var mark Mark
	if json.Unmarshal(v.Metadata[MetadataKey], &mark) != nil || mark.Turn < 1 {
		return r, false
	}
	r.turn = mark.Turn
	if v.Kind == event.OutputMarkdown {
		r.text = v.Text
		return r, mark.Role == assist.RoleAssistant
	}
	if raw, has := v.Data[ThinkingType]; has {
		r.thinking = &assist.Thinking{}
		return r, json.Unmarshal(raw, r.thinking) == nil
	}
	if raw, has := v.Data[CallType]; has {
		var c Call
		if json.Unmarshal(raw, &c) != nil {
			return r, false
		}
		r.call = &assist.ToolCall{ID: c.ID, Name: c.Tool, Arguments: written(c.Arguments)}
		return r, true
	}
	if raw, has := v.Data[ResultType]; has {
		r.result = &Result{}
		return r, json.Unmarshal(raw, r.result) == nil
	}
	return r, false
}

// written returns the arguments as the model wrote them.
func written(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// ArgumentsOf returns the arguments that a model wrote as JSON: a string if they are none.
func ArgumentsOf(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always marshals
	}
	return raw
}

// notCarriedOut is the result of a call that has none in the notebook, since a model needs one for each.
const notCarriedOut = "this call was not carried out: the answer was stopped before"

// Messages returns the messages of an answer from the outputs of its cell. A turn whose calls have no results has them
// made up; thinking is left out, which services want back within one answer alone.
func Messages(outputs []event.Output) []assist.Message {
	var all []assist.Message
	var turn *assist.Message
	var results []assist.Message
	number := 0
	end := func() {
		if turn == nil {
			return
		}
		all = append(all, *turn)
		for _, call := range turn.Calls {
			answer := assist.Message{Role: assist.RoleTool, CallID: call.ID, Text: notCarriedOut, Failed: true}
			for _, r := range results {
				if r.CallID == call.ID {
					answer = r
				}
			}
			all = append(all, answer)
		}
		turn, results = nil, nil
	}
	for i := range outputs {
		r, ok := partOf(&outputs[i])
		if !ok {
			continue
		}
		if r.turn != number {
			end()
			number = r.turn
		}
		if turn == nil {
			turn = &assist.Message{Role: assist.RoleAssistant}
		}
		switch {
		case r.call != nil:
			turn.Calls = append(turn.Calls, *r.call)
		case r.result != nil:
			results = append(results, assist.Message{Role: assist.RoleTool, CallID: r.result.ID, Text: r.result.Text, Failed: r.result.Failed})
		case r.thinking == nil:
			turn.Text += r.text
		}
	}
	end()
	kept := all[:0]
	for _, m := range all {
		if m.Text != "" || len(m.Calls) > 0 || m.Role == assist.RoleTool {
			kept = append(kept, m)
		}
	}
	return kept
}
