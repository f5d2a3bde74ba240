// Package ctxmutex has a mutex whose waiters can give up with a context.
package ctxmutex

import "context"

// Mutex is a mutex for long waits, such as for an engine that loads or for space in a queue: a waiter can give up, and
// unlike with one of package sync, the fake time of tests goes on meanwhile. New makes one.
type Mutex chan struct{}

// New returns an unlocked mutex.
func New() Mutex { return make(Mutex, 1) }

// Lock waits for the mutex.
func (m Mutex) Lock() { m <- struct{}{} }

// LockContext waits for the mutex until ctx ends, and returns the cause if it does.
func (m Mutex) LockContext(ctx context.Context) error {
	select {
	case m <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Unlock lets the next waiter have the mutex.
func (m Mutex) Unlock() { <-m }
