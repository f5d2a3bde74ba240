package lang

import (
	"context"
	"encoding/json"
)

// CommKind says what a [CommMessage] does.
type CommKind string

// The kinds of messages over comms.
const (
	CommOpen  CommKind = "open"
	CommData  CommKind = "data"
	CommClose CommKind = "close"
)

// WidgetTarget is the target of the comms whose messages change a state: with a method
// update or echo_update their data has new values for keys of it, as ipywidgets have
// it. All other data is only passed on.
const WidgetTarget = "jupyter.widget"

// CommMessage is one message over a comm, a channel between an object of a program and
// what shows it. It has what comm_open, comm_msg and comm_close of Jupyter's protocol have.
type CommMessage struct {
	Kind     CommKind
	Comm     string                     // its id, which the program has chosen
	Target   string                     // of an open: what the other end is to be
	Data     json.RawMessage            // nothing, or one JSON value
	Metadata map[string]json.RawMessage // of an open
	Buffers  [][]byte
}

// CommSink receives what programs say over comms.
type CommSink interface {
	// Comm takes a message. It may block, as any method of a Sink.
	Comm(m CommMessage)
}

// Commer is an engine whose programs have comms.
//
// What a run says over them while it goes on is delivered to its Sink if that is a
// CommSink as well: in the order among the outputs in which the program said it. What is
// said by what an earlier run has started, or between runs, and what a run's Sink does not
// take, goes to the CommSink of Comms. The two are never called at once.
type Commer interface {
	// Comms says where messages go that are of no run that goes on. It is called as Execute is,
	// before the first one; without it those messages are dropped.
	Comms(out CommSink)

	// Send gives the program a message of kind CommData over a comm that it has open, in
	// the order of the calls, and before a run that begins later. It does not wait for the
	// program, which takes it on its main thread when no run goes on, and returns ErrBusy
	// when too much waits already.
	// Of a message that changes a state, the engine says so as the program begins to
	// handle it: with an echo_update of its own, unless the program does.
	Send(ctx context.Context, m CommMessage) error
}
