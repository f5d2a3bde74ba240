package wasi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
)

// DefaultMemory is the memory of a module for which no other is set.
const DefaultMemory = 1 << 30

// Config is the configuration of an Interpreter.
type Config struct {
	Engine   Engine
	Cache    string // a folder for what is compiled; empty for none
	Memory   int64  // the most memory of a program; 0 is DefaultMemory
	Folder   string // a folder that programs may use; empty for none
	Writable bool   // whether they may change it

	// Exit ends the process as a program has ended its interpreter, with a status; nil reports it as the error of the run.
	Exit func(status int)
}

// Interpreter executes programs in a module. A program that waits can be interrupted. One that computes cannot: the host of the engine
// kills its process.
type Interpreter struct {
	config Config
	module *module
	guest  *guest
}

// New returns an interpreter, which is not loaded.
func New(c Config) *Interpreter {
	c.Memory = cmp.Or(c.Memory, DefaultMemory)
	return &Interpreter{config: c, guest: newGuest()}
}

// Load compiles the module, or loads it as it was compiled before, and starts its driver.
func (in *Interpreter) Load(ctx context.Context, progress func(lang.Progress)) (engineproto.Hello, error) {
	e := in.config.Engine
	stop := showCompiling(e, progress)
	module, err := openModule(ctx, &in.config, in.guest.devices(), in.guest.stream(lang.Stdout), in.guest.stream(lang.Stderr))
	stop()
	if err != nil {
		return engineproto.Hello{}, fmt.Errorf("load %s: %w", e.Language, err)
	}
	known := languageOf(e.Language)
	in.module = module
	in.guest.collect, in.guest.diesSaying = beginCollecting(), known.diesSaying
	go func() { in.guest.end(known.begin(context.WithoutCancel(ctx), module)) }()
	version, err := in.guest.ready(ctx)
	if err != nil {
		return engineproto.Hello{}, fmt.Errorf("start %s: %w", e.Language, err)
	}
	return engineproto.Hello{
		Language: e.Language, Version: version, Interrupt: engineproto.ByMessage, Extension: known.extension, MIME: known.mime,
	}, nil
}

// Compile compiles an interpreter ahead of its first use, on all processors.
func Compile(ctx context.Context, e Engine, cache string, progress func(lang.Progress)) error {
	stop := showCompiling(e, progress)
	defer stop()
	m, err := openModule(ctx, &Config{Engine: e, Cache: cache, Memory: DefaultMemory}, newGuest().devices(), io.Discard, io.Discard)
	if err != nil {
		return fmt.Errorf("compile %s: %w", e.Language, err)
	}
	m.Close(ctx)
	return nil
}

// showCompiling reports a load that takes longer than that of a module which was compiled before, each second until stop is called.
func showCompiling(e Engine, progress func(lang.Progress)) (stop func()) {
	if progress == nil {
		return func() {}
	}
	progress(lang.Progress{Text: fmt.Sprintf("loading %s %s", e.Language, e.Version)})
	over := make(chan struct{})
	var showing sync.WaitGroup
	showing.Go(func() {
		ticks := time.NewTicker(time.Second)
		defer ticks.Stop()
		for seconds := 1; ; seconds++ {
			select {
			case <-ticks.C:
				progress(lang.Progress{Text: fmt.Sprintf("compiling %s %s for this machine, which is done once: %d s", e.Language, e.Version, seconds)})
			case <-over:
				return
			}
		}
	})
	return func() {
		close(over)
		showing.Wait()
	}
}

// Run executes a source. When ctx ends, it ends what the program waits for. It returns when the program has ended, which one that
// computes may never do.
func (in *Interpreter) Run(ctx context.Context, run *engineproto.Run, out *engineproto.Output) engineproto.Outcome {
	in.guest.beginRun(ctx, out)
	defer in.guest.endRun()
	in.guest.request("run", run)
	select {
	case m := <-in.guest.answers:
		return in.outcome(m)
	case <-in.guest.ended:
		return in.crash(out)
	case <-ctx.Done():
	}
	in.guest.interrupt()
	select {
	case m := <-in.guest.answers:
		return in.outcome(m)
	case <-in.guest.ended:
		return in.crash(out)
	}
}

// outcome returns how a run ended, by the last message of its driver.
func (in *Interpreter) outcome(m engineproto.FromEngine) engineproto.Outcome {
	done, ok := m.(*engineproto.Done)
	if !ok {
		return engineproto.Outcome{Error: &engineproto.Error{Name: "EngineError", Message: fmt.Sprintf("the driver answered a run with %T", m)}, Exit: engineproto.Gone}
	}
	if done.Error != nil && done.Error.Cause == engineproto.Limit {
		done.Error.Lack = lang.LackMemory
	}
	return engineproto.Outcome{Error: done.Error, Exit: done.Exit}
}

