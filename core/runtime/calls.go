package runtime

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
)

const (
	// maxServing is the most calls that are answered at once.
	maxServing = 32
	// callTime is how long an engine may take to answer: less than the room waits.
	callTime = 9 * time.Second
	// maxDoc is the most documentation of an inspection.
	maxDoc = 256 << 10
	// maxItems is the most candidates of a completion, of which the best come first.
	maxItems = 1000
)

// serveCalls answers calls, each in its own goroutine, until life ends. Run waits for the
// goroutines after it has closed the engines, which ends the last.
func (rt *Runtime) serveCalls(life context.Context) {
	slots := make(chan struct{}, maxServing)
	for {
		var calls []replica.Incoming
		err := rt.session.Wait(life, func(r *replica.Replica) bool {
			calls = r.TakeCalls()
			return len(calls) > 0
		})
		if err != nil {
			return
		}
		for _, c := range calls {
			if c.Method == protocol.MethodComm { // comm messages must keep their order
				rt.reply(&c, struct{}{}, rt.sendComm(life, &c))
				continue
			}
			select {
			case slots <- struct{}{}:
				rt.serving.Go(func() {
					defer func() { <-slots }()
					result, err := rt.respond(life, &c)
					rt.reply(&c, result, err)
				})
			default:
				rt.reply(&c, nil, protocol.NewCallError(protocol.CodeUnavailable, "the runtime has too much to answer; ask again later"))
			}
		}
	}
}

// reply answers a call with a result, or with err if it is not nil.
func (rt *Runtime) reply(c *replica.Incoming, result any, err error) {
	var raw json.RawMessage
	if err == nil {
		raw, err = json.Marshal(result)
	}
	var failed *protocol.CallError
	if err != nil && !errors.As(err, &failed) {
		failed = &protocol.CallError{Code: protocol.CodeInternal, Message: valid(err.Error())}
	}
	_ = rt.session.With(func(r *replica.Replica) error {
		r.Answer(c, raw, failed)
		return nil
	})
}

// respond returns the result of a call. Its errors are for the caller, and do not quote the
// params, which may be a secret.
func (rt *Runtime) respond(life context.Context, c *replica.Incoming) (any, error) {
	ctx, cancel := context.WithTimeout(life, callTime)
	defer cancel()
	switch c.Method {
	case protocol.MethodComplete:
		return rt.complete(ctx, life, c)
	case protocol.MethodInspect:
		return rt.inspect(ctx, life, c)
	case protocol.MethodVariables:
		return rt.variables(ctx, c)
	case protocol.MethodEngines:
		return rt.loadedEngines(), nil
	case protocol.MethodUnload:
		of, err := params[protocol.Unload](c)
		if err != nil {
			return nil, err
		}
		return struct{}{}, rt.unloadFor(life, of)
	case protocol.MethodAnswer:
		secret, err := params[protocol.Secret](c)
		if err != nil {
			return nil, err
		}
		return struct{}{}, rt.giveSecret(secret)
	}
	return nil, protocol.NewCallError(protocol.CodeNotFound, "this runtime has no method %s", c.Method)
}

// params decodes the params of a call.
func params[P any](c *replica.Incoming) (p P, err error) {
	if len(c.Params) > 0 && json.Unmarshal(c.Params, &p) != nil {
		return p, protocol.NewCallError(protocol.CodeInvalid, "the params are not those of %s", c.Method)
	}
	return p, nil
}

func (rt *Runtime) complete(ctx, life context.Context, c *replica.Incoming) (any, error) {
	about, err := rt.subject(life, c)
	if err != nil {
		return nil, err
	}
	completer := about.engine.Abilities().Completer
	if completer == nil {
		return nil, protocol.NewCallError(protocol.CodeNotFound, "this runtime cannot complete %s", about.language)
	}
	found, err := completer.Complete(ctx, about.at)
	if err != nil {
		return nil, rt.unable(err, about.language, about.engine)
	}
	// A program can make an engine return anything, and editors rely on a range in the source.
	length := text.UTF16Len(about.at.Source)
	start := min(max(found.Start, 0), length)
	result := lang.Completion{Start: start, End: min(max(found.End, start), length), Items: []lang.Candidate{}}
	result.Items = append(result.Items, found.Items[:min(len(found.Items), maxItems)]...)
	return result, nil
}

