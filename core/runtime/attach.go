package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
)

// Reasons why a runtime has ended. It does not start again by itself: its variables would
// not be those that users expect.
var (
	// ErrDisplaced says that another runtime took the place of this one.
	ErrDisplaced = errors.New("another runtime has taken this one's place")
	// ErrStopped says that a user stopped the runtime, or that its lease ended while it
	// was cut off.
	ErrStopped = errors.New("the runtime was stopped")

	// errIdle says that the runtime was not used for the idle time.
	errIdle = errors.New("nobody has used the runtime")
)

// attach appends the start of the runtime, and gets its epoch from the log.
func (rt *Runtime) attach(ctx context.Context) error {
	if err := rt.session.Wait(ctx, (*replica.Replica).Online); err != nil {
		return err
	}
	started, err := rt.out.append(&event.RuntimeStarted{
		Runtime: rt.cfg.Runtime, Name: rt.cfg.Name, Takes: event.TakesCode, Languages: rt.cfg.Engines.Languages(),
	})
	if err != nil {
		return err
	}
	var refused error
	err = rt.session.Wait(ctx, func(r *replica.Replica) bool {
		if r.IsPending(started) {
			return false
		}
		if listed := r.Confirmed().RuntimeByID(rt.cfg.Runtime); listed != nil {
			rt.epoch = listed.Epoch
		} else if refused = ErrDisplaced; rt.refusal != "" {
			refused = errors.New(rt.refusal)
		}
		return true
	})
	if err != nil || refused != nil {
		return errors.Join(err, refused)
	}
	_, err = rt.out.append(&event.RuntimeReady{Runtime: rt.cfg.Runtime, Epoch: rt.epoch})
	return err
}

// watch waits until the runtime cannot go on, and returns the reason.
func (rt *Runtime) watch(ctx context.Context) error {
	var why error
	err := rt.session.Wait(ctx, func(r *replica.Replica) bool {
		why = rt.whyOver(r)
		return why != nil
	})
	if err != nil {
		return fmt.Errorf("serve as runtime %s: %w", rt.cfg.Runtime, err)
	}
	return why
}

// whyOver returns the reason why the runtime has ended by the log, nil if it has not.
func (rt *Runtime) whyOver(r *replica.Replica) error {
	book := r.Confirmed()
	if listed := book.RuntimeByID(rt.cfg.Runtime); listed != nil && listed.Epoch == rt.epoch {
		return nil
	}
	listed := book.Runtime(event.TakesCode)
	switch {
	case listed == nil || listed.ID != rt.cfg.Runtime || listed.Epoch != rt.epoch:
		return ErrDisplaced
	case listed.Detail != "":
		return fmt.Errorf("%w (%s): %s", ErrStopped, listed.Reason, listed.Detail)
	}
	return fmt.Errorf("%w (%s)", ErrStopped, listed.Reason)
}

// isOver reports whether the log ended the runtime, not the runtime itself.
func isOver(why error) bool { return errors.Is(why, ErrDisplaced) || errors.Is(why, ErrStopped) }

// leave appends the stop of the runtime, unless the log has it or the session has ended.
func (rt *Runtime) leave(ctx context.Context, why error) error {
	switch {
	case isOver(why):
		return why
	case errors.Is(why, errIdle):
		return nil // stopIdle has appended the stop
	case ctx.Err() == nil:
		return why
	}
	return rt.stop(ctx, event.StopShutdown, "")
}

// stopIdle appends the stop of an unused runtime, and returns errIdle. It returns nil when
// the room has just assigned a run; the runtime then goes on with new engines. It closes the
// engines first, since the last outputs of their programs must precede the stop.
func (rt *Runtime) stopIdle(ctx context.Context) error {
	for _, language := range rt.cfg.Engines.Languages() {
		if engine, _ := rt.cfg.Engines.Loaded(language); engine != nil {
			rt.discard(language, engine)
			rt.comms.closeLost(engine)
		}
	}
	err := rt.stop(ctx, event.StopIdle, fmt.Sprintf("nobody had used the runtime for %v", rt.cfg.Idle))
	if err != nil {
		return err
	}
	serves := false
	_ = rt.session.With(func(r *replica.Replica) error {
		serves = rt.whyOver(r) == nil
		return nil
	})
	if serves {
		return nil
	}
	return errIdle
}

// stop appends the stop of the runtime, and waits until all its events are committed.
func (rt *Runtime) stop(ctx context.Context, reason event.StopReason, detail string) error {
	stop := &event.RuntimeStopped{Runtime: rt.cfg.Runtime, Epoch: rt.epoch, Reason: reason, Detail: detail}
	if _, err := rt.out.append(stop); err != nil {
		return nil // the notebook has another runtime meanwhile
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rt.cfg.Grace)
	defer cancel()
	err := rt.session.Wait(ctx, func(r *replica.Replica) bool { return r.Pending() == 0 })
	if err != nil {
		return fmt.Errorf("the runtime has stopped, and its room was not told: %w", err)
	}
	return nil
}
