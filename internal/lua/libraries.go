package lua

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/quirehq/quire/core/lang"
)

// preludeLua has what is simpler in Lua.
//
//go:embed prelude.lua
var preludeLua string

// mostString bounds the strings that are made in one step, which the memory of a program is not looked at within.
const mostString = 128 << 20

// openLibraries gives the program its functions: those of Lua that reach nothing outside, and ours.
func (in *Interpreter) openLibraries() error {
	l := in.state
	for _, library := range []struct {
		name string
		open lua.LGFunction
	}{
		{lua.BaseLibName, lua.OpenBase},
		{lua.TabLibName, lua.OpenTable},
		{lua.StringLibName, lua.OpenString},
		{lua.MathLibName, lua.OpenMath},
		{lua.CoroutineLibName, lua.OpenCoroutine},
		{lua.OsLibName, lua.OpenOs},
		{lua.DebugLibName, lua.OpenDebug},
	} {
		l.Push(l.NewFunction(library.open))
		l.Push(lua.LString(library.name))
		if err := l.PCall(1, 0, nil); err != nil {
			return err
		}
	}
	for _, name := range []string{"dofile", "loadfile", "_printregs", "module", "newproxy"} {
		l.SetGlobal(name, lua.LNil)
	}
	in.keep("os", "clock", "date", "difftime", "time")
	in.keep("debug", "getinfo", "traceback")
	in.set("", map[string]lua.LGFunction{
		"print": in.print, "tostring": toString, "display": in.display, "prompt": in.prompt, "collectgarbage": collectGarbage, "clear_output": in.clearOutput,
	})
	in.set("io", map[string]lua.LGFunction{"write": in.write(lang.Stdout, 1), "read": in.read})
	io := l.GetGlobal("io").(*lua.LTable)
	in.files = map[lua.LValue]bool{}
	for _, stream := range []string{lang.Stdout, lang.Stderr} {
		file := l.NewTable()
		in.files[file] = true
		file.RawSetString("write", l.NewFunction(in.write(stream, 2)))
		for _, name := range []string{"flush", "setvbuf", "close"} {
			file.RawSetString(name, l.NewFunction(func(l *lua.LState) int { l.Push(lua.LTrue); return 1 }))
		}
		io.RawSetString(stream, file)
	}
	in.set("string", map[string]lua.LGFunction{"format": format})
	in.state.GetGlobal("math").(*lua.LTable).RawSetString("huge", lua.LNumber(math.Inf(1)))
	in.bound("string", "rep", func(l *lua.LState) int { return len(l.CheckString(1)) * max(l.CheckInt(2), 0) })
	create := l.GetField(l.GetGlobal("coroutine"), "create").(*lua.LFunction).GFunction
	in.set("coroutine", map[string]lua.LGFunction{"create": func(l *lua.LState) int {
		n := create(l)
		l.CheckThread(-1).SetContext(in.stop) // in place of one that ends with it
		return n
	}})
	prelude, err := l.Load(strings.NewReader(preludeLua), "quire:prelude")
	if err != nil {
		return err
	}
	l.Push(prelude)
	return l.PCall(0, 0, nil)
}

// keep removes all functions of a library but some.
func (in *Interpreter) keep(library string, names ...string) {
	all, kept := in.state.GetGlobal(library), in.state.NewTable()
	for _, name := range names {
		kept.RawSetString(name, in.state.GetField(all, name))
	}
	in.state.SetGlobal(library, kept)
}

// set adds functions to a library, or to the globals.
func (in *Interpreter) set(library string, functions map[string]lua.LGFunction) {
	table := in.state.G.Global
	if library != "" {
		var ok bool
		if table, ok = in.state.GetGlobal(library).(*lua.LTable); !ok {
			table = in.state.NewTable()
			in.state.SetGlobal(library, table)
		}
	}
	for name, f := range functions {
		table.RawSetString(name, in.state.NewFunction(f))
	}
}

// bound has a function refuse to make a string that is too long.
func (in *Interpreter) bound(library, name string, length func(*lua.LState) int) {
	f := in.state.GetField(in.state.GetGlobal(library), name).(*lua.LFunction).GFunction
	in.set(library, map[string]lua.LGFunction{name: func(l *lua.LState) int {
		if n := length(l); n > mostString || n < 0 {
			l.RaiseError("resulting string too large: a string may have %d MiB in one step", mostString>>20)
		}
		return f(l)
	}})
}

func (in *Interpreter) print(l *lua.LState) int {
	texts := make([]string, l.GetTop())
	for i := range texts {
		texts[i] = valueText(l, l.Get(i+1))
	}
	return in.text(l, lang.Stdout, strings.Join(texts, "\t")+"\n")
}

func toString(l *lua.LState) int {
	l.Push(lua.LString(valueText(l, l.CheckAny(1))))
	return 1
}

func (in *Interpreter) text(l *lua.LState, stream, text string) int {
	if err := in.out.Text(stream, text); err != nil {
		l.RaiseError("%s", err.Error())
	}
	return 0
}

// write returns io.write or the method of a stream; its arguments begin at first.
func (in *Interpreter) write(stream string, first int) lua.LGFunction {
	return func(l *lua.LState) int {
		for i := first; i <= l.GetTop(); i++ {
			text := l.CheckString(i) // a number is one, too
			if n, ok := l.Get(i).(lua.LNumber); ok {
				text = numberText(n)
			}
			in.text(l, stream, text)
		}
		if first == 2 {
			l.Push(l.Get(1))
		} else {
			l.Push(l.GetField(l.GetGlobal("io"), stream))
		}
		return 1
	}
}

// prompt asks with a text, and for a secret if the second argument is true.
func (in *Interpreter) prompt(l *lua.LState) int {
	answer, err := in.ask(l, l.OptString(1, ""), l.ToBool(2))
	if err != nil {
		l.Push(lua.LNil)
		l.Push(lua.LString(err.Error()))
		return 2
	}
	l.Push(lua.LString(answer))
	return 1
}

// ask returns a [lang.ErrNoAnswer] when there is no answer, and raises other errors.
func (in *Interpreter) ask(l *lua.LState, prompt string, secret bool) (string, error) {
	answer, err := in.out.Ask(in.ctx, prompt, secret)
	if err != nil && !errors.Is(err, lang.ErrNoAnswer) {
		l.RaiseError("%s", err.Error())
	}
	return answer, err
}

// display is display(value), display(value, type) or display(value, type, id), and display(value, type, id, true) to
// update.
func (in *Interpreter) display(l *lua.LState) int {
	value, mime, id := l.CheckAny(1), l.OptString(2, ""), l.OptString(3, "")
	bundle := bundleOf(value)
	if mime != "" {
		bundle = represented(value, mime)
	}
	show := in.out.Display
	if l.ToBool(4) {
		show = in.out.Update
	}
	if err := show(bundle, id); err != nil {
		l.RaiseError("display: %s", err.Error())
	}
	return 0
}

func (in *Interpreter) clearOutput(l *lua.LState) int {
	if err := in.out.Clear(l.ToBool(1)); err != nil {
		l.RaiseError("%s", err.Error())
	}
	return 0
}

func collectGarbage(l *lua.LState) int {
	switch option := l.OptString(1, "collect"); option {
	case "collect", "step":
		collected()
		l.Push(lua.LNumber(0))
	case "count":
		l.Push(lua.LNumber(float64(heap()) / 1024))
	case "stop", "restart", "setpause", "setstepmul", "incremental", "generational", "isrunning":
		l.Push(lua.LNumber(0))
	default:
		l.ArgError(1, fmt.Sprintf("invalid option '%s'", option))
	}
	return 1
}
