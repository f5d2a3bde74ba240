package ollama

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/quirehq/quire/core/assist"
)

// request translates a request. Ollama is told to refuse a conversation that is too long: by itself it forgets the
// beginning.
func request(r assist.Request, model described) (*api.ChatRequest, error) {
	no := false
	out := &api.ChatRequest{Model: r.Model, Truncate: &no, Shift: &no, Options: map[string]any{}, Think: think(r, model)}
	if model.window > 0 {
		out.Options["num_ctx"] = model.window
	}
	if r.Temperature != nil {
		out.Options["temperature"] = *r.Temperature
	}
	if r.MaxTokens > 0 {
		out.Options["num_predict"] = r.MaxTokens
	}
	for _, t := range r.Tools {
		tool := api.Tool{Type: "function", Function: api.ToolFunction{Name: t.Name, Description: t.Description}}
		if err := json.Unmarshal(t.Parameters, &tool.Function.Parameters); err != nil {
			return nil, fmt.Errorf("the parameters of the tool %s are in a form that Ollama does not know: %w", t.Name, err)
		}
		out.Tools = append(out.Tools, tool)
	}
	out.Messages = messages(r)
	return out, nil
}

// think translates the effort. Only gpt-oss knows levels of it.
func think(r assist.Request, model described) *api.ThinkValue {
	switch {
	case r.Effort == "" || !model.info.Can.Thinking:
		return nil
	case strings.Contains(r.Model, "gpt-oss") && r.Effort != assist.EffortNone:
		return &api.ThinkValue{Value: string(r.Effort)}
	}
	return &api.ThinkValue{Value: r.Effort != assist.EffortNone}
}

func messages(r assist.Request) []api.Message {
	out := []api.Message{}
	if r.System != "" {
		out = append(out, api.Message{Role: "system", Content: r.System})
	}
	tools := map[string]string{} // names by the ids of calls
	for _, m := range r.Messages {
		message := api.Message{Role: string(m.Role), Content: m.Text}
		for _, i := range m.Images {
			message.Images = append(message.Images, i.Data)
		}
		for _, t := range m.Thinking {
			message.Thinking += t.Text
		}
		for n, c := range m.Calls {
			tools[c.ID] = c.Name
			message.ToolCalls = append(message.ToolCalls, api.ToolCall{ID: c.ID, Function: api.ToolCallFunction{Index: n, Name: c.Name, Arguments: arguments(c.Arguments)}})
		}
		if m.Role == assist.RoleTool {
			message.ToolCallID, message.ToolName = m.CallID, tools[m.CallID]
		}
		if m.Failed { // the dialect has no other place for it
			message.Content = "Error: " + cmp.Or(m.Text, "(nothing)")
		}
		out = append(out, message)
	}
	return out
}

// arguments returns the arguments of a call as an object, which is all that the dialect has: what the model wrote
// instead is its only member.
func arguments(text string) api.ToolCallFunctionArguments {
	var a api.ToolCallFunctionArguments
	if text == "" || json.Unmarshal([]byte(text), &a) != nil {
		a = api.NewToolCallFunctionArguments()
		if text != "" {
			a.Set("invalid", text)
		}
	}
	return a
}
