package lua

import (
	"context"
	"errors"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// stopContext is the context of the machine and of all coroutines, for as long as they live: its end can be taken back,
// since a coroutine goes on in a later run than the one that made it, and than one that was interrupted.
type stopContext struct {
	context.Context
	done atomic.Pointer[chan struct{}]
}

// Done implements context.Context. The machine calls it before each instruction.
func (c *stopContext) Done() <-chan struct{} { return *c.done.Load() }

// Deadline implements context.Context.
func (*stopContext) Deadline() (time.Time, bool) { return time.Time{}, false }

// Err implements context.Context.
func (c *stopContext) Err() error {
	select {
	case <-c.Done():
		return errStopped
	default:
		return nil
	}
}

// Value implements context.Context.
func (*stopContext) Value(any) any { return nil }

// AfterFunc keeps the machine from starting a goroutine for each coroutine, which would wait for the end.
func (*stopContext) AfterFunc(func()) (stop func() bool) { return func() bool { return true } }

// reset takes the end back.
func (c *stopContext) reset() {
	done := make(chan struct{})
	c.done.Store(&done)
}

// errStopped is what the machine raises at the end of its context.
var errStopped = errors.New("interrupted")

// errMemory says that the program was stopped for its memory.
var errMemory = errors.New("out of memory")

// looksForMemory is the time between two looks at the memory that a program has taken.
const looksForMemory = 5 * time.Millisecond

// guard calls a function that executes code of the user, which is stopped when ctx ends or the memory is used up.
func (in *Interpreter) guard(ctx context.Context, f func() error) error {
	in.stop.reset()
	stop := *in.stop.done.Load()
	ended, watched := make(chan struct{}), make(chan error, 1)
	go func() {
		look := time.NewTicker(looksForMemory)
		defer look.Stop()
		for {
			select {
			case <-ended:
				watched <- nil
				return
			case <-ctx.Done():
				close(stop)
				watched <- nil
				return
			case <-look.C:
				if heap() > in.config.Memory && collected() > in.config.Memory {
					close(stop)
					watched <- errMemory
					return
				}
			}
		}
	}()
	err := f()
	close(ended)
	if full := <-watched; full != nil && err != nil {
		err = full
	}
	in.stop.reset()
	return err
}

// heap returns the bytes of values, those that are not collected yet included.
func heap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// collected returns the bytes of values after a collection.
func collected() int64 {
	runtime.GC()
	return heap()
}