func (rt *Runtime) inspect(ctx, life context.Context, c *replica.Incoming) (any, error) {
	about, err := rt.subject(life, c)
	if err != nil {
		return nil, err
	}
	inspector := about.engine.Abilities().Inspector
	if inspector == nil {
		return nil, protocol.NewCallError(protocol.CodeNotFound, "this runtime cannot inspect %s", about.language)
	}
	found, err := inspector.Inspect(ctx, about.at)
	if err != nil {
		return nil, rt.unable(err, about.language, about.engine)
	}
	doc := shapeBundle(lang.Bundle{Data: found.Data, Metadata: found.Metadata}, maxDoc)
	return lang.Inspection{
		Found: found.Found, Signature: found.Signature, Data: doc.data, Metadata: doc.metadata,
	}, nil
}

// shapeBundle returns a bundle as cleanBundle does, with a notice in place of one that
// is too large.
func shapeBundle(b lang.Bundle, limit int) bundle {
	return cleanBundle(b).within(limit)
}

// variables lists the variables of a language. It loads no engine for that: an engine that has
// executed nothing has none.
func (rt *Runtime) variables(ctx context.Context, c *replica.Incoming) (any, error) {
	of, err := params[protocol.VariablesOf](c)
	if err != nil {
		return nil, err
	}
	result := lang.Variables{Language: orElse(of.Language, rt.cfg.Language), Variables: []lang.Variable{}}
	engine, err := rt.cfg.Engines.Loaded(result.Language)
	switch {
	case err != nil:
		return nil, rt.unable(err, result.Language, nil)
	case engine == nil:
		return result, nil
	}
	lister := engine.Abilities().VariableLister
	if lister == nil {
		return nil, protocol.NewCallError(protocol.CodeNotFound, "this runtime cannot list the variables of %s", result.Language)
	}
	found, err := lister.Variables(ctx)
	if err != nil {
		return nil, rt.unable(err, result.Language, engine)
	}
	result.Variables = append(result.Variables, found...)
	return result, nil
}

// unloadFor unloads an engine for a user. A run is never cut off: a user interrupts it first.
func (rt *Runtime) unloadFor(life context.Context, of protocol.Unload) error {
	language := rt.languageOf(orElse(of.Language, rt.cfg.Language))
	if _, err := rt.cfg.Engines.Loaded(language); err != nil {
		return rt.unable(err, language, nil)
	}
	if !rt.use.executing.TryLock() {
		return protocol.NewCallError(protocol.CodeUnavailable, "the runtime is executing; interrupt it or ask again when it has finished")
	}
	if engine, _ := rt.cfg.Engines.Loaded(language); engine != nil { // it is in the set
		rt.unload(language, engine, "its engine was ended by a user")
	}
	rt.use.executing.Unlock()
	if !of.Reload {
		return nil
	}
	if _, err := rt.cfg.Engines.Get(life, language, func(p lang.Progress) { rt.cfg.Progress(language, p) }); err != nil {
		return rt.unable(err, language, nil)
	}
	return nil
}

// loadedEngines lists the engines that are loaded.
func (rt *Runtime) loadedEngines() lang.LoadedEngines {
	list := lang.LoadedEngines{Engines: []lang.LoadedEngine{}}
	for _, language := range rt.cfg.Engines.Languages() {
		engine, _ := rt.cfg.Engines.Loaded(language) // it is in the set
		if engine == nil {
			continue
		}
		one := lang.LoadedEngine{Language: language, Version: engine.Info().Version}
		if meter := engine.Abilities().Meter; meter != nil {
			one.Memory = meter.Memory()
		}
		if last, used := rt.use.since(engine); used {
			one.Idle = rt.cfg.Now().Sub(last).Milliseconds()
		}
		list.Engines = append(list.Engines, one)
	}
	return list
}

