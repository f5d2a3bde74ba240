package lua

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
)

// shape returns the error of a run for users.
func (in *Interpreter) shape(err error, cell string) *engineproto.Error {
	if err == errMemory {
		e := &engineproto.Error{Name: "OutOfMemory", Cause: engineproto.Limit, Lack: lang.LackMemory}
		e.Message = fmt.Sprintf("the values of all cells may take %d MiB", in.config.Memory>>20)
		e.Trace = []string{e.Error()}
		return e
	}
	var raised *lua.ApiError
	if !errors.As(err, &raised) {
		return &engineproto.Error{Name: "Error", Message: err.Error(), Trace: []string{err.Error()}}
	}
	e := &engineproto.Error{Name: "Error"}
	switch object := raised.Object.(type) {
	case lua.LString:
		e.Message = string(object)
	case *lua.LTable:
		e.Message = in.describe(object)
	case nil, *lua.LNilType:
		e.Message = "nil"
	default:
		e.Message = inspect(object)
	}
	for _, overflow := range []string{"lua callstack overflow", "registry overflow"} {
		if before, ok := strings.CutSuffix(e.Message, overflow); ok {
			e.Message = before + "stack overflow"
		}
	}
	where, rest, ok := cutPlace(e.Message)
	if _, known := in.sources[where.name]; ok && known {
		e.Message = rest
		if where.name == cell {
			e.Line = where.line
		}
	}
	frames := framesOf(raised.StackTrace)
	if e.Line == 0 {
		for _, f := range frames {
			if where, _, ok := cutPlace(f + " "); ok && where.name == cell {
				e.Line = where.line
				break
			}
		}
	}
	e.Trace = append(strings.Split(e.Error(), "\n"), frames...)
	return e
}

// describe returns an error that is a table: its own text if it has one.
func (in *Interpreter) describe(object *lua.LTable) string {
	if in.state.GetMetaField(object, "__tostring") != lua.LNil {
		var text string
		err := in.guard(in.ctx, func() error {
			in.state.Push(in.state.NewFunction(func(l *lua.LState) int {
				text = l.ToStringMeta(l.Get(1)).String()
				return 0
			}))
			in.state.Push(object)
			return in.state.PCall(1, 0, nil)
		})
		if err == nil {
			return text
		}
	}
	return inspect(object)
}

// position is a line of a cell.
type position struct {
	name string
	line int
}

// cutPlace cuts the place off a message such as "cell 3:2: no".
func cutPlace(message string) (at position, rest string, ok bool) {
	before, rest, ok := strings.Cut(message, ": ")
	colon := strings.LastIndexByte(before, ':')
	if !ok || colon < 0 {
		return at, message, false
	}
	line, err := strconv.Atoi(before[colon+1:])
	if err != nil {
		return at, message, false
	}
	return position{strings.TrimSpace(before[:colon]), line}, rest, true
}

// framesOf returns the lines of a stack without its head and without what is ours.
func framesOf(stack string) []string {
	var frames []string
	for line := range strings.Lines(stack) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "\t") && !strings.Contains(line, "quire:prelude") && line != "\t[G]: ?" && !strings.Contains(line, resultName) {
			frames = append(frames, line)
		}
	}
	return frames
}
