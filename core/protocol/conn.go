package protocol

import (
	"context"

	"github.com/quirehq/quire/core/event"
)

// Window is how many events a client pushes ahead of their acknowledgement.
const Window = 1024

// RoomClient is the client of the events that a room makes itself.
const RoomClient event.ClientID = "room"

// Conn is a connection to a room that carries whole messages in order. Send and Receive may
// be called by two goroutines at once, one each. Close makes both return, and may be called
// by any goroutine and more than once.
type Conn interface {
	// Send queues a message, and waits while the connection can take no more.
	Send(ctx context.Context, message []byte) error
	// Receive returns the next message.
	Receive(ctx context.Context) ([]byte, error)
	Close() error
}
