package protocol

import (
	"encoding/json"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
)

// ToRoom is a message from a client to a room: *[Hello], *[Push], *[Presence],
// *[Call] or *[Answer].
//
// A connection begins with one Hello. Pushes, whose events have growing counters, Presence
// and Calls may follow at any time; a runtime sends an Answer to each Call that it gets.
type ToRoom interface{ toRoom() string }

// ToClient is a message from a room to a client: *[Welcome], *[Events],
// *[Refused], *[Peers], *[Call], *[Answer], *[Resume] or *[Closed].
//
// The first message is a Welcome or a Closed. After the Welcome, Events bring every
// event of the log with a number beyond the Welcome's, in order and without gaps. They
// include the client's own events, which acknowledges that those are on disk. Only a
// runtime gets Calls, and only a caller its Answer.
type ToClient interface{ toClient() string }

// Hello opens a connection.
type Hello struct {
	Version int            `json:"version"`
	Client  event.ClientID `json:"client"`
	// Since is the last number that the client has folded.
	Since event.Seq `json:"since"`
	// Fold is the version of the client's fold: it can use no snapshot of another.
	Fold int `json:"fold"`
	// Pending says that the client has pending edits, which must be transformed over every
	// event since: a snapshot would not do.
	Pending bool `json:"pending,omitempty"`
	// Present says that the client has the notebook without its past, as a [Welcome] said.
	Present bool `json:"present,omitempty"`
	// Runtime asks to serve as the runtime with this id, of the kind Takes: of code if that is empty.
	Runtime event.RuntimeID `json:"runtime,omitempty"`
	Takes   event.Takes     `json:"takes,omitempty"`
	// Claims asks the room to assign the next run to the runtime whenever it is ready and
	// has none.
	Claims bool `json:"claims,omitempty"`
}

// Push proposes events.
type Push struct {
	Events []event.Draft `json:"events"`
}

// Presence is the state of a user or runtime that others see. It is passed on and never
// stored.
type Presence struct {
	Name   string       `json:"name,omitempty"` // shown to users
	Cell   event.CellID `json:"cell,omitempty"`
	Anchor int          `json:"anchor,omitempty"` // UTF-16 code units into the cell's source
	Head   int          `json:"head,omitempty"`   // of the caret; differs from Anchor in a selection
	Busy   bool         `json:"busy,omitempty"`   // of a runtime: it executes
}

// Welcome answers a [Hello].
type Welcome struct {
	Version int         `json:"version"`
	Actor   event.Actor `json:"actor"` // stamped on the client's events
	Role    access.Role `json:"role"`
	// Seq is the number before the first event that follows: that of the snapshot if there
	// is one, else Since of the Hello.
	Seq event.Seq `json:"seq"`
	// Last is the last number of the log when the client joined. A client that has folded
	// it is up to date.
	Last event.Seq `json:"last"`
	// Present says that the snapshot lacks the past.
	Present  bool            `json:"present,omitempty"`
	Snapshot json.RawMessage `json:"snapshot,omitempty"`
}

// Events brings numbered events.
type Events struct {
	Events []event.Event `json:"events"`
	// Records are the same events as they came, for a member that stores them; nil if the message was not in the form
	// that rooms write. They are parts of the message.
	Records [][]byte `json:"-"`
}

// Refused says that an event will never be in the log, with the reason.
type Refused struct {
	ID      event.ID `json:"id"`
	Code    Code     `json:"code"`
	Message string   `json:"message"`
}

// Peers has the changes of presence since the last such message. A client that left and
// connected again is in both lists, and is connected.
type Peers struct {
	// All says that Peers are all connected members: in the first message of a connection,
	// and in one after some were missed.
	All   bool             `json:"all,omitempty"`
	Peers []Peer           `json:"peers,omitempty"`
	Gone  []event.ClientID `json:"gone,omitempty"`
}

// Peer is a member of the room as others see it, maybe the client itself.
type Peer struct {
	Client   event.ClientID `json:"client"`
	Actor    event.Actor    `json:"actor"`
	Presence Presence       `json:"presence"`
}

// Call is a question to a runtime of the notebook, such as how to complete a source. The
// room passes it on to the runtime and its [Answer] back to the caller. No other member
// sees it, and it is never stored.
type Call struct {
	// ID is chosen by the caller, and unique among the waiting calls of its connection. The
	// runtime gets an id of the room instead.
	ID uint64 `json:"id"`
	// From is the actor of the caller. The room stamps it.
	From event.Actor `json:"from,omitempty"`
	// Takes is the kind of the runtime that is called: of code if it is empty.
	Takes  event.Takes     `json:"takes,omitempty"`
	Method Method          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"`
}

// Answer answers the [Call] with its ID: with a result, or with an error.
type Answer struct {
	ID     uint64          `json:"id"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *CallError      `json:"error,omitempty"`
}

// CallError is the reason why a call has no result.
type CallError struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// Resume says that the room will send no more on this connection, because the client was
// too slow, its role has changed or the room has reloaded. Nothing is lost: the client
// should connect again, and goes on from its number.
type Resume struct {
	Reason string `json:"reason"`
	// Unwritten says that the room can write nothing now; Reason says why.
	Unwritten bool `json:"unwritten,omitempty"`
}

// Closed says that the room ends the connection, with the reason. Connecting again
// helps only if the code is [CodeUnavailable].
type Closed struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// Error returns the reason. A Conn's dialer may return a Closed as its error when
// the server refused the connection itself.
func (c *Closed) Error() string { return c.Message }

// Code is the kind of a refusal or an error.
type Code string

// The codes.
const (
	CodeInvalid     Code = "invalid"     // malformed, or it does not fit: do not send it again
	CodeForbidden   Code = "forbidden"   // the role does not allow it
	CodeNotFound    Code = "not-found"   // the subject does not exist
	CodePurged      Code = "purged"      // the notebook was removed for good: delete local copies
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
