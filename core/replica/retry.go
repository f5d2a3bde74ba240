package replica

import (
	"context"
	"time"

	"github.com/quirehq/quire/core/protocol"
)

// WaitError is an error of a dialer whose server refused the connection for now, and said
// how long the next attempt is to wait at least.
type WaitError struct {
	Closed *protocol.Closed
	After  time.Duration
}

// Error returns the reason.
func (e *WaitError) Error() string { return e.Closed.Error() }

// Unwrap returns what the server said.
func (e *WaitError) Unwrap() error { return e.Closed }

// Retry ends the pause before the next attempt to connect, if there is one: whoever
// knows that the network is back need not wait for it.
func (s *Session) Retry() {
	select {
	case s.retry <- struct{}{}:
	default:
	}
}

// WaitRetry waits until [Session.Retry] is called. After Run has returned, it says when
// Run is worth another call.
func (s *Session) WaitRetry(ctx context.Context) error {
	select {
	case <-s.retry:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// rest waits between two attempts to connect.
func (s *Session) rest(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-s.retry:
	case <-ctx.Done():
	}
}
