package ollama

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"
	"golang.org/x/sync/errgroup"

	"github.com/quirehq/quire/core/assist"
)

const (
	// window is the context that a model is asked for, in tokens, unless its own is smaller or its file sets one. That of
	// a model is often more than the memory of a machine holds, and the default of Ollama too short for a notebook.
	window = 16_384
	// descriptions bounds the models that are described at the same time.
	descriptions = 4
)

// described is what Ollama says of a model.
type described struct {
	info   assist.ModelInfo
	window int // the context to ask for; 0 for that of the model's file
}

// Models implements [assist.Provider].
func (p *Provider) Models(ctx context.Context) ([]assist.ModelInfo, error) {
	list, err := p.list(ctx)
	if err != nil {
		return nil, err
	}
	p.forget()
	models := make([]assist.ModelInfo, len(list))
	var all errgroup.Group
	all.SetLimit(descriptions)
	for i, m := range list {
		all.Go(func() error {
			d, err := p.describe(ctx, m.Name)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			models[i] = d.info
			if err != nil {
				models[i] = assist.ModelInfo{Provider: p.Name(), Name: m.Name, Unusable: "it cannot be described: " + err.Error()}
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	return models, nil
}

func (p *Provider) list(ctx context.Context) ([]api.ListModelResponse, error) {
	c := p.service.Listing(ctx)
	defer c.Close()
	list, err := p.client(c).List(c.Context)
	if err != nil {
		return nil, c.Failure(err)
	}
	return list.Models, nil
}

// forget has the models described once more: one may have been pulled in another version.
func (p *Provider) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.known)
}

// describe returns what a model can do, and asks only once.
func (p *Provider) describe(ctx context.Context, name string) (described, error) {
	p.mu.Lock()
	d, ok := p.known[name]
	p.mu.Unlock()
	if ok {
		return d, nil
	}
	c := p.service.Stream(ctx)
	defer c.Close()
	resp, err := p.client(c).Show(c.Context, &api.ShowRequest{Model: name})
	if err != nil {
		return d, c.Failure(err)
	}
	d = p.description(name, resp)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known[name] = d
	return d, nil
}

func (p *Provider) description(name string, r *api.ShowResponse) described {
	can := func(c model.Capability) bool { return slices.Contains(r.Capabilities, c) }
	d := described{info: assist.ModelInfo{
		Provider: p.Name(), Name: name,
		Can: assist.Ability{Tools: can(model.CapabilityTools), Vision: can(model.CapabilityVision), Thinking: can(model.CapabilityThinking)},
	}}
	if len(r.Capabilities) > 0 && !can(model.CapabilityCompletion) {
		d.info.Unusable = "it holds no conversations"
	}
	longest := contextOf(r)
	switch set := setWindow(r.Parameters); {
	case set > 0:
		d.info.Context = set
	case r.RemoteHost != "": // a service of Ollama runs it, and knows the memory
		d.info.Context = longest
	default:
		d.window = window
		if longest > 0 {
			d.window = min(window, longest)
		}
		d.info.Context = d.window
	}
	return d
}

// contextOf returns the longest context of a model, 0 if it is unknown.
func contextOf(r *api.ShowResponse) int {
	architecture, _ := r.ModelInfo["general.architecture"].(string)
	tokens, _ := r.ModelInfo[architecture+".context_length"].(float64)
	return int(max(0, min(tokens, 1<<40)))
}

// setWindow returns the context that the file of a model sets, 0 if it sets none. The parameters are lines of a name
// and a value.
func setWindow(parameters string) int {
	for line := range strings.Lines(parameters) {
		if words := strings.Fields(line); len(words) == 2 && words[0] == "num_ctx" {
			n, err := strconv.Atoi(words[1])
			if err == nil && n > 0 {
				return n
			}
		}
	}
	return 0
}

// Progress is how far a model has been pulled.
type Progress struct {
	Status    string
	Completed int64 // bytes of the file that is being loaded
	Total     int64 // 0 if there is no such file
}

// Pull has Ollama load a model from its library, and yields the progress. An error ends the sequence; it is a
// *[assist.ModelError] or the cause of ctx, which also ends the loading.
func (p *Provider) Pull(ctx context.Context, name string) func(yield func(Progress, error) bool) {
	return func(yield func(Progress, error) bool) {
		c := p.service.Stream(ctx)
		defer c.Close()
		watch := reports{}
		c.Line = watch.line
		done := false
		err := p.client(c).Pull(c.Context, &api.PullRequest{Model: name}, func(r api.ProgressResponse) error {
			done = r.Status == "success"
			if !yield(Progress{Status: r.Status, Completed: r.Completed, Total: r.Total}, nil) {
				return errBrokenOff
			}
			return nil
		})
		switch {
		case errors.Is(err, errBrokenOff):
		case watch.report != nil:
			yield(Progress{}, c.Reported(watch.report))
		case err != nil:
			yield(Progress{}, c.Failure(err))
		case !done:
			yield(Progress{}, c.Incomplete())
		}
		p.forget()
	}
}
