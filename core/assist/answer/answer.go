// Package answer is the engine of an assistant: it answers the prompts of ai cells by asking a model, calls the tools that
// the model wants, and shows all of it as outputs.
//
// It asks again after each round of tool calls, up to a maximum that is shown. A call is made when the notebook's policy
// allows it or a person approves it, whatever the texts of cells and outputs say. It stops at any point when its run is
// cancelled, with the request to the model. Models and the room are lent by its host. spec/assistants.md has the rules.
package answer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/core/assist/prompt"
	"github.com/quirehq/quire/core/assist/transcript"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/tool"
)

// Language is the language of prompts, for which a runtime of ai cells has the engine.
const Language = "prompt"

// Config configures an engine. Session and NewID are required.
type Config struct {
	// Session is that of the runtime, as an assistant.
	Session *replica.Session
	// NewID returns a unique id for a cell, a run or an approval.
	NewID func() string
	// Point shows the assistant's caret; see [tool.Config].
	Point func(cell event.CellID, at int)
	// Providers are the services that models come from; the first is asked if no setting names one.
	Providers []assist.Provider
	// Defaults are the settings that neither a cell nor its notebook has.
	Defaults prompt.Settings
	// Wait is how long a person has to approve a call: 10 min if 0.
	Wait time.Duration
}

// Engine answers prompts. It is a [lang.Engine], and keeps nothing from one prompt to the next: earlier ones are in the
// notebook.
type Engine struct {
	cfg     Config
	count   int
	closing context.Context
	close   context.CancelCauseFunc
}

// New returns an engine.
func New(cfg Config) *Engine {
	cfg.Wait = cmp.Or(cfg.Wait, 10*time.Minute)
	closing, end := context.WithCancelCause(context.Background())
	return &Engine{cfg: cfg, closing: closing, close: end}
}

// Info implements lang.Engine.
func (e *Engine) Info() lang.Info {
	return lang.Info{Language: Language, Extension: ".md", MIME: "text/markdown"}
}

// Abilities implements lang.Engine: there are none beyond execution.
func (e *Engine) Abilities() lang.Abilities { return lang.Abilities{} }

// Load implements lang.Engine.
func (e *Engine) Load(context.Context, func(lang.Progress)) error { return nil }

// Interrupt implements lang.Engine. A runtime stops a run by its context.
func (e *Engine) Interrupt() error { return nil }

// Close implements lang.Engine.
func (e *Engine) Close() error {
	e.close(lang.ErrClosed)
	return nil
}

