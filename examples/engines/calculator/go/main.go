// Command go is an engine of a calculator: a line is an expression or name = expression, and the last value is the result.
package main

import (
	"encoding/json"
	"go/token"
	"go/types"
	"os"
	"strings"
)

type fields map[string]any

// run executes a program with the names that have values, and returns its value or its error.
func run(source string, names *types.Scope, in *types.Package) (last string, failed fields) {
	for i, line := range strings.Split(source, "\n") {
		at := strings.LastIndex(line, "=")
		if strings.TrimSpace(line[at+1:]) == "" {
			continue
		}
		v, err := types.Eval(token.NewFileSet(), in, token.NoPos, line[at+1:])
		if err != nil || v.Value == nil {
			return "", fields{"name": "SyntaxError", "message": "a calculator has numbers, names, + - * / and brackets", "line": i + 1}
		}
		if last = v.Value.String(); at >= 0 {
			names.Insert(types.NewConst(token.NoPos, in, strings.TrimSpace(line[:at]), v.Type, v.Value))
			last = ""
		}
	}
	return last, nil
}

func main() {
	requests, messages := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	send := func(m fields) { _ = messages.Encode(m) } // when the host is gone, so are its requests
	in := types.NewPackage("calculator", "calculator")
	send(fields{"type": "hello", "protocol": 1, "language": "calculator", "version": "1", "interrupt": "none", "can": []string{}, "extension": ".calc", "mime": "text/plain"})
	var request struct {
		Type, Source string
		Run          int
	}
	for requests.Decode(&request) == nil {
		if request.Type == "run" {
			last, failed := run(request.Source, in.Scope(), in)
			if last != "" {
				send(fields{"type": "result", "data": fields{"text/plain": last}})
			}
			send(fields{"type": "done", "run": request.Run, "error": failed})
		}
	}
}
