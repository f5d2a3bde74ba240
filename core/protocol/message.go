package protocol

import (
	"encoding/json"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
)

// ToRoom is a message from a client to a room: *[Hello], *[Push], *[Presence],
// *[Call] or *[Answer].
//
// A connection begins with one Hello. Pushes follow it, at any time; their events
// have growing counters. Presence may be sent at any time after the Hello, and so
// may Calls; a runtime sends Answers to those that it was sent.
type ToRoom interface{ toRoom() string }

// ToClient is a message from a room to a client: *[Welcome], *[Events],
// *[Refused], *[Peers], *[Call], *[Answer], *[Resume] or *[Closed].
//
// The first message is a Welcome or a Closed. After the Welcome, Events bring every
// event of the log with a number beyond the Welcome's, in order and without gaps,
// the client's own among them: seeing its own event is the acknowledgement that
// it is on disk. A Call comes to a runtime only, and an Answer to who called.
type ToClient interface{ toClient() string }

// Hello opens a connection.
type Hello struct {
	Version int            `json:"version"`
	Client  event.ClientID `json:"client"`
	// Since is the last number that the client has folded.
	Since event.Seq `json:"since"`
	// Fold is the version of the client's fold: it can use a snapshot of no other.
	Fold int `json:"fold"`
	// Pending says that the client has edits of its own that must be moved over
	// every event since, so that a snapshot would not do.
	Pending bool `json:"pending,omitempty"`
	// Present says that what the client has is of the present only, as a [Welcome] said.
	Present bool `json:"present,omitempty"`
	// Runtime asks to serve as the runtime with this id.
	Runtime event.RuntimeID `json:"runtime,omitempty"`
	// Claims asks that the room give the runtime the next run whenever it is ready and
	// has none, as if it had claimed it the moment that it could.
	Claims bool `json:"claims,omitempty"`
}

// Push proposes events.
type Push struct {
	Events []event.Draft `json:"events"`
}

// Presence says where somebody is. It is passed on and never stored.
type Presence struct {
	Name   string       `json:"name,omitempty"` // for people
	Cell   event.CellID `json:"cell,omitempty"`
	Anchor int          `json:"anchor,omitempty"` // UTF-16 code units into the cell's source
	Head   int          `json:"head,omitempty"`   // where the caret is; differs from Anchor in a selection
	Busy   bool         `json:"busy,omitempty"`   // of a runtime: it executes
}

// Welcome answers a [Hello].
type Welcome struct {
	Version int         `json:"version"`
	Actor   event.Actor `json:"actor"` // what the room stamps on the client's events
	Role    access.Role `json:"role"`
	// Seq is where the events that follow begin: with the one after it. It is the
	// number of the snapshot if there is one, else what the client said it has.
	Seq event.Seq `json:"seq"`
	// Last is the last number of the log when the client joined: once it has
	// folded that, it is up to date.
	Last event.Seq `json:"last"`
	// Present says that the snapshot has nothing of what only was.
	Present  bool            `json:"present,omitempty"`
	Snapshot json.RawMessage `json:"snapshot,omitempty"`
}

// Events brings numbered events.
type Events struct {
	Events []event.Event `json:"events"`
}

// Refused says that an event will never be in the log, and why.
type Refused struct {
	ID      event.ID `json:"id"`
	Code    Code     `json:"code"`
	Message string   `json:"message"`
}

// Peers says who came or moved, and who left, since the last such message. One who
// left and came again is in both lists, and is here.
type Peers struct {
	// All says that Peers are all who are here: the first message of a connection
	// has it, and one after others were missed.
	All   bool             `json:"all,omitempty"`
	Peers []Peer           `json:"peers,omitempty"`
	Gone  []event.ClientID `json:"gone,omitempty"`
}

// Peer is a connection to the room, maybe the client's own.
type Peer struct {
	Client   event.ClientID `json:"client"`
	Actor    event.Actor    `json:"actor"`
	Presence Presence       `json:"presence"`
}

// Call asks the notebook's code runtime something, such as what could complete a
// source. The room passes it on to the runtime and its [Answer] back to the caller.
// It is seen by nobody else, and never stored.
type Call struct {
	// ID is the caller's own: no other call of its connection that waits has it. What
	// the runtime is sent has one of the room's instead.
	ID uint64 `json:"id"`
	// From is who calls. The room stamps it.
	From   event.Actor     `json:"from,omitempty"`
	Method Method          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"`
}

// Answer answers the [Call] with its ID: with a result, or with why there is none.
type Answer struct {
	ID     uint64          `json:"id"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *CallError      `json:"error,omitempty"`
}

// CallError says why a call has no result.
type CallError struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// Resume says that the room will send no more on this connection, because the
// client was too slow to take it, because its role has changed or because the room
// starts anew. Nothing is lost: the client should connect again and say what it has.
type Resume struct {
	Reason string `json:"reason"`
	// Unwritten says that the reason is why the room can write nothing now.
	Unwritten bool `json:"unwritten,omitempty"`
}

// Closed says that the room ends the connection, and why. Connecting again
// helps only if the code is [CodeUnavailable].
type Closed struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// Error returns the reason. A Conn's dialer may return a Closed as its error when
// the server refused the connection itself.
func (c *Closed) Error() string { return c.Message }

// Code says what kind of no an answer is.
type Code string

// The codes.
const (
	CodeInvalid     Code = "invalid"     // malformed, or it does not fit: do not send it again
	CodeForbidden   Code = "forbidden"   // the role does not allow it
	CodeNotFound    Code = "not-found"   // what it is about does not exist
	CodePurged      Code = "purged"      // it was removed for good: forget what is kept of it
	CodeConflict    Code = "conflict"    // it lost a race
	CodeDuplicate   Code = "duplicate"   // the log has it already
	CodeUnavailable Code = "unavailable" // not now; later may work
	CodeVersion     Code = "version"     // another version of the protocol is spoken here
	CodeInternal    Code = "internal"    // a fault of the server
)

func (*Hello) toRoom() string    { return "hello" }
func (*Push) toRoom() string     { return "push" }
func (*Presence) toRoom() string { return "presence" }
func (*Call) toRoom() string     { return "call" }
func (*Answer) toRoom() string   { return "answer" }

func (*Welcome) toClient() string { return "welcome" }
func (*Events) toClient() string  { return "events" }
func (*Refused) toClient() string { return "refused" }
func (*Peers) toClient() string   { return "peers" }
func (*Call) toClient() string    { return "call" }
func (*Answer) toClient() string  { return "answer" }
func (*Resume) toClient() string  { return "resume" }
func (*Closed) toClient() string  { return "closed" }
