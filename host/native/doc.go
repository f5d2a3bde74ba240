// Package native hosts the core in processes of one machine: a [Loopback] is a room in memory, for a
// notebook that is run from beginning to end and then written to a file; a [Spool] keeps the events
// of a runtime on disk; [Detach] is for a runtime that must outlive the server that started it.
//
// It promises that a spooled event survives the end of its process. The content of a room in memory
// does not, and permissions are decided before a member dials it. Engines, files and the starting
// of processes are left to the caller.
package native
