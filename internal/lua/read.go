package lua

import (
	"regexp"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// lineInput is the standard input of one cell: lines that the user is asked for, of which a program may read parts.
type lineInput struct {
	rest string // of the last line, with its end
	none error  // why there is no further line; nil while there may be one
}

// read is io.read: of lines, numbers, a count of bytes or all, with one value for each of its arguments. At the end of
// input it returns nil and why.
func (in *Interpreter) read(l *lua.LState) int {
	formats := l.GetTop()
	if formats == 0 {
		l.Push(lua.LString("l"))
		formats = 1
	}
	for i := 1; i <= formats; i++ {
		if v := in.readOne(l, i); v != nil {
			l.Push(v)
			continue
		}
		l.Push(lua.LNil)
		if in.input.none == nil {
			return i
		}
		l.Push(lua.LString(in.input.none.Error()))
		return i + 1
	}
	return formats
}

// readOne reads what the argument at a position says, nil at the end of input.
func (in *Interpreter) readOne(l *lua.LState, arg int) lua.LValue {
	if n, ok := l.Get(arg).(lua.LNumber); ok {
		return in.readBytes(l, int(n))
	}
	switch name := strings.TrimPrefix(l.CheckString(arg), "*"); name[:min(1, len(name))] {
	case "l":
		if line, ok := in.line(l); ok {
			return lua.LString(strings.TrimSuffix(line, "\n"))
		}
		return nil
	case "L":
		if line, ok := in.line(l); ok {
			return lua.LString(line)
		}
		return nil
	case "n":
		return in.readNumber(l)
	case "a":
		all := ""
		for line, ok := in.line(l); ok; line, ok = in.line(l) {
			if all += line; len(all) > mostString {
				l.RaiseError("resulting string too large: a string may have %d MiB in one step", mostString>>20)
			}
		}
		return lua.LString(all)
	}
	l.ArgError(arg, "invalid format: use \"*l\", \"*L\", \"*n\", \"*a\" or a number of bytes")
	return nil
}

// line takes the rest of the line, or asks for another.
func (in *Interpreter) line(l *lua.LState) (string, bool) {
	if !in.fill(l) {
		return "", false
	}
	line := in.input.rest
	in.input.rest = ""
	return line, true
}

// fill asks for a line if nothing is left of the last one, and returns false at the end of input.
func (in *Interpreter) fill(l *lua.LState) bool {
	if in.input.rest != "" {
		return true
	}
	var answer string
	if answer, in.input.none = in.ask(l, "", false); in.input.none != nil {
		return false
	}
	in.input.rest = answer + "\n"
	return true
}

func (in *Interpreter) readBytes(l *lua.LState, n int) lua.LValue {
	var bytes strings.Builder
	for bytes.Len() < n || n == 0 {
		if !in.fill(l) {
			break
		}
		part := in.input.rest[:min(n-bytes.Len(), len(in.input.rest))]
		in.input.rest = in.input.rest[len(part):]
		bytes.WriteString(part)
		if n == 0 {
			return lua.LString("")
		}
	}
	if bytes.Len() == 0 {
		return nil
	}
	return lua.LString(bytes.String())
}

var leadingFloat = regexp.MustCompile(`^[+-]?(?:0[xX][0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)`)

// readNumber skips white space and reads a number. Where there is none it returns nil and leaves the text.
func (in *Interpreter) readNumber(l *lua.LState) lua.LValue {
	for {
		if !in.fill(l) {
			return nil
		}
		if in.input.rest = strings.TrimLeft(in.input.rest, " \t\r\n\v\f"); in.input.rest != "" {
			break
		}
	}
	text := leadingFloat.FindString(in.input.rest)
	in.input.rest = in.input.rest[len(text):]
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return lua.LNumber(n)
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return lua.LNumber(n)
	}
	return nil
}
