package lua

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"

	"github.com/quirehq/quire/core/engineproto"
)

// resultName is the global function that gets the values of the last expression. No program can write its name.
const resultName = "$result"

// compile compiles a cell, whose last expression or call gives its value.
func (in *Interpreter) compile(name, source string) (*lua.LFunction, *engineproto.Error) {
	if strings.HasPrefix(source, "#") {
		source = "--" + source[1:]
	}
	chunk, err := parse.Parse(strings.NewReader(source), name)
	if err == nil {
		chunk = showCall(chunk)
	} else if shown, ok := parseExpression(name, source); ok {
		chunk = shown
	} else {
		return nil, syntaxError(name, source, err)
	}
	proto, err := lua.Compile(chunk, name)
	if err != nil {
		return nil, syntaxError(name, source, err)
	}
	in.state.G.Global.RawSetString(resultName, in.state.NewFunction(func(l *lua.LState) int {
		for i := 1; i <= l.GetTop(); i++ {
			in.results = append(in.results, l.Get(i))
		}
		return 0
	}))
	return in.state.NewFunctionFromProto(proto), nil
}

// showCall has the values of a call that is the last statement shown.
func showCall(chunk []ast.Stmt) []ast.Stmt {
	if len(chunk) == 0 {
		return chunk
	}
	switch last := chunk[len(chunk)-1].(type) {
	case *ast.FuncCallStmt:
		return append(chunk[:len(chunk)-1:len(chunk)-1], result(last.Line(), last.Expr))
	case *ast.ReturnStmt:
		if len(last.Exprs) > 0 {
			return append(chunk[:len(chunk)-1:len(chunk)-1], result(last.Line(), last.Exprs...))
		}
	}
	return chunk
}

// result returns the statement that shows values.
func result(line int, values ...ast.Expr) ast.Stmt {
	f := &ast.IdentExpr{Value: resultName}
	call := &ast.FuncCallExpr{Func: f, Args: values}
	statement := &ast.FuncCallStmt{Expr: call}
	for _, node := range []ast.PositionHolder{f, call, statement} {
		node.SetLine(line)
		node.SetLastLine(line)
	}
	return statement
}

// mostPlaces is how many places in a source are tried for the begin of its last expression.
const mostPlaces = 40

// parseExpression parses a source whose end is an expression, which is no statement in Lua.
func parseExpression(name, source string) ([]ast.Stmt, bool) {
	end := strings.TrimRight(source, " \t\r\n;")
	for at, tried := len(end), 0; tried < mostPlaces; tried++ {
		at = strings.LastIndexAny(end[:at], "\n;")
		before, expression := end[:at+1], end[at+1:]
		blank := strings.Repeat("\n", strings.Count(before, "\n"))
		if tail, err := parse.Parse(strings.NewReader(blank+"return "+expression), name); err == nil {
			if head, err := parse.Parse(strings.NewReader(strings.TrimRight(before, ";")), name); err == nil && len(tail) == 1 {
				return showCall(append(head, tail...)), true
			}
		}
		if at < 0 {
			return nil, false
		}
	}
	return nil, false
}

// syntaxError returns an error of the parser or the compiler with its place.
func syntaxError(name, source string, err error) *engineproto.Error {
	e := &engineproto.Error{Name: "SyntaxError", Message: strings.TrimSpace(err.Error())}
	var parsed *parse.Error
	var compiled *lua.CompileError
	switch {
	case errors.As(err, &parsed):
		in := parsed.Pos
		e.Line, e.Column, e.Message = in.Line, in.Column, parsed.Message
		switch {
		case in.Line == parse.EOF:
			e.Message, e.Line, e.Column = parsed.Message+" at the end", strings.Count(source, "\n")+1, 0
		case strings.HasPrefix(parsed.Message, "unterminated string") && in.Column == 0: // it is at the begin of the next line
			e.Line--
		case parsed.Message == "Invalid token":
			e.Message = "unexpected character" + near(source, in.Line, in.Column)
		case parsed.Token != "":
			e.Message += " near '" + parsed.Token + "'"
		}
	case errors.As(err, &compiled):
		e.Message, e.Line = compiled.Message, compiled.Line
		if head, at, ok := strings.Cut(e.Message, " at line "); ok {
			if line, err := strconv.Atoi(at); err == nil {
				e.Message, e.Line = head, line
			}
		}
	}
	if e.Column > 0 {
		e.Column = units(source, e.Line, e.Column)
	}
	e.Trace = []string{e.Error(), "\t" + place(name, e.Line)}
	return e
}

// near returns a character for an error.
func near(source string, line, column int) string {
	for range line - 1 {
		_, source, _ = strings.Cut(source, "\n")
	}
	if column < 1 || column > len(source) {
		return ""
	}
	c, _ := utf8.DecodeRuneInString(source[column-1:])
	return " near '" + string(c) + "'"
}

// units returns the column in UTF-16 units of one in bytes, both from 1.
func units(source string, line, column int) int {
	for range line - 1 {
		_, source, _ = strings.Cut(source, "\n")
	}
	source, _, _ = strings.Cut(source, "\n")
	return 1 + len(utf16.Encode([]rune(source[:min(column-1, len(source))])))
}

// place writes a line of a cell as traces do.
func place(name string, line int) string { return fmt.Sprintf("%s:%d: in main chunk", name, line) }
