//go:build js && wasm

// Command wasm is the core as a worker of the browser loads it. It gives the worker
// one function, which starts the core with what the worker lends it.
package main

import "syscall/js"

// ready is the function of the worker that is given the one that starts the core.
const ready = "quireReady"

func main() {
	js.Global().Call(ready, js.FuncOf(func(_ js.Value, args []js.Value) any { return start(args[0]) }))
	select {} // the worker ends it
}
