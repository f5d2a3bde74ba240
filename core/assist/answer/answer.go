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
	"time"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/core/assist/prompt"
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

// answer is the work on one prompt.
type answer struct {
	cfg   *Config
	run   notebook.Run
	tools *tool.Set
	show  *record
	model assist.Model
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
		markdown.Markdown(setUpHelp, prompt.Mark{Role: "help", Turn: 1}.Metadata())
		return errShown
	}
	if err != nil {
		return err
	}
	a.model = provider
	a.show = &record{sink: markdown, run: req.Run, mark: prompt.Mark{Role: assist.RoleAssistant, Provider: provider.Name(), Model: model.Name}}
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

// loop asks the model until it calls no tool any more.
func (a *answer) loop(ctx context.Context, req assist.Request, most int) error {
	var used prompt.Usage
	defer func() { a.show.usage(used) }()
	for turn := 1; ; turn++ {
		a.show.begin(turn)
		said, err := a.ask(ctx, req, &used)
		used.Turns = turn
		if err != nil {
			return err
		}
		calls := said.Whole()
		said.Calls = calls
		switch {
		case used.Stop == assist.StopLength && len(calls) == 0:
			a.show.notice("The answer was cut off, because it is as long as an answer may be. Ask for the rest, or set `maxTokens`.")
			return nil
		case used.Stop == assist.StopRefused:
			a.show.notice("The service of the model withheld the rest of the answer.")
			return nil
		case len(calls) == 0:
			return nil
		case turn == most:
			a.show.notice(fmt.Sprintf("Stopped after %d requests to the model, which is the maximum for one prompt (`maxTurns`). Its last tool calls were not carried out. "+
				"Ask it to go on, or set a higher maximum.", most))
			for i := range calls {
				a.show.call(&calls[i], "")
			}
			return nil
		}
		req.Messages = append(req.Messages, said)
		for i := range calls {
			result, err := a.carryOut(ctx, &calls[i])
			if err != nil {
				return err
			}
			req.Messages = append(req.Messages, result)
		}
	}
}

// ask asks the model once, and shows its answer as it comes.
func (a *answer) ask(ctx context.Context, req assist.Request, used *prompt.Usage) (said assist.Message, err error) {
	said.Role = assist.RoleAssistant
	var cost assist.Usage
	var failed error
	for chunk, err := range a.model.Answer(ctx, req) {
		if err != nil {
			failed = err
			break
		}
		if failed = said.Join(chunk); failed != nil {
			break
		}
		if ctx.Err() != nil {
			break
		}
		a.show.chunk(chunk, &said)
		if chunk.Usage != nil {
			cost = *chunk.Usage
		}
		if chunk.Stop != "" {
			used.Stop = chunk.Stop
		}
	}
	a.show.endThinking(&said)
	used.Input, used.Cached, used.Output = used.Input+cost.Input, used.Cached+cost.Cached, used.Output+cost.Output
	if ctx.Err() != nil {
		return said, context.Cause(ctx)
	}
	return said, failed
}

// carryOut makes a tool call, if it may be made, and returns the message that tells the model its result.
func (a *answer) carryOut(ctx context.Context, call *assist.ToolCall) (assist.Message, error) {
	call.ID = cmp.Or(call.ID, a.cfg.NewID())
	known, _ := tool.ByName(call.Name)
	a.show.call(call, known.Class)
	result, approval, err := a.result(ctx, known, *call)
	if err != nil {
		return assist.Message{}, err
	}
	a.show.result(prompt.Result{
		ID: call.ID, Tool: call.Name, Text: result.Text, Failed: result.Failed, Images: len(result.Images), Approval: approval,
	})
	return assist.Message{Role: assist.RoleTool, CallID: call.ID, Text: result.Text, Images: result.Images, Failed: result.Failed}, nil
}

func (a *answer) result(ctx context.Context, known tool.Tool, call assist.ToolCall) (tool.Result, event.ApprovalID, error) {
	if err := tool.Check(call.Name, []byte(call.Arguments)); err != nil {
		return tool.Result{Text: err.Error(), Failed: true}, "", nil
	}
	v, err := a.decide(ctx, known, call)
	switch {
	case err != nil:
		return tool.Result{}, v.approval, err
	case !v.allowed:
		return tool.Result{Text: v.reason, Failed: true}, v.approval, nil
	}
	result, err := a.tools.Call(ctx, call.Name, []byte(call.Arguments))
	return result, v.approval, err
}
