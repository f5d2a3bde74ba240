//go:build js && wasm

package main

import (
	"context"
	"encoding/json"
	"errors"
	"syscall/js"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/browser"
)

// start starts the core for one notebook. Its argument is an object of the worker with dial, which opens
// a socket; changed, which is called when there may be changes to take or to store; id, which
// returns an unused name; and kept, the JSON of the stored replica, "" if there is none. It returns
// the functions of the core.
func start(lent js.Value) any {
	id := func() string { return lent.Call("id").String() }
	r, damaged := browser.Resume([]byte(lent.Get("kept").String()), id)
	h := browser.New(browser.Config{
		Replica: r, Dial: dialer(lent.Get("dial")), NewID: id,
		Changed: func() { lent.Call("changed") },
	})
	if damaged != nil {
		h.Unstored(damaged.Error())
	}
	ctx, end := context.WithCancel(context.Background())
	go h.Keep(ctx) // pages show a refusal of the server in their status
	core := functions(h)
	core.Set("end", js.FuncOf(func(js.Value, []js.Value) any {
		end()
		return nil
	}))
	return core
}

// functions returns an object with the functions that the worker may call.
func functions(h *browser.Host) js.Value {
	object := js.Global().Get("Object").New()
	for name, f := range map[string]func(args []js.Value) (any, error){
		"open": func(args []js.Value) (any, error) { return h.Open(event.Seq(args[0].Int())), nil },
		"close": func(args []js.Value) (any, error) {
			h.Close(args[0].Int())
			return nil, nil
		},
		"pressing": func(args []js.Value) (any, error) { return h.Pressing(args[0].Int()), nil },
		"take":     func(args []js.Value) (any, error) { return text(h.Take(args[0].Int())) },
		"command": func(args []js.Value) (any, error) {
			return text(h.Command(args[0].Int(), []byte(args[1].String())))
		},
		"push":     func(args []js.Value) (any, error) { return h.Push(args[0].Int(), []byte(args[1].String())) },
		"present":  func(args []js.Value) (any, error) { return nil, h.Present([]byte(args[0].String())) },
		"flush":    func([]js.Value) (any, error) { return text(h.Flush()) },
		"stored":   func(args []js.Value) (any, error) { h.Stored(args[0].Bool()); return nil, nil },
		"client":   func([]js.Value) (any, error) { return string(h.Client()), nil },
		"unstored": func(args []js.Value) (any, error) { h.Unstored(args[0].String()); return nil, nil },
		"retry":    func([]js.Value) (any, error) { h.Retry(); return nil, nil },
		"call":     func(args []js.Value) (any, error) { return call(h, args), nil },
	} {
		object.Set(name, js.FuncOf(func(_ js.Value, args []js.Value) any { return answer(f(args)) }))
	}
	return object
}

// text returns JSON as text, or null if there is none.
func text(data []byte, err error) (any, error) {
	if data == nil {
		return nil, err
	}
	return string(data), err
}

// answer returns a value, or an Error of JavaScript, which the worker throws.
func answer(value any, err error) any {
	if err != nil {
		failed := js.Global().Get("Error").New(err.Error())
		var no *protocol.CallError
		if errors.As(err, &no) {
			failed.Set("code", string(no.Code))
		}
		return failed
	}
	return value
}

// call sends a call to the runtime. Its arguments are a method, the JSON of its parameters, and a
// function that gets the answer. It returns a function that cancels the call.
func call(h *browser.Host, args []js.Value) any {
	ctx, cancel := context.WithCancel(context.Background())
	method, params, done := protocol.Method(args[0].String()), json.RawMessage(args[1].String()), args[2]
	go func() {
		defer cancel()
		done.Invoke(answer(text(h.Call(ctx, method, params))))
	}()
	var give js.Func
	give = js.FuncOf(func(js.Value, []js.Value) any {
		cancel()
		give.Release()
		return nil
	})
	return give
}
