package runtime

import (
	"context"
	"fmt"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
)

const (
	// maxPending is how many events may wait for their acknowledgement before
	// outputs have to wait themselves.
	maxPending = 1024
	// manyPending is when text had better be collected into fewer, larger events.
	manyPending = 64
)

// writer states events. It holds back whoever produces outputs while too many of
// them are not acknowledged, so that memory is bounded while the room is slow or
// away, and so is the one message in which all of them may be sent again.
type writer struct {
	session *replica.Session
	limit   int // bytes
	spool   func(event.Draft)

	// Owned by whoever has the session's replica: the sizes of what is pending.
	sizes []int
	bytes int
}

// emit states an output once there is space for it, at once or held for what follows.
// It gives up when ctx ends.
func (w *writer) emit(ctx context.Context, p event.Payload, held bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := w.session.Wait(ctx, w.hasSpace); err != nil {
		return err
	}
	if held {
		return w.hold(p)
	}
	_, err := w.append(p)
	return err
}

// hold states an event, which is sent with the next or when it might be missed.
func (w *writer) hold(p event.Payload) error {
	return w.session.Hold(noticeable, func(r *replica.Replica) error {
		_, err := w.appendWith(r, p)
		return err
	})
}

// append states an event whether there is space or not.
func (w *writer) append(p event.Payload) (id event.ID, err error) {
	err = w.session.With(func(r *replica.Replica) error {
		id, err = w.appendWith(r, p)
		return err
	})
	return id, err
}

func (w *writer) appendWith(r *replica.Replica, p event.Payload) (event.ID, error) {
	id, _, err := r.Do(p)
	if err == nil {
		w.spool(event.Draft{ID: id, Payload: p})
		n := size(p)
		w.sizes, w.bytes = append(w.sizes, n), w.bytes+n
	}
	return id, err
}

// hasRoom reports whether there is space now.
func (w *writer) hasRoom() (has bool) {
	_ = w.session.With(func(r *replica.Replica) error {
		has = w.hasSpace(r)
		return nil
	})
	return has
}

func (w *writer) hasSpace(r *replica.Replica) bool {
	for len(w.sizes) > r.Pending() {
		w.bytes -= w.sizes[0]
		w.sizes = w.sizes[1:]
	}
	return len(w.sizes) < maxPending && w.bytes < w.limit
}

// isPressed reports whether much is pending.
func (w *writer) isPressed(ctx context.Context) (pressed bool) {
	err := w.session.Wait(ctx, func(r *replica.Replica) bool {
		pressed = r.Pending() >= manyPending
		return true
	})
	return err == nil && pressed
}

// size returns about how many bytes an event takes in a message.
func size(p event.Payload) int {
	const envelope = 256
	switch p := p.(type) {
	case *event.OutputAdded:
		n := envelope + jsonLen(p.Value.Text) + bundleLen(p.Value.Data) + bundleLen(p.Value.Metadata)
		if e := p.Value.Error; e != nil {
			n += jsonLen(e.Name) + jsonLen(e.Message)
			for _, line := range e.Trace {
				n += jsonLen(line)
			}
		}
		return n
	case *event.OutputAppended:
		return envelope + jsonLen(p.Text)
	case *event.SourceOffered:
		return envelope + jsonLen(p.Source)
	case *event.DisplayUpdated:
		return envelope + bundleLen(p.Data) + bundleLen(p.Metadata)
	}
	return envelope + commSize(p)
}

// jsonLen returns about how long a text is as a JSON string.
func jsonLen(s string) int {
	n := len(s) + 2
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\n' || c == '\t' || c == '\r' || c == '"' || c == '\\':
			n++
		case c < ' ':
			n += 5
		}
	}
	return n
}

// Spool keeps events where they outlive the runtime, for whoever finds it dead to state
// them in its place. One goroutine at a time calls it.
type Spool interface {
	// Keep adds an event, whose counter is higher than those before.
	Keep(d event.Draft) error
	// Drop forgets the events up to a counter: the room has them.
	Drop(through uint64) error
}

// spool spools an event that was stated. Without it nothing is lost while the runtime
// lives, so an error is only told, and once until it is over. It is called by whoever has the session's replica.
func (rt *Runtime) spool(d event.Draft) {
	if rt.cfg.Spool == nil {
		return
	}
	err := rt.cfg.Spool.Keep(d)
	if err != nil && !rt.spoolFailed {
		rt.cfg.Trouble(fmt.Errorf("what is not stored yet is lost if the runtime is killed: %w", err))
	}
	rt.spoolFailed = err != nil
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