// subject is the subject of a call: a place in a source, and its engine.
type subject struct {
	at       lang.Place
	language string
	engine   lang.Engine
}

// subject returns the subject of a call, with the engine loaded. Loading goes on when the
// caller has left: the next call or run will use the engine.
func (rt *Runtime) subject(life context.Context, c *replica.Incoming) (about subject, err error) {
	if about.at, about.language, err = rt.place(c); err != nil {
		return about, err
	}
	language := about.language
	about.engine, err = rt.cfg.Engines.Get(life, language, func(p lang.Progress) { rt.cfg.Progress(language, p) })
	if err != nil {
		return about, rt.unable(err, language, nil)
	}
	return about, nil
}

// place returns the place of a call, and its language.
func (rt *Runtime) place(c *replica.Incoming) (at lang.Place, language string, err error) {
	p, err := params[protocol.Place](c)
	if err != nil {
		return at, "", err
	}
	if p.Cursor < 0 || p.Cursor > text.UTF16Len(p.Source) {
		return at, "", protocol.NewCallError(protocol.CodeInvalid, "cursor %d is not in the source", p.Cursor)
	}
	_ = rt.session.With(func(r *replica.Replica) error {
		book := r.Confirmed()
		if cell := book.Cell(p.Cell); cell != nil && p.Language == "" {
			p.Language = cell.Language
		}
		language = rt.language(book, p.Language, p.Cell)
		return nil
	})
	return rt.placeInMagic(lang.Place{Source: p.Source, Cursor: p.Cursor}, language)
}

// placeInMagic returns a place in the language of the magic that its source begins with, if any. A place in the line of the
// magic is one of Python, which completes magics.
func (rt *Runtime) placeInMagic(at lang.Place, language string) (lang.Place, string, error) {
	m, ok := rt.magicOf(language, at.Source)
	line, _, _ := strings.Cut(at.Source, "\n")
	if !ok || at.Cursor <= text.UTF16Len(line) {
		return at, language, nil
	}
	cut := text.UTF16Len(at.Source) - text.UTF16Len(m.Source)
	return lang.Place{Source: strings.Repeat(" ", cut) + m.Source, Cursor: at.Cursor}, m.Language, nil
}

// unable returns the error for the caller when an engine has not answered. A dead engine is
// discarded; the next call or run loads a new one.
func (rt *Runtime) unable(err error, language string, engine lang.Engine) error {
	switch {
	case errors.Is(err, lang.ErrUnknown):
		return protocol.NewCallError(protocol.CodeNotFound, "%s", notReady(err, language, rt.cfg.Engines.Languages()).Message)
	case errors.Is(err, lang.ErrBusy):
		return protocol.NewCallError(protocol.CodeUnavailable, "the runtime is executing; ask again when it has finished")
	case isDeath(err) && engine != nil:
		rt.discard(language, engine)
		rt.comms.closeLost(engine)
		return protocol.NewCallError(protocol.CodeUnavailable, "the engine of %s has ended; the next run starts it again", language)
	case errors.Is(err, context.Canceled):
		return protocol.NewCallError(protocol.CodeUnavailable, "the runtime is stopping")
	case errors.Is(err, context.DeadlineExceeded):
		return protocol.NewCallError(protocol.CodeUnavailable, "%s did not answer in time", language)
	}
	return protocol.NewCallError(protocol.CodeUnavailable, "%s", valid(strings.TrimSpace(err.Error())))
}

