// Package javascript executes JavaScript and TypeScript in this process, by QuickJS. It is the interpreter behind an
// engine process, see package engineproto.
//
// Each cell runs as a script of its own with top-level await. What it declares is global for later cells, and can be
// declared again. TypeScript is stripped of its types by esbuild, and errors name the lines of the user's source.
//
// A program reaches nothing outside: no files, network, environment, processes or modules. It gets the time of day, a
// source of random numbers, and what it asks the user. Its memory and the depth of its calls are bounded.
package javascript

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"modernc.org/quickjs"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/javascript/raw"
)

// Config is the configuration of an interpreter.
type Config struct {
	TypeScript bool
	Memory     int64 // the most that values of the program may take, in bytes; 0 is DefaultMemory
}

// DefaultMemory bounds the values of a program.
const DefaultMemory = 512 << 20

// Interpreter executes the cells of one notebook. It implements engineproto.Interpreter.
type Interpreter struct {
	config  Config
	vm      *quickjs.VM
	ours    map[string]quickjs.Value // functions of the prelude
	raw     *raw.Machine
	outputs map[int]*engineproto.Output // of the runs that have timers, and of the executing one
	last    *engineproto.Output         // of the executing or the last run
	current int                         // the run on whose behalf code executes
	ctx     context.Context             // of that code: questions end with it
	started time.Time
	sources map[string]*cellSource // by the name that traces have

	slack      int64 // see slackStep
	unanswered error // why the last question had no answer
}

// New returns an interpreter. Load makes it ready.
func New(config Config) *Interpreter {
	if config.Memory == 0 {
		config.Memory = DefaultMemory
	}
	return &Interpreter{config: config}
}

// Load implements engineproto.Interpreter.
func (in *Interpreter) Load(context.Context, func(lang.Progress)) (engineproto.Hello, error) {
	hello := engineproto.Hello{Language: "javascript", Version: "ES2023 (QuickJS " + quickjs.Version() + ")", Extension: ".js", MIME: "text/javascript"}
	if in.config.TypeScript {
		hello.Language, hello.Extension, hello.MIME = "typescript", ".ts", "text/typescript"
	}
	return hello, in.open()
}

// open makes a machine without any state of the user.
func (in *Interpreter) open() error {
	vm, err := quickjs.NewVM()
	if err != nil {
		return fmt.Errorf("start QuickJS: %w", err)
	}
	vm.SetMemoryLimit(uintptr(in.config.Memory))
	in.vm, in.ours, in.outputs, in.sources = vm, map[string]quickjs.Value{}, map[int]*engineproto.Output{}, map[string]*cellSource{}
	in.started, in.current, in.ctx, in.slack = time.Now(), 0, context.Background(), 0
	vm.SetModuleLoader(func(_ *quickjs.VM, name string) (string, error) { return "", noModule(name) }, nil)
	if in.raw, err = raw.Of(vm); err != nil {
		return err
	}
	if err := in.loadPrelude(); err != nil {
		return fmt.Errorf("start QuickJS: %w", err)
	}
	return nil
}

// noModule is the error of an import.
func noModule(name string) error {
	return fmt.Errorf("there is no module %q%s", name, noModules)
}

// Reset implements lang.Resetter.
func (in *Interpreter) Reset(context.Context) error {
	if err := in.vm.Close(); err != nil {
		return err
	}
	in.raw.Close()
	return in.open()
}

// Run implements engineproto.Interpreter.
func (in *Interpreter) Run(ctx context.Context, run *engineproto.Run, out *engineproto.Output) engineproto.Outcome {
	in.outputs[run.Run], in.last = out, out
	defer in.forgetOutputs()
	source, failure := in.prepare(run)
	if failure != nil {
		return engineproto.Outcome{Error: failure}
	}
	in.sources[source.name] = source
	in.current, in.ctx = run.Run, ctx
	var err error
	in.guard(ctx, func() { err = in.execute(ctx, source, out) })
	switch {
	case ctx.Err() != nil:
		if _, err := in.call("dropTimers", run.Run); err != nil {
			return engineproto.Outcome{Error: in.shape(err, source)}
		}
		if err := in.raw.DropJobs(); err != nil {
			return engineproto.Outcome{Error: in.shape(err, source)}
		}
		return engineproto.Outcome{Error: engineproto.Stopped()}
	case err != nil:
		return engineproto.Outcome{Error: in.shape(err, source)}
	}
	return engineproto.Outcome{}
}

// interruptAgain is the time after which a program is interrupted again: an interrupt between two calls into it is lost.
const interruptAgain = 2 * time.Millisecond

// guard calls a function that executes code of the user, which is interrupted when ctx ends.
func (in *Interpreter) guard(ctx context.Context, f func()) {
	ended, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case <-ended:
			return
		case <-ctx.Done():
		}
		again := time.NewTicker(interruptAgain)
		defer again.Stop()
		for {
			in.vm.Interrupt()
			select {
			case <-ended:
				return
			case <-again.C:
			}
		}
	}()
	f()
	close(ended)
	<-stopped
}

