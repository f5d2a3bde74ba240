package runtime

import (
	"context"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
)

const (
	// maxPending is the most events without acknowledgement; further outputs wait.
	maxPending = 1024
	// manyPending is the number from which text is collected into fewer, larger events.
	manyPending = 64
)

// writer appends events. It holds back programs while too many events are not acknowledged.
// This bounds memory while the room is slow or unreachable, and the message in which all
// of them may be sent again.
type writer struct {
	session *replica.Session
	limit   int // bytes
	spool   func(event.Draft)

	// Guarded by the session: the sizes of pending events.
	sizes []int
	bytes int
}

// emit appends an output once there is space for it. A held one is sent with the next event.
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

// hold appends an event, which is sent with the next one, or soon.
func (w *writer) hold(p event.Payload) error {
	return w.session.Hold(noticeable, func(r *replica.Replica) error {
		_, err := w.appendWith(r, p)
		return err
	})
}

// append appends an event even if there is no space.
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

// hasRoom reports whether there is space.
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

// isPressed reports whether many events are pending.
func (w *writer) isPressed(ctx context.Context) (pressed bool) {
	err := w.session.Wait(ctx, func(r *replica.Replica) bool {
		pressed = r.Pending() >= manyPending
		return true
	})
	return err == nil && pressed
}

// size returns the approximate size of an event in a message.
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

// commSize returns the approximate size of a comm event in a message, 0 for other events.
func commSize(p event.Payload) int {
	switch p := p.(type) {
	case *event.CommOpened:
		return bundleLen(p.State) + bundleLen(p.Metadata) + len(p.Data) + buffersLen(p.Buffers)
	case *event.CommUpdated:
		return bundleLen(p.State) + buffersLen(p.Buffers)
	case *event.CommSent:
		return len(p.Content) + buffersLen(p.Buffers)
	case *event.CommClosed:
		return len(p.Content)
	case *event.CommsLost:
		return len(p.Comms) * event.MaxName
	}
	return 0
}

func buffersLen(buffers []event.Buffer) int {
	n := 0
	for i := range buffers {
		const around = 128
		n += around + len(buffers[i].Data)
		for _, step := range buffers[i].Path {
			n += len(step) + 1
		}
	}
	return n
}

// jsonLen returns the approximate length of a text as a JSON string.
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

// Spool keeps events where they outlive the runtime, so its server can append them if the
// runtime dies. One goroutine at a time calls it.
type Spool interface {
	// Keep adds an event, whose counter is higher than those before.
	Keep(d event.Draft) error
	// Drop removes the events up to a counter: the room has them.
	Drop(through uint64) error
}

// pace throttles output: it is appended at once after a quiet period, else at most once an
// interval, and less often while many events are pending. Its owner guards it.
type pace struct {
	least time.Duration // between two appends, if it is more than interval
	last  time.Time     // when output was last appended
	timer *time.Timer   // nil when none is set
}

// due reports whether to append now. If not it calls tick after a while, which must call
// ticked.
func (p *pace) due(pressed func() bool, tick func()) bool {
	if p.timer != nil {
		return false
	}
	wait := max(interval, p.least) - time.Since(p.last)
	if wait <= 0 {
		if !pressed() {
			return true
		}
		wait = interval
	}
	p.timer = time.AfterFunc(wait, tick)
	return false
}

// ticked notes that the timer of due has fired.
func (p *pace) ticked() { p.last, p.timer = time.Time{}, nil }

// appended notes that all collected output was appended.
func (p *pace) appended() { p.last = time.Now() }

// stop stops the timer. A call of tick may be running already.
func (p *pace) stop() {
	if p.timer != nil {
		p.timer.Stop()
	}
}
