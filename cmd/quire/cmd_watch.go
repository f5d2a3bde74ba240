package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
)

type watchOptions struct{ json, untilIdle bool }

func (a *app) watchCommand() *cobra.Command {
	var o watchOptions
	cmd := &cobra.Command{
		Use:   "watch NOTEBOOK",
		Short: "Follow a notebook: its changes, runs and output",
		Long: `Follow a notebook: a line for each change and each step of a run, and what
programs print as it comes. It goes on until ctrl-C, also while the server is away.`,
		Args: want("NOTEBOOK"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.watch(cmd.Context(), args[0], o) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "write the events as they are stored, one a line")
	cmd.Flags().BoolVar(&o.untilIdle, "until-idle", false, "end when no run waits or executes, at once if none does")
	return cmd
}

func (a *app) watch(ctx context.Context, name string, o watchOptions) error {
	return a.inNotebook(ctx, name, func(j *joined) error {
		w := newWatcher(o.untilIdle)
		j.onUpdate(w.update)
		w.begin(j)
		printed := make(chan struct{})
		go func() {
			defer close(printed)
			w.print(a.watchPrinter(ctx, j.notebook, o))
		}()
		err := w.await(ctx, j, streamOf(a.stdout).failed)
		w.events.close()
		<-printed
		return err
	})
}

// watchPrinter returns what writes an event.
func (a *app) watchPrinter(ctx context.Context, notebook string, o watchOptions) func(*event.Event) {
	p := a.newPrinter(a.stderr)
	if !streamOf(a.stdout).terminal {
		p.open = a.openArtifacts(ctx, notebook)
	}
	return func(e *event.Event) {
		if o.json {
			if data, err := event.Append(nil, e); err == nil { // what was decoded can be encoded
				fmt.Fprintf(a.stdout, "%s\n", data)
			}
			return
		}
		switch e.Payload.(type) {
		case *event.OutputAdded, *event.OutputAppended, *event.OutputStored, *event.DisplayUpdated:
			p.event(e)
		default:
			p.event(e)
			p.whole(p.out, eventLine(e, time.Local))
		}
	}
}

// watcher takes the events of a session, and may know when no run is left.
type watcher struct {
	events    *feed[event.Event]
	untilIdle bool
	idle      chan struct{} // closed when it is time to end

	over bool // idle is closed; owned by who holds the session
}

func newWatcher(untilIdle bool) *watcher {
	return &watcher{events: newFeed[event.Event](feedLimit), untilIdle: untilIdle, idle: make(chan struct{})}
}

func (w *watcher) begin(j *joined) {
	_ = j.With(func(r *replica.Replica) error {
		w.look(r)
		return nil
	})
}

// update takes in what a message of the room changed.
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
func (w *watcher) await(ctx context.Context, j *joined, unread <-chan struct{}) error {
	select {
	case <-unread:
		w.events.release()
		return nil
	case <-w.idle:
		return nil
	case <-j.done:
		return refusalOf(j.err)
	case <-ctx.Done():
		w.events.release()
		return ctx.Err()
	}
}

// print writes what comes until the feed is closed.
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
