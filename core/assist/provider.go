package assist

import "context"

// Provider is a service that has models.
type Provider interface {
	Model

	// Name is the name of the provider in settings and in cells, such as "anthropic".
	Name() string

	// Models lists the models of the service with what they can do. It asks the service, and caches nothing. An error is a
	// *[ModelError], or the cause of ctx.
	Models(ctx context.Context) ([]ModelInfo, error)
}

// ModelInfo describes a model.
type ModelInfo struct {
	Provider string  `json:"provider"`
	Name     string  `json:"name"`            // as the provider names it
	Title    string  `json:"title,omitempty"` // for people; Name if empty
	Can      Ability `json:"can"`
	Context  int     `json:"context,omitempty"` // tokens of a conversation with its answer; 0 if unknown
	// Unusable says why an assistant cannot use the model, in words for people; empty if it can.
	Unusable string `json:"unusable,omitempty"`
}

// Ability has what a model can do beyond text.
type Ability struct {
	Tools    bool `json:"tools,omitempty"`
	Vision   bool `json:"vision,omitempty"`
	Thinking bool `json:"thinking,omitempty"`
}
