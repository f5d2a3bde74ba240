// Package native is what the core needs to live in a process without a server: a
// room in memory, for a notebook that is run from beginning to end and then
// written to a file.
//
// What is in such a room is gone with the process, and nobody is refused: who may
// do what is decided before a [Loopback] is dialed. Engines and files are left to
// the caller.
package native
