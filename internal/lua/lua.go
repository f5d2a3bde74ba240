// Package lua executes Lua 5.1 in this process, by GopherLua. It is the interpreter behind an engine process, see package
// engineproto.
//
// Global variables are shared by all cells; local ones end with their cell, as in Lua's own interactive mode. The value
// of the last expression is shown. A program reaches nothing outside: no files, network, environment, processes or
// modules. It gets the time, random numbers, and what it asks the user. Its memory and the depth of its calls are
// bounded.
package lua

import (
	"context"
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
)

// Config is the configuration of an interpreter.
type Config struct {
	Memory int64 // the most that the process may take for values, in bytes; 0 is DefaultMemory
}

// DefaultMemory bounds the values of a program.
const DefaultMemory = 512 << 20

// Interpreter executes the cells of one notebook. It implements engineproto.Interpreter.
type Interpreter struct {
	config  Config
	state   *lua.LState
	stop    *stopContext
	out     *engineproto.Output // of the executing or the last run
	ctx     context.Context     // of the executing run: questions end with it
	builtIn map[string]bool     // names of globals that are not the user's
	sources map[string]string   // of cells, by the name that traces have
	results []lua.LValue        // of the last expression of the executing cell
	files   map[lua.LValue]bool // the streams, which io.write returns
	input   lineInput           // of the executing run
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
	return engineproto.Hello{
		Language: "lua", Version: "5.1 (GopherLua " + lua.PackageVersion + ")", Extension: ".lua", MIME: "text/x-lua",
	}, in.open()
}

// The sizes of stacks. A call of Lua takes a frame and some registers. A trace takes time by the square of the calls.
const (
	mostCalls     = 8_000
	firstRegister = 4 << 10
	mostRegisters = 1 << 20
)

// open makes a machine without any state of the user.
func (in *Interpreter) open() error {
	in.state = lua.NewState(lua.Options{
		SkipOpenLibs: true, CallStackSize: mostCalls, MinimizeStackMemory: true,
		RegistrySize: firstRegister, RegistryMaxSize: mostRegisters, RegistryGrowStep: 32 << 10,
	})
	in.stop, in.ctx, in.sources = &stopContext{}, context.Background(), map[string]string{}
	in.stop.reset()
	in.state.SetContext(in.stop)
	if err := in.openLibraries(); err != nil {
		return fmt.Errorf("start Lua: %w", err)
	}
	in.builtIn = map[string]bool{}
	in.state.G.Global.ForEach(func(key, _ lua.LValue) { in.builtIn[key.String()] = true })
	return nil
}

// Reset implements lang.Resetter.
func (in *Interpreter) Reset(context.Context) error {
	in.state.Close()
	return in.open()
}

// Run implements engineproto.Interpreter.
func (in *Interpreter) Run(ctx context.Context, run *engineproto.Run, out *engineproto.Output) engineproto.Outcome {
	name := run.Name
	if name == "" {
		name = fmt.Sprintf("run %d", run.Run)
	}
	in.out, in.ctx, in.results, in.input = out, ctx, nil, lineInput{}
	in.sources[name] = run.Source
	main, failed := in.compile(name, run.Source)
	if failed != nil {
		return engineproto.Outcome{Error: failed}
	}
	err := in.guard(ctx, func() error {
		in.state.Push(main)
		return in.state.PCall(0, 0, nil)
	})
	switch {
	case ctx.Err() != nil:
		return engineproto.Outcome{Error: engineproto.Stopped()}
	case err != nil:
		return engineproto.Outcome{Error: in.shape(err, name)}
	}
	if err := in.show(in.results); err != nil {
		return engineproto.Outcome{Error: in.shape(err, name)}
	}
	return engineproto.Outcome{}
}

// show shows the values of the last expression.
func (in *Interpreter) show(values []lua.LValue) error {
	if len(values) == 0 || len(values) == 1 && in.files[values[0]] {
		return nil
	}
	if len(values) == 1 {
		return in.out.Result(bundleOf(values[0]))
	}
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = inspect(value)
	}
	return in.out.Result(lang.Text("text/plain", strings.Join(texts, "\t")))
}
