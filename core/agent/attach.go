package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
)

// Why a runtime is not the notebook's any more. It does not start again by itself:
// its variables would not be what the notebook's people believe them to be.
var (
	// ErrDisplaced says that another runtime took the place of this one.
	ErrDisplaced = errors.New("another runtime has taken this one's place")
	// ErrStopped says that somebody stopped the runtime, or that its lease ended
	// while it was cut off.
	ErrStopped = errors.New("the runtime was stopped")

	// errIdle is why an agent stops by itself.
	errIdle = errors.New("nobody has used the runtime")
)

// attach states that the runtime is here, and learns the epoch that it gets.
func (a *Agent) attach(ctx context.Context) error {
	if err := a.session.Wait(ctx, (*replica.Replica).Online); err != nil {
		return err
	}
	started, err := a.out.state(&event.RuntimeStarted{
		Runtime: a.cfg.Runtime, Name: a.cfg.Name, Takes: event.TakesCode, Languages: a.cfg.Engines.Languages(),
	})
	if err != nil {
		return err
	}
	var refused error
	err = a.session.Wait(ctx, func(r *replica.Replica) bool {
		if r.IsPending(started) {
			return false
		}
		if rt := r.Confirmed().RuntimeByID(a.cfg.Runtime); rt != nil {
			a.epoch = rt.Epoch
		} else if refused = ErrDisplaced; a.refusal != "" {
			refused = errors.New(a.refusal)
		}
		return true
	})
	if err != nil || refused != nil {
		return errors.Join(err, refused)
	}
	_, err = a.out.state(&event.RuntimeReady{Runtime: a.cfg.Runtime, Epoch: a.epoch})
	return err
}

// watch returns why the runtime cannot go on, once it cannot.
func (a *Agent) watch(ctx context.Context) error {
	var why error
	err := a.session.Wait(ctx, func(r *replica.Replica) bool {
		why = a.over(r)
		return why != nil
	})
	if err != nil {
		return fmt.Errorf("serve as runtime %s: %w", a.cfg.Runtime, err)
	}
	return why
}

// over says why this is not the notebook's runtime any more, nil if it is.
func (a *Agent) over(r *replica.Replica) error {
	book := r.Confirmed()
	if rt := book.RuntimeByID(a.cfg.Runtime); rt != nil && rt.Epoch == a.epoch {
		return nil
	}
	rt := book.Runtime(event.TakesCode)
	switch {
	case rt == nil || rt.ID != a.cfg.Runtime || rt.Epoch != a.epoch:
		return ErrDisplaced
	case rt.Detail != "":
		return fmt.Errorf("%w (%s): %s", ErrStopped, rt.Reason, rt.Detail)
	}
	return fmt.Errorf("%w (%s)", ErrStopped, rt.Reason)
}

// isOver tells the end of the runtime by the log from one by its own.
func isOver(why error) bool { return errors.Is(why, ErrDisplaced) || errors.Is(why, ErrStopped) }

// leave states that the runtime stops, unless the notebook knows or the session
// has ended.
func (a *Agent) leave(ctx context.Context, why error) error {
	switch {
	case isOver(why):
		return why
	case errors.Is(why, errIdle):
		return nil // it was told, and has heard it
	case ctx.Err() == nil:
		return why
	}
	return a.end(ctx, event.StopShutdown, "")
}

// rest states that the runtime stops because nobody uses it, and returns errIdle when
// that is so. It returns nil when the room had given it a run by then, and goes on, with
// engines that begin again: what their programs say at their ends has to be stated before.
func (a *Agent) rest(ctx context.Context) error {
	for _, language := range a.cfg.Engines.Languages() {
		if engine, _ := a.cfg.Engines.Loaded(language); engine != nil {
			a.discard(language, engine)
			a.comms.lose(engine)
		}
	}
	err := a.end(ctx, event.StopIdle, fmt.Sprintf("nobody had used the runtime for %v", a.cfg.Idle))
	if err != nil {
		return err
	}
	serves := false
	_ = a.session.With(func(r *replica.Replica) error {
		serves = a.over(r) == nil
		return nil
	})
	if serves {
		return nil
	}
	return errIdle
}

// end states that the runtime stops, and waits until that and all before it is stored.
func (a *Agent) end(ctx context.Context, reason event.StopReason, detail string) error {
	stop := &event.RuntimeStopped{Runtime: a.cfg.Runtime, Epoch: a.epoch, Reason: reason, Detail: detail}
	if _, err := a.out.state(stop); err != nil {
		return nil // the notebook has another runtime meanwhile
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.cfg.Grace)
	defer cancel()
	err := a.session.Wait(ctx, func(r *replica.Replica) bool { return r.Pending() == 0 })
	if err != nil {
		return fmt.Errorf("the runtime has stopped, and its room was not told: %w", err)
	}
	return nil
}
