package openai

import (
	"cmp"
	"encoding/base64"
	"math"
	"slices"
	"strings"

	sdk "github.com/sashabaranov/go-openai"

	"github.com/quirehq/quire/core/assist"
)

// request translates a request.
func request(r assist.Request) sdk.ChatCompletionRequest {
	out := sdk.ChatCompletionRequest{
		Model:         r.Model,
		Messages:      messages(r),
		Tools:         tools(r.Tools),
		StreamOptions: &sdk.StreamOptions{IncludeUsage: true},
	}
	if !reasons(r.Model) {
		out.Temperature = temperature(r.Temperature)
		//lint:ignore SA1019 most other servers know the bound by this name alone
		out.MaxTokens = r.MaxTokens
		return out
	}
	out.MaxCompletionTokens, out.ReasoningEffort = r.MaxTokens, effort(r)
	return out
}

// reasoning are the beginnings of the names of models that reason, which take no temperature and another bound of their
// answers. https://platform.openai.com/docs/guides/reasoning
var reasoning = []string{"o1", "o3", "o4", "gpt-5", "gpt-6", "gpt-oss"}

func reasons(model string) bool { return hasAny(model, reasoning) }

// effort translates the effort of a request. Models differ in the least that they take.
func effort(r assist.Request) string {
	switch {
	case hasAny(r.Model, withoutThinking) && len(r.Tools) > 0:
		return sdk.ReasoningEffortNone
	case r.Effort != assist.EffortNone || hasAny(r.Model, []string{"gpt-5.", "gpt-6"}):
		return string(r.Effort)
	case has(r.Model, "gpt-5"):
		return sdk.ReasoningEffortMinimal
	}
	return sdk.ReasoningEffortLow
}

// withoutThinking are models that take tools in this dialect only if they do not think, and toolless those that take
// none. The SDK refuses other requests of them. https://platform.openai.com/docs/guides/migrate-to-responses
var (
	withoutThinking = []string{sdk.GPT6Sol, sdk.GPT6Luna}
	toolless        = []string{sdk.GPT6Astra, sdk.GPT6Dot1Sol}
)

// hasAny reports whether the name of a model has one of several beginnings.
func hasAny(model string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return has(model, prefix) })
}

// has reports whether the name of a model has a beginning, behind that of its maker, as in "openai/o3".
func has(model, prefix string) bool {
	return strings.HasPrefix(model[strings.LastIndexByte(model, '/')+1:], prefix)
}

// temperature returns a temperature as the SDK wants it, which leaves out zero: the smallest number has the same effect.
func temperature(t *float64) float32 {
	switch {
	case t == nil:
		return 0
	case *t == 0:
		return math.SmallestNonzeroFloat32
	}
	return float32(*t)
}

func tools(list []assist.Tool) []sdk.Tool {
	var out []sdk.Tool
	for _, t := range list {
		out = append(out, sdk.Tool{Type: sdk.ToolTypeFunction, Function: &sdk.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: t.Parameters}})
	}
	return out
}

// messages translates the conversation. Results of tools can be text alone, so their images follow them as a user's.
func messages(r assist.Request) []sdk.ChatCompletionMessage {
	var out []sdk.ChatCompletionMessage
	if r.System != "" {
		out = append(out, sdk.ChatCompletionMessage{Role: sdk.ChatMessageRoleSystem, Content: r.System})
	}
	var shown []assist.Image // by the last results
	for _, m := range r.Messages {
		if m.Role != assist.RoleTool && len(shown) > 0 {
			out = append(out, user("The images of the results above:", shown))
			shown = nil
		}
		switch m.Role {
		case assist.RoleUser:
			out = append(out, user(m.Text, m.Images))
		case assist.RoleAssistant:
			out = append(out, assistant(m))
		case assist.RoleTool:
			out = append(out, sdk.ChatCompletionMessage{Role: sdk.ChatMessageRoleTool, Content: result(m), ToolCallID: m.CallID})
			shown = append(shown, m.Images...)
		}
	}
	if len(shown) > 0 {
		out = append(out, user("The images of the results above:", shown))
	}
	return out
}

func user(text string, images []assist.Image) sdk.ChatCompletionMessage {
	m := sdk.ChatCompletionMessage{Role: sdk.ChatMessageRoleUser}
	if len(images) == 0 {
		m.Content = cmp.Or(text, "(nothing)") // the SDK leaves out empty contents, which the service wants
		return m
	}
	if text != "" {
		m.MultiContent = append(m.MultiContent, sdk.ChatMessagePart{Type: sdk.ChatMessagePartTypeText, Text: text})
	}
	for _, i := range images {
		url := "data:" + i.MIME + ";base64," + base64.StdEncoding.EncodeToString(i.Data)
		m.MultiContent = append(m.MultiContent, sdk.ChatMessagePart{Type: sdk.ChatMessagePartTypeImageURL, ImageURL: &sdk.ChatMessageImageURL{URL: url}})
	}
	return m
}

// assistant translates an answer. Its thinking goes back only together with tool calls: services that want it want it
// there, and refuse it elsewhere. https://api-docs.deepseek.com/guides/thinking_mode
func assistant(m assist.Message) sdk.ChatCompletionMessage {
	out := sdk.ChatCompletionMessage{Role: sdk.ChatMessageRoleAssistant, Content: m.Text}
	for _, c := range m.Calls {
		out.ToolCalls = append(out.ToolCalls, sdk.ToolCall{ID: c.ID, Type: sdk.ToolTypeFunction, Function: sdk.FunctionCall{Name: c.Name, Arguments: cmp.Or(c.Arguments, "{}")}})
	}
	if len(m.Calls) == 0 {
		out.Content = cmp.Or(m.Text, "(nothing)")
		return out
	}
	for _, t := range m.Thinking {
		out.ReasoningContent += t.Text
	}
	return out
}

// result returns the text of a tool's result. The dialect has no other place for its failure.
func result(m assist.Message) string {
	text := cmp.Or(m.Text, "(nothing)")
	if m.Failed {
		text = "Error: " + text
	}
	return text
}
