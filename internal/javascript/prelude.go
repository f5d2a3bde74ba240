package javascript

import (
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"modernc.org/quickjs"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
)

// The prelude is one function, whose parts see each other.
var (
	//go:embed prelude/inspect.js
	inspectJS string
	//go:embed prelude/console.js
	consoleJS string
	//go:embed prelude/web.js
	webJS string
	//go:embed prelude/notebook.js
	notebookJS string
	//go:embed prelude/main.js
	mainJS string
)

// preludeName is the name of the prelude in traces, from which it is removed.
const preludeName = "quire:prelude"

// hostFuncs are the functions that the prelude gets from us, which no program sees.
func (in *Interpreter) hostFuncs() map[string]quickjs.HostFunc {
	return map[string]quickjs.HostFunc{
		"text": func(args []any) (any, error) {
			return nil, in.output().Text(text(args, 0), text(args, 1))
		},
		"display": func(args []any) (any, error) {
			bundle, err := bundleOf(args[1])
			if err != nil {
				return nil, err
			}
			if args[0] == "update" {
				return nil, in.output().Update(bundle, text(args, 2))
			}
			return nil, in.output().Display(bundle, text(args, 2))
		},
		"clear": func(args []any) (any, error) { return nil, in.output().Clear(args[0] == true) },
		"ask": func(args []any) (any, error) {
			answer, err := in.output().Ask(in.ctx, text(args, 0), args[1] == true)
			if in.unanswered = nil; errors.Is(err, lang.ErrNoAnswer) {
				in.unanswered = err
				return nil, nil
			}
			return answer, err
		},
		"reason": func([]any) (any, error) { return fmt.Sprint(in.unanswered), nil },
		"now":    func([]any) (any, error) { return in.now(), nil },
		"run":    func([]any) (any, error) { return in.current, nil },
		"frames": func(args []any) (any, error) { return strings.Join(in.frames(text(args, 0)), "\n"), nil },
		"decode": func(args []any) (any, error) {
			bytes, err := base64.StdEncoding.DecodeString(text(args, 0))
			return strings.ToValidUTF8(string(bytes), "\uFFFD"), err
		},
	}
}

// text returns an argument that is a text.
func text(args []any, at int) string {
	if at < len(args) {
		if s, ok := args[at].(string); ok {
			return s
		}
	}
	return ""
}

// output returns the output of the run on whose behalf code executes.
func (in *Interpreter) output() *engineproto.Output {
	if out, ok := in.outputs[in.current]; ok {
		return out
	}
	return in.last
}

// now returns the milliseconds since the start.
func (in *Interpreter) now() float64 {
	return float64(time.Since(in.started)) / float64(time.Millisecond)
}

// loadPrelude runs the prelude and keeps its functions.
func (in *Interpreter) loadPrelude() error {
	host := "const host = {"
	for name, f := range in.hostFuncs() {
		if err := in.vm.RegisterHostFunc("$host_"+name, f); err != nil {
			return err
		}
		host += fmt.Sprintf("%s: globalThis.$host_%[1]s, ", name)
	}
	if err := in.vm.RegisterFunc("$host_promiseState", func(promise quickjs.Value) string { return in.raw.State(&promise) }, false); err != nil {
		return err
	}
	host += "promiseState: globalThis.$host_promiseState };\n" +
		`for (const name of Object.getOwnPropertyNames(globalThis)) if (name.startsWith("$host_")) delete globalThis[name];`
	source := "(function () { 'use strict';" + strings.Join([]string{host, inspectJS, consoleJS, webJS, notebookJS, mainJS}, "\n") + "})"
	code, err := in.raw.Compile(preludeName, "globalThis.$prelude = "+source)
	if err != nil {
		return err
	}
	promise, err := in.vm.EvalBytecodeValue(code)
	if err != nil {
		return err
	}
	promise.Free()
	functions, err := in.vm.CallValue("$prelude")
	if err != nil {
		return err
	}
	defer functions.Free()
	if _, err := in.vm.Eval("delete globalThis.$prelude", quickjs.EvalGlobal); err != nil {
		return err
	}
	for _, name := range preludeFunctions() {
		atom, err := in.vm.NewAtom(name)
		if err != nil {
			return err
		}
		if in.ours[name], err = functions.GetPropertyValue(atom); err != nil {
			return err
		}
	}
	tracking := in.ours["track"]
	return in.raw.Track(&tracking)
}

// preludeFunctions are the functions of the prelude that are called from here.
func preludeFunctions() []string {
	return []string{
		"watch", "track", "ended", "hasValue", "probe", "value", "error", "rejected", "timerDue", "timerRun", "nextTimer",
		"fireTimer", "dropTimers", "variables", "complete", "describe", "getJSON", "setJSON",
	}
}
