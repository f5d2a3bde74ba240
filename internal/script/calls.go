package script

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
)

// patience is the time after which a call between runs is interrupted; it then has the same time again to reply.
const patience = 2 * time.Second

// errSlow says that code of the program did not return.
var errSlow = errors.New("the engine did not answer in time: a function of the program takes too long")

// ErrCannot says that an engine does not have an ability.
var ErrCannot = errors.New("this engine cannot do that")

// Abilities implements lang.Engine: what the engine has said that it can. Before Load it is nothing.
func (e *Engine) Abilities() lang.Abilities {
	var a lang.Abilities
	if e.can(engineproto.Complete) == nil {
		a.Completer = e
	}
	if e.can(engineproto.Inspect) == nil {
		a.Inspector = e
	}
	if e.can(engineproto.Variables) == nil {
		a.VariableLister = e
	}
	if e.can(engineproto.Install) == nil {
		a.Installer = e
	}
	if e.can(engineproto.Reset) == nil {
		a.Resetter = e
	}
	if e.can(engineproto.Get) == nil && e.can(engineproto.Set) == nil {
		a.Accessor = e
	}
	if e.can(engineproto.Drain) == nil {
		a.Drainer = e
	}
	return a
}

// can returns why the engine cannot do a call.
func (e *Engine) can(method engineproto.Method) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.hello == nil || !slices.Contains(e.hello.Can, method) {
		return fmt.Errorf("%w: the engine of %s has no %s", ErrCannot, e.info.Language, method)
	}
	return nil
}

// call is a request between runs. There is one at a time. It ends with the engine's reply, which may come after the
// caller has left.
type call struct {
	id      int
	replied chan reply // of capacity one
}

// reply is the result of a call.
type reply struct {
	message *engineproto.Reply
	err     error
}

// fail ends a call with an error, unless it has ended.
func (c *call) fail(err error) {
	select {
	case c.replied <- reply{err: err}:
	default:
	}
}

// ask sends a call between runs and decodes the reply.
func (e *Engine) ask(ctx context.Context, r engineproto.Call, value any) error {
	if err := e.can(r.Method); err != nil {
		return err
	}
	c, err := e.startCall(ctx)
	if err != nil {
		return err
	}
	r.ID, r.Mark = c.id, e.markOfCalls()
	e.send(&r)
	m, err := e.await(ctx, c)
	switch {
	case err != nil:
		return err
	case isInterrupted(m.Error):
		return errSlow
	case m.Error != nil:
		return shape(m.Error)
	}
	if len(m.Value) == 0 {
		return nil // a reply without a value
	}
	if err := json.Unmarshal(m.Value, value); err != nil {
		return fmt.Errorf("decode the engine's reply to %s: %w", r.Method, err)
	}
	return nil
}

// send sends a request unless the engine is being closed.
func (e *Engine) send(r engineproto.FromHost) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.requests.put(r)
	}
}

// startCall assigns the next number, once the previous call is over.
func (e *Engine) startCall(ctx context.Context) (*call, error) {
	if err := e.unavailable(); err != nil {
		return nil, err // at once, without waiting for other calls
	}
	timer := time.NewTimer(e.patience)
	defer timer.Stop()
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-timer.C:
		return nil, lang.ErrBusy
	case <-e.process.Exited():
		return nil, e.goneReason()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.unavailableLocked(); err != nil {
		<-e.turn
		return nil, err
	}
	e.calls++
	e.call = &call{id: e.calls, replied: make(chan reply, 1)}
	return e.call, nil
}

// await waits for the reply. After the patience it interrupts the engine, which may still reply.
func (e *Engine) await(ctx context.Context, c *call) (*engineproto.Reply, error) {
	timer := time.NewTimer(e.patience)
	defer timer.Stop()
	for asked := false; ; asked = true {
		select {
		case r := <-c.replied:
			return r.message, r.err
		case <-ctx.Done():
			e.interruptCall(c)
			return nil, context.Cause(ctx)
		case <-e.process.Exited():
			return nil, e.goneReason()
		case <-timer.C:
		}
		if asked {
			return nil, errSlow
		}
		e.interruptCall(c)
		timer.Reset(e.patience)
	}
}

