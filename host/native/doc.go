// Package native is what the core needs to live in processes of one machine: a
// [Loopback], which is a room in memory for a notebook that is run from beginning
// to end and then written to a file, and [Detach] for a runtime that must outlive
// the server that started it.
//
// What is in such a room is gone with the process, and who may do what is decided
// before it is dialed. Engines, files and the starting of processes are left to
// the caller.
package native