// Execute implements lang.Engine: it answers the prompt that is the source of a run.
func (e *Engine) Execute(ctx context.Context, req lang.Request, sink lang.Sink) (lang.Result, error) {
	if err := e.closing.Err(); err != nil {
		return lang.Result{}, lang.ErrClosed
	}
	if ctx.Err() != nil {
		return lang.Result{}, context.Cause(ctx)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(e.closing, func() { stop(lang.ErrClosed) })()
	if req.Timeout > 0 {
		timed, end := context.WithTimeoutCause(ctx, req.Timeout, errTimedOut)
		defer end()
		ctx = timed
	}
	e.count++
	err := e.answer(ctx, req, sink)
	result := lang.Result{Count: e.count, Err: errorOf(err)}
	switch {
	case e.closing.Err() != nil:
		return lang.Result{}, lang.ErrClosed
	case errors.Is(context.Cause(ctx), errTimedOut):
		result.Err = &lang.Error{Name: "TimedOut", Message: "the answer took longer than a run may", Cause: lang.CauseTimedOut}
	case ctx.Err() != nil:
		result.Err = &lang.Error{Name: "Interrupted", Message: "the answer was stopped", Cause: lang.CauseInterrupted}
	case errors.Is(err, errShown):
		result.Shown = true
	}
	return result, nil
}

var errTimedOut = errors.New("the time for the run is over")

// ModelFailed is the name of the error of a run whose model did not answer.
const ModelFailed = "ModelFailed"

// errorOf returns the error of a run in words that say what to do, nil for none.
func errorOf(err error) *lang.Error {
	if err == nil {
		return nil
	}
	var failed *assist.ModelError
	if !errors.As(err, &failed) {
		return &lang.Error{Name: "AssistantFailed", Message: err.Error()}
	}
	return &lang.Error{Name: ModelFailed, Message: fmt.Sprintf("%s. %s", failed.Error(), advice(failed))}
}

// advice says what a person can do about a failure.
func advice(e *assist.ModelError) string {
	switch e.Kind {
	case assist.FailedKey:
		return fmt.Sprintf("Check the key: `quire provider add %s` asks for a new one", e.Provider)
	case assist.FailedQuota:
		return "The account at the service is used up: add to it, or choose another model in the settings of the cell"
	case assist.FailedRate:
		if e.After > 0 {
			return fmt.Sprintf("The service asks to wait %v: run the cell again then", e.After)
		}
		return "The service has had too many requests: wait a minute and run the cell again"
	case assist.FailedOverloaded:
		return "The service has trouble: run the cell again in a moment"
	case assist.FailedUnreachable:
		return "Check the network, and the address of the provider; a local one must be running"
	case assist.FailedModel:
		return "Choose another model in the settings of the cell"
	case assist.FailedLength:
		return "The notebook is too long for the model: hide cells from the assistant, set a smaller `budget`, or choose another model"
	}
	return "Run the cell again; if it stays so, choose another model"
}

// answer answers a prompt. It returns the error that ends the run, if one does.
func (e *Engine) answer(ctx context.Context, req lang.Request, sink lang.Sink) error {
	a := &answer{cfg: &e.cfg}
	markdown, ok := sink.(lang.MarkdownSink)
	if !ok {
		return errors.New("the outputs of this run take no Markdown")
	}
	cell := event.CellID(req.Cell)
	var book *notebook.Notebook
	_ = e.cfg.Session.With(func(r *replica.Replica) error {
		book = r.View().Clone()
		return nil
	})
	run := book.Run(event.RunID(req.Run))
	if run == nil {
		return errors.New("the run is not in the notebook any more")
	}
	a.run = *run
	settings, err := e.settings(book, cell)
	if err != nil {
		return err
	}
	provider, model, err := e.choose(ctx, settings)
	if errors.Is(err, errNoProvider) {
		markdown.Markdown(setUpHelp, transcript.Mark{Role: "help", Turn: 1}.Metadata())
		return errShown
	}
	if err != nil {
		return err
	}
	a.model = provider
	a.show = transcript.NewWriter(markdown, req.Run, provider.Name(), model.Name)
	a.tools = tool.New(tool.Config{Session: e.cfg.Session, NewID: e.cfg.NewID, Point: e.cfg.Point, Cell: cell})
	built, err := prompt.Build(book, cell, req.Source, settings, model, offered(model))
	if err != nil {
		return err
	}
	a.tools.Saw(built.Sources)
	return a.loop(ctx, built.Request, cmp.Or(settings.MaxTurns, prompt.DefaultTurns))
}

// settings returns the settings of a prompt: those of its cell, of the notebook, and the defaults.
func (e *Engine) settings(n *notebook.Notebook, cell event.CellID) (prompt.Settings, error) {
	var own map[string]json.RawMessage
	if c := n.Cell(cell); c != nil {
		own = c.Metadata
	}
	ofCell, err := prompt.SettingsOf(own)
	if err != nil {
		return ofCell, err
	}
	ofNotebook, err := prompt.SettingsOf(n.Metadata())
	return ofCell.Or(ofNotebook).Or(e.cfg.Defaults), err
}

// offered returns the tools that a model is told of.
func offered(model assist.ModelInfo) []assist.Tool {
	if !model.Can.Tools {
		return nil
	}
	var all []assist.Tool
	for _, t := range tool.Tools() {
		all = append(all, assist.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
	return all
}

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
