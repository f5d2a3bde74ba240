package agent

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
func (a *Agent) keep(d event.Draft) {
	if a.cfg.Spool == nil {
		return
	}
	err := a.cfg.Spool.Keep(d)
	if err != nil && !a.unkept {
		a.cfg.Trouble(fmt.Errorf("what is not stored yet is lost if the runtime is killed: %w", err))
	}
	a.unkept = err != nil
}

// dropSpooled drops from the spool what the room has. It is called as keep is.
func (a *Agent) dropSpooled(seen uint64) {
	if a.cfg.Spool == nil || seen == a.spooled {
		return
	}
	a.spooled = seen
	if err := a.cfg.Spool.Drop(seen); err != nil {
		a.cfg.Trouble(err)
	}
}
