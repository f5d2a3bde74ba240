package prompt

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// MetadataKey is the key of a cell's and of a notebook's metadata that has the settings of assistants.
const MetadataKey = "assistant"

// Settings are how an assistant answers a prompt. The zero value of a member leaves it to the notebook, and then to the
// assistant.
type Settings struct {
	Provider    string   `json:"provider,omitempty"`
	Model       string   `json:"model,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	MaxTokens   int      `json:"maxTokens,omitempty"` // of one answer
	MaxTurns    int      `json:"maxTurns,omitempty"`  // requests to the model for one prompt
	System      string   `json:"system,omitempty"`    // instructions besides those of the assistant
	After       *bool    `json:"after,omitempty"`     // cells behind the prompt are context too
	Budget      int      `json:"budget,omitempty"`    // of the context, in tokens as [Tokens] estimates them
}

// The values of settings that neither a cell nor its notebook has.
const (
	DefaultTurns  = 25
	DefaultBudget = 32_000
	// maxBudget is the largest budget that a model's context gives by itself: a question about a notebook seldom gets
	// better by more, and always dearer.
	maxBudget = 100_000
)

// SettingsOf reads the settings of a metadata's value. An error names the member, for people.
func SettingsOf(metadata map[string]json.RawMessage) (Settings, error) {
	var s Settings
	raw, ok := metadata[MetadataKey]
	if !ok {
		return s, nil
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return Settings{}, fmt.Errorf("the settings of the assistant in the metadata %q cannot be read: %w", MetadataKey, err)
	}
	return s, nil
}

// Or returns the settings with those of others where they have none. Instructions of both are joined, those of others
// first.
func (s Settings) Or(others Settings) Settings {
	system := strings.TrimSpace(others.System + "\n\n" + s.System)
	model := Settings{Provider: s.Provider, Model: s.Model}
	if s.Provider == "" && s.Model == "" {
		model = others
	}
	return Settings{
		Provider: model.Provider, Model: model.Model, System: system,
		Temperature: cmp.Or(s.Temperature, others.Temperature),
		MaxTokens:   cmp.Or(s.MaxTokens, others.MaxTokens),
		MaxTurns:    cmp.Or(s.MaxTurns, others.MaxTurns),
		After:       cmp.Or(s.After, others.After),
		Budget:      cmp.Or(s.Budget, others.Budget),
	}
}

// budget returns the tokens that the context may take with a model of some context, 0 for one that is not known.
func (s Settings) budget(context int) int {
	switch {
	case s.Budget > 0:
		return s.Budget
	case context > 0:
		return min(context*6/10, maxBudget)
	}
	return DefaultBudget
}
