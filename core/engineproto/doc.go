// Package engineproto is the protocol between Quire and an engine in a process of its own: messages of JSON, a line each.
//
// It has the messages and their JSON form for both sides, and the side of an engine: [Serve] turns an [Interpreter] into
// an engine, so that a language in Go is a few methods and a main function. It joins text, keeps the order of all
// output, answers calls, and interrupts a run by the end of its context. The side of the host, which starts processes
// and bounds them, is not here.
//
// It needs no other package of Quire but lang, whose types the answers to calls have.
package engineproto
