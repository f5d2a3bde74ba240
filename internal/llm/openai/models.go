package openai

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/assist"
)

// listed is a model in the list of a service. OpenAI has its name alone; the other members are of the servers that they
// name.
type listed struct {
	ID            string `json:"id"`
	Name          string `json:"name"`           // OpenRouter
	Active        *bool  `json:"active"`         // Groq
	ContextWindow int    `json:"context_window"` // Groq
	ContextLength int    `json:"context_length"` // OpenRouter
	MaxModelLen   int    `json:"max_model_len"`  // vLLM
	Meta          struct {
		Context int `json:"n_ctx_train"`
	} `json:"meta"` // llama.cpp
	Architecture struct {
		Inputs []string `json:"input_modalities"`
	} `json:"architecture"` // OpenRouter
	Parameters []string `json:"supported_parameters"` // OpenRouter
}

// Models implements [assist.Provider].
func (p *Provider) Models(ctx context.Context) ([]assist.ModelInfo, error) {
	c := p.service.Listing(ctx)
	defer c.Close()
	var list struct {
		Data []listed `json:"data"`
	}
	if err := c.GetJSON("models", &list); err != nil {
		return nil, c.Failure(err)
	}
	var models []assist.ModelInfo
	for _, m := range list.Data {
		if m.ID != "" {
			models = append(models, p.describe(m))
		}
	}
	return models, nil
}

func (p *Provider) describe(m listed) assist.ModelInfo {
	info := assist.ModelInfo{
		Provider: p.Name(), Name: m.ID, Title: m.Name,
		Context: cmp.Or(m.ContextWindow, m.ContextLength, m.MaxModelLen, m.Meta.Context),
	}
	for _, f := range families {
		if has(m.ID, f.prefix) {
			info.Can, info.Context = f.can, cmp.Or(info.Context, f.context)
			break
		}
	}
	if hasAny(m.ID, toolless) {
		info.Can.Tools = false
	}
	if len(m.Parameters) > 0 {
		info.Can = assist.Ability{
			Tools:    slices.Contains(m.Parameters, "tools"),
			Vision:   slices.Contains(m.Architecture.Inputs, "image"),
			Thinking: slices.Contains(m.Parameters, "reasoning"),
		}
	}
	info.Unusable = unusable(m)
	return info
}

// family has what is known of models whose names begin alike. Servers that say more of their models count more.
type family struct {
	prefix  string
	can     assist.Ability
	context int
}

// families are in the order in which they are tried. A model of no family may take tools: most do, and a server whose
// model does not says so when it is asked. https://platform.openai.com/docs/models
var families = []family{
	{"gpt-6", assist.Ability{Tools: true, Vision: true, Thinking: true}, 0},
	{"gpt-5", assist.Ability{Tools: true, Vision: true, Thinking: true}, 400_000},
	{"gpt-4.1", assist.Ability{Tools: true, Vision: true}, 1_047_576},
	{"gpt-4o", assist.Ability{Tools: true, Vision: true}, 128_000},
	{"gpt-4-turbo", assist.Ability{Tools: true, Vision: true}, 128_000},
	{"gpt-4", assist.Ability{Tools: true}, 8192},
	{"gpt-3.5", assist.Ability{Tools: true}, 16_385},
	{"gpt-oss", assist.Ability{Tools: true, Thinking: true}, 131_072},
	{"o1-mini", assist.Ability{Thinking: true}, 128_000},
	{"o1-preview", assist.Ability{Thinking: true}, 128_000},
	{"o3-mini", assist.Ability{Tools: true, Thinking: true}, 200_000},
	{"o1", assist.Ability{Tools: true, Vision: true, Thinking: true}, 200_000},
	{"o3", assist.Ability{Tools: true, Vision: true, Thinking: true}, 200_000},
	{"o4", assist.Ability{Tools: true, Vision: true, Thinking: true}, 200_000},
	{"deepseek-r", assist.Ability{Tools: true, Thinking: true}, 0},
	{"", assist.Ability{Tools: true}, 0},
}

// others are parts of the names of models that are in the same lists and do not converse.
var others = []string{
	"embed", "whisper", "tts", "dall-e", "image", "moderation", "transcribe", "realtime", "audio", "sora",
	"babbage", "davinci", "instruct-0914", "guard", "rerank",
}

// unusable says why a model cannot be used.
func unusable(m listed) string {
	switch {
	case m.Active != nil && !*m.Active:
		return "the service has switched it off"
	case slices.ContainsFunc(others, func(part string) bool { return strings.Contains(m.ID, part) }):
		return "it holds no conversations"
	}
	return ""
}
