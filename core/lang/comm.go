package lang

import (
	"context"
	"encoding/json"
)

// CommKind is the kind of a [CommMessage].
type CommKind string

// The kinds of messages over comms.
const (
	CommOpen  CommKind = "open"
	CommData  CommKind = "data"
	CommClose CommKind = "close"
)

// WidgetTarget is the target of comms whose messages change a state: data with the method update or echo_update has new
// values for keys of it, as in ipywidgets. All other data is only passed on.
const WidgetTarget = "jupyter.widget"

// CommMessage is one message over a comm, a channel between an object of a program and its view. It has the fields of
// comm_open, comm_msg and comm_close of Jupyter's protocol.
type CommMessage struct {
	Kind     CommKind
	Comm     string                     // its id, chosen by the program
	Target   string                     // of an open: the kind of the other end
	Data     json.RawMessage            // nothing, or one JSON value
	Metadata map[string]json.RawMessage // of an open
	Buffers  [][]byte
}

// CommSink receives the messages of programs over comms.
type CommSink interface {
	// Comm receives a message. It may block, like any method of a Sink.
	Comm(m CommMessage)
}

// Commer is an engine whose programs have comms.
//
// Messages that a run sends while it executes go to its Sink if that is also a CommSink, in order with its outputs.
// Messages of an earlier run's background work, messages between runs, and those of a run whose Sink is no CommSink go
// to the CommSink of Comms. The two are never called concurrently.
type Commer interface {
	// Comms sets the receiver of messages that belong to no executing run. Like Execute, it is never called
	// concurrently, and only before the first run; without it those messages are dropped.
	Comms(out CommSink)

	// Send delivers a message of kind CommData over an open comm to the program, in the order of the calls, and before
	// any run that begins later. It does not wait for the program, which handles the message on its main thread between
	// runs, and returns ErrBusy when the queue is full. For a message that changes a state, the engine reports when the
	// program begins to handle it: with its own echo_update, unless the program sends one.
	Send(ctx context.Context, m CommMessage) error
}
