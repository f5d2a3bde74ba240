package anthropic

import (
	"context"
	"errors"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/quirehq/quire/core/assist"
)

// page is the most models of one response.
const page = 1000

// described is what the service says of a model.
type described struct {
	info     assist.ModelInfo
	longest  int64 // tokens of an answer; 0 if it is unknown
	thinking sdk.ThinkingTypes
	effort   bool // it takes an effort
}

// Models implements [assist.Provider].
func (p *Provider) Models(ctx context.Context) ([]assist.ModelInfo, error) {
	c := p.service.Listing(ctx)
	defer c.Close()
	client := p.client(c)
	pages := client.Models.ListAutoPaging(c.Context, sdk.ModelListParams{Limit: sdk.Int(page)})
	var models []assist.ModelInfo
	for pages.Next() {
		d := p.description(pages.Current())
		p.keep(d)
		models = append(models, d.info)
	}
	if err := pages.Err(); err != nil {
		return nil, c.Failure(err)
	}
	return models, nil
}

// describe returns what a model can do, and asks only once. A service that speaks the dialect may have no descriptions.
func (p *Provider) describe(ctx context.Context, name string) (described, error) {
	p.mu.Lock()
	d, ok := p.known[name]
	p.mu.Unlock()
	if ok {
		return d, nil
	}
	c := p.service.Listing(ctx)
	defer c.Close()
	client := p.client(c)
	m, err := client.Models.Get(c.Context, name, sdk.ModelGetParams{})
	if err != nil {
		err = c.Failure(err)
		if f, ok := errors.AsType[*assist.ModelError](err); ok && (f.Kind == assist.FailedRequest || f.Kind == assist.FailedMalformed) {
			return described{}, nil
		}
		return described{}, err
	}
	d = p.description(*m)
	p.keep(d)
	return d, nil
}

func (p *Provider) keep(d described) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known[d.info.Name] = d
}

func (p *Provider) description(m sdk.ModelInfo) described {
	can := m.Capabilities
	d := described{
		info: assist.ModelInfo{
			Provider: p.Name(), Name: m.ID, Title: m.DisplayName, Context: int(m.MaxInputTokens),
			Can: assist.Ability{Tools: true, Vision: can.ImageInput.Supported, Thinking: can.Thinking.Supported},
		},
		longest: m.MaxTokens, thinking: can.Thinking.Types, effort: can.Effort.Supported,
	}
	if !m.JSON.Capabilities.Valid() { // as services had it before 2026, whose models all see
		d.info.Can.Vision = true
	}
	if m.Lifecycle == sdk.ModelInfoLifecycleRetired {
		d.info.Unusable = "the service has retired it"
	}
	return d
}
