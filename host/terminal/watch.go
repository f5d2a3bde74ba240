package terminal

import (
	"context"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
)

// Watch calls write with each event of a session, in one goroutine, until ctx ends, the session
// does or unread is closed: when nothing can be written any more. With untilIdle it also ends when no
// run waits or executes. It returns when write has.
func Watch(ctx context.Context, j *Session, untilIdle bool, unread <-chan struct{}, write func(*event.Event)) error {
	w := newWatcher(untilIdle)
	j.OnUpdate(w.update)
	w.begin(j)
	printed := make(chan struct{})
	go func() {
		defer close(printed)
		w.print(write)
	}()
	err := w.await(ctx, j, unread)
	w.events.close()
	<-printed
	return err
}

// watcher takes the events of a session, and may know when no run is left.
type watcher struct {
	events    *printQueue[event.Event]
	untilIdle bool
	idle      chan struct{} // closed when it is time to end

	over bool // idle is closed; owned by who holds the session
}

func newWatcher(untilIdle bool) *watcher {
	return &watcher{events: newPrintQueue[event.Event](printQueueLimit), untilIdle: untilIdle, idle: make(chan struct{})}
}

func (w *watcher) begin(j *Session) {
	_ = j.With(func(r *replica.Replica) error {
		w.look(r)
		return nil
	})
}

// update handles the changes of a message of the room.
func (w *watcher) update(r *replica.Replica, up replica.Update) {
	if w.over {
		return
	}
	size := 0
	for _, e := range up.Committed {
		size += sizeOf(e.Payload)
	}
	if size > 0 {
		w.events.put(size, up.Committed...)
	}
	w.look(r)
}

func (w *watcher) look(r *replica.Replica) {
	if w.untilIdle && !w.over && r.Online() && len(r.Confirmed().Queue()) == 0 {
		w.over = true
		close(w.idle)
	}
}

// await waits for the end. Unread is closed when nothing can be written any more.
func (w *watcher) await(ctx context.Context, j *Session, unread <-chan struct{}) error {
	select {
	case <-unread:
		w.events.release()
		return nil
	case <-w.idle:
		return nil
	case <-j.Ended():
		return j.Verdict()
	case <-ctx.Done():
		w.events.release()
		return ctx.Err()
	}
}

// print writes the texts of the queue until it is closed.
func (w *watcher) print(write func(*event.Event)) {
	for {
		events, ok := w.events.take()
		if !ok {
			return
		}
		for i := range events {
			write(&events[i])
		}
	}
}
