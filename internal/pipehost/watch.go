package pipehost

import (
	"context"
	"fmt"
	"time"
)

// Watch interrupts a run when its context ends, and kills its process if the code does not stop within the grace. It does not
// depend on the sink, which may block the run. The returned function ends the watch and waits for that.
func Watch(ctx context.Context, grace time.Duration, interrupt func() error, kill func(reason string)) (end func()) {
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-over:
			return
		case <-ctx.Done():
		}
		_ = interrupt() // if it fails, the kill follows
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-over:
		case <-timer.C:
			kill(fmt.Sprintf("it did not stop within %v", grace))
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}
