package answer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/core/assist/prompt"
)

var (
	errNoProvider = errors.New("no provider of models is set up")
	// errShown ends a run whose outputs say why.
	errShown = errors.New("the outputs say why")
)

// setUpHelp tells a person how to get a first answer.
const setUpHelp = `**No model is set up yet.** An assistant needs a provider of models.

- Of a service: ` + "`quire provider add anthropic`" + ` or ` + "`quire provider add openai`" + ` asks for the key and keeps it on the server.
- On your own machine: start Ollama, and ` + "`quire provider add ollama`" + `.

Then run this cell again.`

// choose returns the provider and the model of a prompt: those that the settings name, else the provider that has the
// named model, else the first model that can call tools, else the first.
func (e *Engine) choose(ctx context.Context, s prompt.Settings) (assist.Provider, assist.ModelInfo, error) {
	if len(e.cfg.Providers) == 0 {
		return nil, assist.ModelInfo{}, errNoProvider
	}
	if s.Provider != "" {
		p, err := e.provider(s.Provider)
		if err != nil {
			return nil, assist.ModelInfo{}, err
		}
		info, err := modelOf(ctx, p, s.Model)
		return p, info, err
	}
	var failed error
	for _, p := range e.cfg.Providers {
		info, err := modelOf(ctx, p, s.Model)
		if err != nil && ctx.Err() != nil {
			return nil, assist.ModelInfo{}, context.Cause(ctx)
		}
		if err == nil && (s.Model == "" || info.Provider != "") {
			return p, info, nil
		}
		failed = errors.Join(failed, err)
	}
	if failed != nil {
		return nil, assist.ModelInfo{}, failed
	}
	return nil, assist.ModelInfo{}, fmt.Errorf("no provider has the model %q: %s have others; name one of them in the settings of the cell", s.Model, strings.Join(e.names(), ", "))
}

func (e *Engine) names() []string {
	var names []string
	for _, p := range e.cfg.Providers {
		names = append(names, p.Name())
	}
	return names
}

func (e *Engine) provider(name string) (assist.Provider, error) {
	i := slices.IndexFunc(e.cfg.Providers, func(p assist.Provider) bool { return p.Name() == name })
	if i < 0 {
		return nil, fmt.Errorf("the provider %q is not set up: there is %s. Name another in the settings of the cell, or set it up with `quire provider add %s`",
			name, strings.Join(e.names(), ", "), name)
	}
	return e.cfg.Providers[i], nil
}

// modelOf returns a model of a provider, or with no name its best. A named one that the provider does not list, or
// cannot list, is asked all the same: it may be newer than the list. It then has no provider in its description.
func modelOf(ctx context.Context, p assist.Provider, name string) (assist.ModelInfo, error) {
	listed, err := p.Models(ctx)
	if ctx.Err() != nil {
		return assist.ModelInfo{}, context.Cause(ctx)
	}
	if name != "" {
		for _, m := range listed {
			if m.Name == name && m.Unusable != "" {
				return m, fmt.Errorf("the model %s of %s cannot be used: %s", name, p.Name(), m.Unusable)
			}
			if m.Name == name {
				m.Provider = p.Name()
				return m, nil
			}
		}
		return assist.ModelInfo{Name: name, Can: assist.Ability{Tools: true}}, nil
	}
	if err != nil {
		return assist.ModelInfo{}, err
	}
	usable := slices.DeleteFunc(slices.Clone(listed), func(m assist.ModelInfo) bool { return m.Unusable != "" })
	if len(usable) == 0 {
		return assist.ModelInfo{}, fmt.Errorf("%s has no model that can be used", p.Name())
	}
	best := max(0, slices.IndexFunc(usable, func(m assist.ModelInfo) bool { return m.Can.Tools }))
	usable[best].Provider = p.Name()
	return usable[best], nil
}
