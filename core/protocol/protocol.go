// Package protocol has the messages between a room and its clients, and their JSON form.
//
// A client opens a [Conn] with a [Hello] and pushes drafts of events; the room answers with
// a [Welcome] and then sends every committed event in order. Calls to the notebook's runtime
// pass through the room, their results as JSON of types of package lang. The package neither
// keeps state nor decides anything: package room has the one end and package replica the
// other. spec/sync.md has the rules.
package protocol

// Version is the version of the protocol, named in the hello. A room answers
// another version with [Closed] and code [CodeVersion].
const Version = 1

// MaxMessage is the most bytes that a message to a room may have.
const MaxMessage = 16 << 20