// sendComm sends a comm message of a user to a program. Custom messages are appended as
// events too, for other users; state updates are not, because the program echoes them.
func (rt *Runtime) sendComm(life context.Context, c *replica.Incoming) error {
	p, err := params[protocol.CommMessage](c)
	if err != nil {
		return err
	}
	if !hasShape(p) {
		return protocol.NewCallError(protocol.CodeInvalid, "the params are not those of %s", c.Method)
	}
	m := lang.CommMessage{Kind: lang.CommData, Comm: string(p.Comm), Data: p.Data}
	for _, text := range p.Buffers {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return protocol.NewCallError(protocol.CodeInvalid, "a buffer is not base64")
		}
		m.Buffers = append(m.Buffers, data)
	}
	to, ok := rt.comms.find(p.Comm)
	if !ok {
		return protocol.NewCallError(protocol.CodeNotFound, "no program has comm %s open", p.Comm)
	}
	if to.isWidget && readWidget(p.Data).Method == methodUpdate {
		return rt.notSent(to.send(life, m))
	}
	return rt.sendAppended(life, to, m, p.Buffers, c.From)
}

func hasShape(p protocol.CommMessage) bool {
	return event.CheckName("comm", string(p.Comm)) == nil && (len(p.Data) == 0 || value(p.Data) != nil)
}

// sendAppended sends a message to a program, and appends it as an event.
func (rt *Runtime) sendAppended(life context.Context, to openComm, m lang.CommMessage, buffers []string, from event.Actor) error {
	sent := &event.CommSent{Comm: event.CommID(m.Comm), Epoch: rt.epoch, From: from, Content: m.Data}
	for _, data := range buffers {
		sent.Buffers = append(sent.Buffers, event.Buffer{Data: data})
	}
	err := rt.session.With(func(r *replica.Replica) error {
		if !rt.out.hasSpace(r) {
			return protocol.NewCallError(protocol.CodeUnavailable, "too much waits to be stored; try again")
		}
		return nil
	})
	if err == nil {
		err = rt.notSent(to.send(life, m))
	}
	if err == nil {
		_, _ = rt.out.append(sent) // it is moot if the program has just closed the comm
	}
	return err
}

// notSent returns the error for the caller when a program did not get a message.
func (rt *Runtime) notSent(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, lang.ErrBusy):
		return protocol.NewCallError(protocol.CodeUnavailable, "the program is busy and too much waits for it already; try again")
	case isDeath(err):
		return protocol.NewCallError(protocol.CodeUnavailable, "the program has ended; run its cell again")
	}
	return protocol.NewCallError(protocol.CodeUnavailable, "%s", valid(err.Error()))
}

// giveSecret passes a secret to the program that asked for it, and appends an event that
// the question is answered, without the answer: no log holds it. With End it tells the
// program that there is no answer.
func (rt *Runtime) giveSecret(s protocol.Secret) error {
	return rt.session.With(func(r *replica.Replica) error {
		in, q := r.View().Input(s.Input), rt.questions[s.Input]
		switch {
		case in == nil:
			return protocol.NewCallError(protocol.CodeNotFound, "no program waits for input %s", s.Input)
		case !in.Secret && !s.End:
			return protocol.NewCallError(protocol.CodeInvalid, "input %s is no secret: an InputAnswered answers it", s.Input)
		case !in.Open():
			return protocol.NewCallError(protocol.CodeConflict, "input %s is answered already, or not waited for any more", s.Input)
		case q == nil:
			return protocol.NewCallError(protocol.CodeNotFound, "input %s is not of this runtime", s.Input)
		}
		if s.End {
			q.ended = true
			return nil
		}
		if _, err := rt.out.appendWith(r, &event.InputClosed{Input: s.Input, Epoch: rt.epoch, Answered: true}); err != nil {
			return protocol.NewCallError(protocol.CodeConflict, "input %s is not waited for any more", s.Input)
		}
		q.given, q.value = true, line(s.Value)
		return nil
	})
}
