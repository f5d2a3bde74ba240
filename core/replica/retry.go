package replica

import (
	"context"
	"time"
)

// Retry ends the pause before the next attempt to connect, if there is one: whoever
// knows that the network is back need not wait for it.
func (s *Session) Retry() {
	select {
	case s.retry <- struct{}{}:
	default:
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