// execute runs a cell to its end: until what it awaits is there and timers that are due soon have run.
func (in *Interpreter) execute(ctx context.Context, source *cellSource, out *engineproto.Output) error {
	promise, err := in.vm.EvalBytecodeValue(source.code)
	if err != nil {
		return err
	}
	_, err = in.call("watch", promise)
	promise.Free()
	if err != nil {
		return err
	}
	if err := in.settle(ctx); err != nil {
		return err
	}
	if err := in.report(ctx, source, out); err != nil {
		return err
	}
	if err := in.linger(ctx); err != nil {
		return err
	}
	return in.rejections(out, true)
}

// The ends of a run that the prelude reports.
const (
	running   = 0
	succeeded = 1
)

// settle runs jobs and timers until the run has ended.
func (in *Interpreter) settle(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := in.jobs(ctx); err != nil {
			return err
		}
		end, err := in.call("ended")
		if err != nil {
			return err
		}
		if end == succeeded {
			return nil
		}
		if end != running {
			return in.thrown("error")
		}
		if err := in.fireNext(ctx, 0, true); err != nil {
			return err
		}
	}
	return nil
}

// errNeverSettles is the error of a cell that waits for nothing.
var errNeverSettles = errors.New("the cell awaits a promise that nothing can settle any more")

// fireNext waits for the next timer and calls its function. Without a timer nothing will happen any more.
func (in *Interpreter) fireNext(ctx context.Context, run int, repeating bool) error {
	id, due, err := in.nextTimer(run, repeating)
	if err != nil {
		return err
	}
	if id == 0 {
		return errNeverSettles
	}
	if !in.wait(ctx, due, nil) {
		return nil // ctx has ended
	}
	return in.fire(ctx, id, true)
}

// jobs runs the callbacks of promises until none is left.
func (in *Interpreter) jobs(ctx context.Context) error {
	for ctx.Err() == nil {
		n, err := in.vm.ExecutePendingJobs()
		if known := (*quickjs.Error)(nil); err != nil && (n == 0 || errors.As(err, &known)) {
			return err
		}
		if n == 0 {
			return nil
		} // after an error that is not of the program, it has run as many as it does at once
	}
	return nil
}

// report shows the value of a run whose last statement is an expression.
func (in *Interpreter) report(ctx context.Context, source *cellSource, out *engineproto.Output) error {
	if !source.hasValue {
		return nil
	}
	if has, err := in.call("hasValue"); err != nil || has != true {
		return err
	}
	if is, err := in.call("probe"); err != nil {
		return err
	} else if is == true {
		if err := in.jobs(ctx); err != nil {
			return err
		}
		if end, err := in.call("ended"); err != nil || end != succeeded {
			return errors.Join(err, in.thrown("error"))
		}
	}
	text, err := in.call("value")
	if err != nil {
		return err
	}
	data, err := bundleOf(text)
	if err != nil {
		return err
	}
	return out.Result(data)
}

// How long a run goes on for its own timers after its last statement: as long as the next is due soon, and not for ever.
// Timers that repeat, and later ones, go on between runs.
const (
	lingerEach  = 3 * time.Second
	lingerWhole = 10 * time.Second
)

// linger runs the timers of a run that are due soon, so that it ends with all of its output, or with the error of one.
func (in *Interpreter) linger(ctx context.Context) error {
	end := time.Since(in.started) + lingerWhole
	for ctx.Err() == nil {
		id, due, err := in.nextTimer(in.current, false)
		if now := time.Since(in.started); err != nil || id == 0 || due > now+lingerEach || due > end || now > end {
			return err
		}
		if in.wait(ctx, due, nil) {
			if err := in.fire(ctx, id, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// bundleOf returns the bundle that the prelude has written as JSON.
func bundleOf(text any) (lang.Bundle, error) {
	var b lang.Bundle
	encoded, _ := text.(string)
	if err := json.Unmarshal([]byte(encoded), &b.Data); err != nil {
		return b, fmt.Errorf("a display is no JSON: %w", err)
	}
	return b, nil
}

// call calls a function of the prelude.
func (in *Interpreter) call(name string, args ...any) (any, error) {
	defer in.reserve()()
	return in.ours[name].Call(quickjs.UndefinedValue, args...)
}

// ownMemory is what our part has besides the memory of the program: a program that has used up its own must be told so,
// and the next cell must compile so that it can free some. QuickJS itself is not safe when a compilation has no memory.
const ownMemory = 16 << 20

// reserve gives our part its memory, until release is called.
func (in *Interpreter) reserve() (release func()) {
	in.vm.SetMemoryLimit(uintptr(in.config.Memory + ownMemory))
	return func() { in.vm.SetMemoryLimit(uintptr(in.config.Memory + in.slack)) }
}

// slackStep is what a program gets when it has used up its memory, up to half of ownMemory: a cell that frees some needs
// a little.
const slackStep = 1 << 20
