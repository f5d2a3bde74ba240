package runtime

import (
	"fmt"

	"github.com/quirehq/quire/core/event"
)

// Spool keeps events where they outlive the runtime, for whoever finds it dead to state
// them in its place. One goroutine at a time calls it.
type Spool interface {
	// Keep adds an event, whose counter is higher than those before.
	Keep(d event.Draft) error
	// Drop forgets the events up to a counter: the room has them.
	Drop(through uint64) error
}

// keep spools an event that was stated. Without it nothing is lost while the runtime
// lives, so an error is only told, and once until it is over. It is called by whoever has the session's replica.
func (rt *Runtime) keep(d event.Draft) {
	if rt.cfg.Spool == nil {
		return
	}
	err := rt.cfg.Spool.Keep(d)
	if err != nil && !rt.unkept {
		rt.cfg.Trouble(fmt.Errorf("what is not stored yet is lost if the runtime is killed: %w", err))
	}
	rt.unkept = err != nil
}

// dropSpooled drops from the spool what the room has. It is called as keep is.
func (rt *Runtime) dropSpooled(seen uint64) {
	if rt.cfg.Spool == nil || seen == rt.spooled {
		return
	}
	rt.spooled = seen
	if err := rt.cfg.Spool.Drop(seen); err != nil {
		rt.cfg.Trouble(err)
	}
}
