package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/quirehq/quire/core/assist"
)

// request translates a request.
func request(r assist.Request, model described) (sdk.MessageNewParams, error) {
	out := sdk.MessageNewParams{Model: r.Model, MaxTokens: model.maxTokens(r), Messages: messages(r.Messages)}
	if strings.TrimSpace(r.System) != "" {
		out.System = []sdk.TextBlockParam{{Text: r.System}}
	}
	for _, t := range r.Tools {
		tool := sdk.ToolParam{Name: t.Name}
		if t.Description != "" {
			tool.Description = sdk.String(t.Description)
		}
		if err := json.Unmarshal(t.Parameters, &tool.InputSchema); err != nil {
			return out, fmt.Errorf("the parameters of the tool %s are no JSON Schema of an object: %w", t.Name, err)
		}
		out.Tools = append(out.Tools, sdk.ToolUnionParam{OfTool: &tool})
	}
	if !think(&out, r.Effort, model) && r.Temperature != nil {
		out.Temperature = sdk.Float(min(*r.Temperature, 1)) // the dialect's highest
	}
	return out, nil
}

// answerTokens bounds an answer, which the dialect wants bounded; olderTokens is what every model takes.
const answerTokens, olderTokens = 16_384, 4096

// maxTokens returns the bound of an answer.
func (d described) maxTokens(r assist.Request) int64 {
	switch wanted := int64(r.MaxTokens); {
	case wanted > 0 && d.longest > 0:
		return min(wanted, d.longest)
	case wanted > 0:
		return wanted
	case d.longest > 0:
		return min(answerTokens, d.longest)
	}
	return olderTokens
}

// budgets are the tokens for thinking of models that are told a number.
var budgets = map[assist.Effort]int64{assist.EffortLow: 2048, assist.EffortMedium: 8192, assist.EffortHigh: 24_576}

// leastAnswer are the tokens that are left to an answer behind its thinking.
const leastAnswer = 1024

// think has the model think as much as a request asks for, if it can, and reports whether it does.
func think(out *sdk.MessageNewParams, effort assist.Effort, model described) bool {
	types := model.thinking
	switch {
	case effort == "":
		return false
	case effort == assist.EffortNone:
		if types.Disabled.Supported && model.info.Can.Thinking {
			disabled := sdk.NewThinkingConfigDisabledParam()
			out.Thinking.OfDisabled = &disabled
		}
		return false
	case types.Adaptive.Supported:
		out.Thinking.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{Display: "summarized"}
		if model.effort {
			out.OutputConfig.Effort = sdk.OutputConfigEffort(effort)
		}
		return true
	case types.Enabled.Supported:
		budget := budgets[effort]
		if model.longest > 0 {
			budget = min(budget, model.longest-leastAnswer)
			out.MaxTokens = min(out.MaxTokens+budget, model.longest)
		} else {
			out.MaxTokens += budget
		}
		out.Thinking = sdk.ThinkingConfigParamOfEnabled(budget)
		return true
	}
	return false
}

// messages translates the conversation. What is not the assistant's is the user's, so what follows one another becomes
// one message.
func messages(list []assist.Message) []sdk.MessageParam {
	out := []sdk.MessageParam{}
	for _, m := range list {
		role, blocks := sdk.MessageParamRoleUser, []sdk.ContentBlockParamUnion(nil)
		switch m.Role {
		case assist.RoleUser:
			blocks = user(m)
		case assist.RoleAssistant:
			role, blocks = sdk.MessageParamRoleAssistant, assistant(m)
		case assist.RoleTool:
			blocks = []sdk.ContentBlockParamUnion{result(m)}
		}
		if last := len(out) - 1; last >= 0 && out[last].Role == role {
			out[last].Content = append(out[last].Content, blocks...)
			continue
		}
		out = append(out, sdk.MessageParam{Role: role, Content: blocks})
	}
	return out
}

func user(m assist.Message) []sdk.ContentBlockParamUnion {
	blocks := []sdk.ContentBlockParamUnion{}
	for _, i := range m.Images {
		blocks = append(blocks, sdk.ContentBlockParamUnion{OfImage: image(i)})
	}
	if strings.TrimSpace(m.Text) != "" || len(blocks) == 0 {
		blocks = append(blocks, sdk.NewTextBlock(words(m.Text)))
	}
	return blocks
}

// words returns a text, or one in its place: the service refuses empty ones.
func words(text string) string {
	if strings.TrimSpace(text) == "" {
		return "(nothing)"
	}
	return text
}

func image(i assist.Image) *sdk.ImageBlockParam {
	return sdk.NewImageBlockBase64(i.MIME, base64.StdEncoding.EncodeToString(i.Data)).OfImage
}

// assistant translates an answer. Thinking without a signature is another service's, and is left out.
func assistant(m assist.Message) []sdk.ContentBlockParamUnion {
	blocks := []sdk.ContentBlockParamUnion{}
	for _, t := range m.Thinking {
		if data, ok := strings.CutPrefix(t.Signature, redacted); ok {
			blocks = append(blocks, sdk.NewRedactedThinkingBlock(data))
		} else if t.Signature != "" {
			blocks = append(blocks, sdk.NewThinkingBlock(t.Signature, t.Text))
		}
	}
	if strings.TrimSpace(m.Text) != "" || len(m.Calls) == 0 {
		blocks = append(blocks, sdk.NewTextBlock(words(m.Text)))
	}
	for _, c := range m.Calls {
		blocks = append(blocks, sdk.NewToolUseBlock(c.ID, input(c.Arguments), c.Name))
	}
	return blocks
}

// input returns the arguments of a call as an object, which is all that the dialect has: what the model wrote instead
// is its only member.
func input(text string) any {
	object := map[string]json.RawMessage{}
	if text == "" {
		return object
	}
	if json.Unmarshal([]byte(text), &object) != nil || object == nil {
		return map[string]string{"invalid": text}
	}
	return json.RawMessage(text)
}

func result(m assist.Message) sdk.ContentBlockParamUnion {
	block := sdk.ToolResultBlockParam{ToolUseID: m.CallID}
	if m.Failed {
		block.IsError = sdk.Bool(true)
	}
	if strings.TrimSpace(m.Text) != "" || len(m.Images) == 0 {
		block.Content = append(block.Content, sdk.ToolResultBlockParamContentUnion{OfText: &sdk.TextBlockParam{Text: words(m.Text)}})
	}
	for _, i := range m.Images {
		block.Content = append(block.Content, sdk.ToolResultBlockParamContentUnion{OfImage: image(i)})
	}
	return sdk.ContentBlockParamUnion{OfToolResult: &block}
}
