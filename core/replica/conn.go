package replica

import "context"

// Conn is a connection to a room that carries whole messages in order, for as long
// as it lasts. Send and Receive may be called by two goroutines at once, one each.
// Close makes both return, and may be called by any goroutine and more than once.
type Conn interface {
	// Send gives a message to the connection, and waits while it can take no more.
	Send(ctx context.Context, message []byte) error
	// Receive returns the next message.
	Receive(ctx context.Context) ([]byte, error)
	Close() error
}
