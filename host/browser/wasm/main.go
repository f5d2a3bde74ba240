//go:build js && wasm

// Command wasm is the program of the core that a worker of the browser loads. It gives the worker one
// function, which starts the core.
package main

import "syscall/js"

// ready is the function of the worker that gets the function that starts the core.
const ready = "quireReady"

func main() {
	js.Global().Call(ready, js.FuncOf(func(_ js.Value, args []js.Value) any { return start(args[0]) }))
	select {} // the worker ends the program
}