func (e *Engine) interruptCall(c *call) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.call == c {
		e.interruptCallLocked(c)
	}
}

// interruptCallLocked interrupts a call; if that fails, or the engine cannot be interrupted, there will be no reply.
func (e *Engine) interruptCallLocked(c *call) {
	if !e.closed && e.hello.Interrupt != engineproto.Never {
		_ = e.interruptLocked(task{call: c.id})
	}
}

// handleReply ends a call, even if its caller has left.
func (e *Engine) handleReply(m *engineproto.Reply) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.call == nil || e.call.id != m.ID {
		return
	}
	select {
	case e.call.replied <- reply{message: m}:
	default: // it was ended by a run
	}
	e.call = nil
	<-e.turn
}

// handleIdle handles a message between runs that is no output.
func (e *Engine) handleIdle(m engineproto.FromEngine) bool {
	switch m := m.(type) {
	case *engineproto.Reply:
		e.handleReply(m)
	case *engineproto.Ask:
		e.send(&engineproto.Answer{ID: m.ID, End: true, Why: between})
	}
	_, isOutput := runOf(m)
	return !isOutput
}

// unavailable returns why the engine can take no request now.
func (e *Engine) unavailable() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.unavailableLocked()
}

// goneReason returns why a process that has ended did not reply.
func (e *Engine) goneReason() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return lang.ErrClosed
	}
	return fmt.Errorf("%w: %s ended: %w", lang.ErrDied, e.info.Language, e.process.Reason())
}

// Complete implements lang.Completer.
func (e *Engine) Complete(ctx context.Context, at lang.Place) (lang.Completion, error) {
	source := strings.ToValidUTF8(at.Source, "\uFFFD")
	cursor := min(max(at.Cursor, 0), len(source))
	var completion lang.Completion
	if err := e.ask(ctx, engineproto.Call{Method: engineproto.Complete, Source: source, Cursor: cursor}, &completion); err != nil {
		return lang.Completion{}, err
	}
	return completion, nil
}

// Inspect implements lang.Inspector.
func (e *Engine) Inspect(ctx context.Context, at lang.Place) (lang.Inspection, error) {
	source := strings.ToValidUTF8(at.Source, "\uFFFD")
	cursor := min(max(at.Cursor, 0), len(source))
	var inspection lang.Inspection
	if err := e.ask(ctx, engineproto.Call{Method: engineproto.Inspect, Source: source, Cursor: cursor}, &inspection); err != nil {
		return lang.Inspection{}, err
	}
	return inspection, nil
}

// Variables implements lang.VariableLister.
func (e *Engine) Variables(ctx context.Context) ([]lang.Variable, error) {
	var variables []lang.Variable
	if err := e.ask(ctx, engineproto.Call{Method: engineproto.Variables}, &variables); err != nil {
		return nil, err
	}
	slices.SortFunc(variables, func(a, b lang.Variable) int { return cmp.Compare(a.Name, b.Name) })
	return variables, nil
}

// Get implements lang.Accessor.
func (e *Engine) Get(ctx context.Context, name string) (json.RawMessage, error) {
	var value json.RawMessage
	if err := e.ask(ctx, engineproto.Call{Method: engineproto.Get, Name: name}, &value); err != nil {
		return nil, err
	}
	return value, nil
}

// Set implements lang.Accessor.
func (e *Engine) Set(ctx context.Context, name string, value json.RawMessage) error {
	var none json.RawMessage
	return e.ask(ctx, engineproto.Call{Method: engineproto.Set, Name: name, Value: value}, &none)
}

// Install implements lang.Installer. An error of the installer is as the engine says it.
func (e *Engine) Install(ctx context.Context, packages []string, sink lang.Sink) error {
	for _, name := range packages {
		if strings.HasPrefix(name, "-") || strings.TrimSpace(name) == "" {
			return fmt.Errorf("%q is not a package", name)
		}
	}
	if len(packages) == 0 {
		return nil
	}
	_, err := e.performCall(ctx, engineproto.Call{Method: engineproto.Install, Packages: packages}, sink)
	return err
}