// crash returns how a run ended whose interpreter has ended with it.
func (in *Interpreter) crash(out *engineproto.Output) engineproto.Outcome {
	said, err := in.guest.last()
	var exit interface{ ExitCode() uint32 }
	switch {
	case in.guest.diesSaying && said != "":
		e := lastError(said)
		if saysNoMemory(said) {
			e.Name, e.Cause, e.Lack = "MemoryError", engineproto.Limit, lang.LackMemory
		}
		return engineproto.Outcome{Error: e, Exit: engineproto.Gone}
	case saysNoMemory(said):
		return engineproto.Outcome{Error: &engineproto.Error{
			Name: "MemoryError", Message: fmt.Sprintf("the program needs more than its %d MiB of memory", in.config.Memory>>20),
			Cause: engineproto.Limit, Lack: lang.LackMemory,
		}, Exit: engineproto.Gone}
	case err == nil || errors.As(err, &exit) && exit.ExitCode() == 0:
		return engineproto.Outcome{Exit: engineproto.Gone}
	case exit != nil:
		if in.config.Exit != nil {
			_, _ = out.Text(lang.Stderr, ""), out.Text(lang.Stdout, "") // sends what was gathered of the other stream
			in.config.Exit(int(exit.ExitCode()))
		}
		return engineproto.Outcome{Error: &engineproto.Error{
			Name: "SystemExit", Message: fmt.Sprintf("the program has ended with status %d", exit.ExitCode()),
		}, Exit: engineproto.Gone}
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return engineproto.Outcome{Error: &engineproto.Error{
		Name: "Crash", Message: "the interpreter has crashed, most often for want of memory or because a recursion is too deep: " + text,
	}, Exit: engineproto.Gone}
}

// saysNoMemory reports whether what an interpreter printed before it ended is that it has no more memory.
func saysNoMemory(said string) bool {
	said = strings.ToLower(said)
	return strings.Contains(said, "out of memory") || strings.Contains(said, "failed to allocate memory") || strings.Contains(said, "allowed memory size")
}

// lastError returns the error that PHP writes to its log before it ends, such as "PHP Fatal error:  Cannot … in cell://cell 3 on
// line 2".
func lastError(said string) *engineproto.Error {
	said = strings.TrimSpace(strings.ReplaceAll(said, "cell://", ""))
	line, _, _ := strings.Cut(strings.TrimPrefix(said, "PHP "), "\n")
	message, e := line, &engineproto.Error{Name: "Error", Trace: strings.Split(said, "\n")}
	if _, after, found := strings.Cut(line, ":  "); found {
		message = after
	}
	if i := strings.LastIndex(message, " on line "); i >= 0 {
		if n, err := strconv.Atoi(message[i+len(" on line "):]); err == nil {
			e.Line = n
			message = message[:i]
		}
		if i := strings.LastIndex(message, " in "); i >= 0 {
			message = message[:i]
		}
	}
	e.Message = message
	return e
}

// Complete completes a source.
func (in *Interpreter) Complete(ctx context.Context, at lang.Place) (lang.Completion, error) {
	return asked[lang.Completion](ctx, in, &engineproto.Call{Method: engineproto.Complete, Source: at.Source, Cursor: at.Cursor})
}

// Inspect describes a name.
func (in *Interpreter) Inspect(ctx context.Context, at lang.Place) (lang.Inspection, error) {
	return asked[lang.Inspection](ctx, in, &engineproto.Call{Method: engineproto.Inspect, Source: at.Source, Cursor: at.Cursor})
}

// Variables lists the variables.
func (in *Interpreter) Variables(ctx context.Context) ([]lang.Variable, error) {
	return asked[[]lang.Variable](ctx, in, &engineproto.Call{Method: engineproto.Variables})
}

// Reset removes the variables.
func (in *Interpreter) Reset(ctx context.Context) error {
	_, err := asked[json.RawMessage](ctx, in, &engineproto.Call{Method: engineproto.Reset})
	return err
}

// Get returns the value of a variable.
func (in *Interpreter) Get(ctx context.Context, name string) (json.RawMessage, error) {
	return asked[json.RawMessage](ctx, in, &engineproto.Call{Method: engineproto.Get, Name: name})
}

// Set sets a variable.
func (in *Interpreter) Set(ctx context.Context, name string, value json.RawMessage) error {
	_, err := asked[json.RawMessage](ctx, in, &engineproto.Call{Method: engineproto.Set, Name: name, Value: value})
	return err
}

// asked calls a method of the driver.
func asked[T any](ctx context.Context, in *Interpreter, c *engineproto.Call) (T, error) {
	var value T
	in.guest.request("call", c)
	select {
	case m := <-in.guest.answers:
		reply, ok := m.(*engineproto.Reply)
		if !ok {
			return value, fmt.Errorf("the driver answered a call with %T", m)
		}
		if reply.Error != nil {
			return value, reply.Error
		}
		if len(reply.Value) == 0 {
			return value, nil
		}
		return value, json.Unmarshal(reply.Value, &value)
	case <-in.guest.ended:
		return value, errors.New("the interpreter has ended")
	case <-ctx.Done():
		return value, context.Cause(ctx)
	}
}

var _ interface {
	engineproto.Interpreter
	engineproto.Accessor
	lang.Completer
	lang.Inspector
	lang.VariableLister
	lang.Resetter
} = (*Interpreter)(nil)
