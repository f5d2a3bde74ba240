package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quirehq/quire/core/bytesize"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/names"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

// errCancelled is the cause of a context that ends because a user cancelled the run.
var errCancelled = errors.New("the run was cancelled")

// noticeable is the delay that users do not notice. The start of a run is sent with its
// first output or its end if that comes sooner, in one message and one commit.
const noticeable = 10 * time.Millisecond

// Reasons for users why a run did not end by itself.
const (
	reasonShutdown = "the runtime was shut down"
	reasonKilled   = "the program did not stop when it was asked to, so it was killed; its variables are lost"
)

// execute executes an assigned run and appends its end. The run's context ends when the run
// is cancelled or the runtime ends. Each run has its own context, so a cancel cannot affect
// the next run.
func (rt *Runtime) execute(life context.Context, run *notebook.Run) {
	ctx, cancel := context.WithCancelCause(life)
	var watching sync.WaitGroup
	if run.Cancelled {
		cancel(errCancelled)
	}
	watching.Go(func() { cancel(rt.watchRun(ctx, run.ID)) })
	rt.use.executing.Lock()
	end, out := rt.runToEnd(ctx, run, func(t *limitError) {
		rt.limited(run.ID, t)
		cancel(t)
	})
	rt.use.executing.Unlock()
	end.Run, end.Epoch = run.ID, rt.epoch
	_, _ = rt.out.append(&end) // it is moot if the runtime was displaced: the run is lost then
	if out != nil {
		out.takeLate()
	}
	cancel(nil)
	watching.Wait()
}

// limited reports a limit that a run has exceeded.
func (rt *Runtime) limited(run event.RunID, t *limitError) {
	if t.limit != "" {
		rt.cfg.Limited(run, t.limit, t.value)
	}
}

// watchRun waits for a cancel of a run, as awaitCancel does. If the run takes a noticeable
// time, the presence of the runtime is busy meanwhile.
func (rt *Runtime) watchRun(ctx context.Context, id event.RunID) error {
	soon, stop := context.WithTimeout(ctx, noticeable)
	err := rt.awaitCancel(soon, id)
	stop()
	if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	rt.setBusy(true)
	defer rt.setBusy(false)
	return rt.awaitCancel(ctx, id)
}

// setBusy publishes whether a run executes.
func (rt *Runtime) setBusy(busy bool) {
	_ = rt.session.With(func(r *replica.Replica) error {
		rt.presence.Busy = busy
		if !busy {
			rt.presence.Cell, rt.presence.Anchor, rt.presence.Head = "", 0, 0
		}
		r.SetPresence(rt.presence)
		return nil
	})
}

// Point shows the caret of an assistant in a cell, at a place in UTF-16 code units, until its run ends.
func (rt *Runtime) Point(cell event.CellID, at int) {
	_ = rt.session.With(func(r *replica.Replica) error {
		rt.presence.Cell, rt.presence.Anchor, rt.presence.Head = cell, at, at
		r.SetPresence(rt.presence)
		return nil
	})
}

// awaitCancel returns errCancelled when the log says that the run is cancelled.
func (rt *Runtime) awaitCancel(ctx context.Context, id event.RunID) error {
	err := rt.session.Wait(ctx, func(r *replica.Replica) bool {
		run := r.Confirmed().Run(id)
		return run != nil && run.Cancelled
	})
	if err != nil {
		return err
	}
	return errCancelled
}

// runToEnd executes a run and returns its end, when all of its outputs are appended. The
// run may be ended because of its output. The sink is returned if late output may follow.
func (rt *Runtime) runToEnd(ctx context.Context, run *notebook.Run, endRun func(*limitError)) (event.RunFinished, *sink) {
	rt.noteExtension(run)
	magic, _ := rt.magicOf(run.Language, run.Source)
	if magic.Language != "" {
		run.Language, run.Source = magic.Language, magic.Source
	}
	engine, err := rt.cfg.Engines.Get(ctx, run.Language, func(p lang.Progress) { rt.cfg.Progress(run.Language, p) })
	if ctx.Err() != nil {
		return stopped(ctx, nil), nil
	}
	_ = rt.out.hold(&event.RunStarted{Run: run.ID, Epoch: rt.epoch})
	out := rt.newSink(ctx, run, endRun)
	if err != nil {
		out.finish(0, notReady(err, run.Language, rt.cfg.Engines.Languages()))
		return event.RunFinished{Status: event.StatusError, Cause: event.CauseNotStarted}, nil
	}
	out.late = rt.lateOutputOf(engine)
	rt.comms.listen(engine)
	out.takeComms(rt.comms, engine)
	if note := rt.use.begin(engine, rt.languageOf(run.Language), rt.cfg.Now()); note != "" {
		out.Stream(lang.Stderr, note)
	}
	began := time.Now()
	result, err := rt.executePassing(ctx, engine, run, magic, out)
	took := time.Since(began).Milliseconds()
	rt.use.end(engine, rt.cfg.Now())
	if isDeath(err) && isLimitError(context.Cause(ctx)) {
		defer out.revive(rt.cfg.Grace)()
	}
	gone, left := result.Exit == lang.ExitedGone, false
	if gone { // its last output belongs to this run
		if drainer := engine.Abilities().Drainer; drainer != nil {
			left = drainer.Drain(ctx, lang.LastPatience)
		}
		rt.discard(run.Language, engine)
	}
	offer := rt.offerOf(run, result, out)
	out.flushAll()
	end, failed := outcome(ctx, run, result, err)
	end.Took = took
	if left && end.Exited {
		end.Reason += "; a thread, task or process that it had started went on for too long and was ended"
	}
	out.finish(result.Count, failed)
	if offer != nil && end.Status == event.StatusOK {
		_, _ = rt.out.append(offer) // it is moot if the runtime was displaced
	}
	if gone || err != nil && !errors.Is(err, context.Cause(ctx)) {
		rt.discard(run.Language, engine)
		rt.comms.closeLost(engine)
		return end, nil
	}
	return end, out
}

// noteExtension notes that a run loads an extension of IPython that has a %%sql of its own: from then on it is Python's.
func (rt *Runtime) noteExtension(run *notebook.Run) {
	if names.ID(run.Language) == names.Python && strings.Contains(run.Source, "load_ext sql") {
		rt.sqlOfIPython.Store(true)
	}
}

func isLimitError(err error) bool {
	var much *limitError
	return errors.As(err, &much)
}

// executeSource executes the run's source, and ends the engine if it outlasts the end of the
// context.
func (rt *Runtime) executeSource(ctx context.Context, engine lang.Engine, run *notebook.Run, tables *tables, out *sink) (lang.Result, error) {
	over := make(chan struct{})
	var enforcing sync.WaitGroup
	enforcing.Go(func() { rt.enforce(ctx, over, engine, run.Language, out) })
	req := lang.Request{
		Run: string(run.ID), Cell: string(run.Cell), Source: run.Source,
		Timeout: rt.cfg.RunTimeout, Ask: rt.askFunc(ctx, run.ID, out),
	}
	if tables != nil {
		req.Tables = tables
	}
	result, err := engine.Execute(ctx, req, out)
	close(over)
	enforcing.Wait()
	return result, err
}

// enforce closes an engine that does not end its run within the grace, and mutes the sink,
// in which the run may be waiting for space. It mutes at once when the log has ended the
// runtime, so its outputs would be refused.
func (rt *Runtime) enforce(ctx context.Context, over <-chan struct{}, engine lang.Engine, language string, out *sink) {
	select {
	case <-over:
		return
	case <-ctx.Done():
	}
	if isOver(context.Cause(ctx)) {
		out.mute()
	}
	grace := time.NewTimer(rt.cfg.Grace)
	defer grace.Stop()
	select {
	case <-over:
	case <-grace.C:
		out.mute()
		rt.discard(language, engine)
	}
}

// outcome returns the end of an executed run, and the error to show.
func outcome(ctx context.Context, run *notebook.Run, result lang.Result, err error) (event.RunFinished, *event.Error) {
	var failed *event.Error
	if result.Err != nil && !result.Shown {
		failed = failure(result.Err)
	}
	end := event.RunFinished{Status: event.StatusOK, Count: max(result.Count, 0)}
	var much *limitError
	switch {
	case errors.As(context.Cause(ctx), &much):
		failed = much.shown()
		if isDeath(err) {
			failed.Message += "; " + reasonKilled
		}
		end.Status, end.Reason, end.Cause = event.StatusError, failed.Message, much.cause
	case ctx.Err() != nil:
		end = stopped(ctx, err)
		end.Count = max(result.Count, 0)
	case err != nil:
		failed = engineFailure(err, run.Language)
		end.Status = event.StatusError
		if isDeath(err) {
			end.Status, end.Reason, end.Cause = event.StatusLost, failed.Message, event.CauseEngineDied
			if errors.Is(err, lang.ErrKilled) {
				end.Cause = event.CauseKilled
			}
		}
	case result.Err != nil:
		end.Status = event.StatusError
		if result.Err.Cause == lang.CauseTimedOut {
			end.Reason, end.Cause = failure(result.Err).Message, event.CauseTimedOut
		}
		end.Allowed = slices.Contains(run.Allow, valid(result.Err.Name))
	case result.Exit != lang.NoExit:
		end.Exited = true
		end.Cause, end.Reason = exitCause(result.Exit, run.Language)
	}
	return end, failed
}

// engineFailure returns the error of a run whose engine failed.
func engineFailure(err error, language string) *event.Error {
	if isDeath(err) {
		return &event.Error{Name: EngineDied, Message: valid(fmt.Sprintf(
			"%s. The variables of %s are gone; the next run starts it again.", strings.TrimRight(err.Error(), ".?! \n"), language))}
	}
	return &event.Error{Name: EngineFailed, Message: valid(err.Error())}
}

// exitCause returns why a run ended whose program ended itself, for programs and for people.
func exitCause(how lang.Exit, language string) (event.Cause, string) {
	if how == lang.ExitedGone {
		return event.CauseExitedGone,
			fmt.Sprintf("the program ended itself; the variables of %s are gone, and the next run starts it again", language)
	}
	return event.CauseExited, "the program ended itself"
}

// stopped returns the end of a run that was stopped.
func stopped(ctx context.Context, err error) event.RunFinished {
	if !errors.Is(context.Cause(ctx), errCancelled) {
		return event.RunFinished{Status: event.StatusLost, Reason: reasonShutdown, Cause: event.CauseShutdown}
	}
	end := event.RunFinished{Status: event.StatusCancelled}
	if isDeath(err) {
		end.Reason, end.Cause = reasonKilled, event.CauseKilled
	}
	return end
}

// maxOffer is the largest offered source. The room makes an event of it, which must fit a
// message as well.
const maxOffer = protocol.MaxMessage - 4096

// offerOf returns the event that offers a program's source, nil if the program offers none.
// A source that is too large is reported in the run's output.
func (rt *Runtime) offerOf(run *notebook.Run, result lang.Result, out *sink) event.Payload {
	if result.Offer == nil {
		return nil
	}
	source := strings.ReplaceAll(strings.ToValidUTF8(result.Offer.Source, "\uFFFD"), "\r\n", "\n")
	if n := jsonLen(source); n > maxOffer {
		out.Stream(lang.Stderr, fmt.Sprintf("The source for a cell has %s, and a cell takes %s at most\n", bytesize.About(int64(n)), bytesize.Text(maxOffer)))
		return nil
	}
	return &event.SourceOffered{
		Run: run.ID, Epoch: rt.epoch, Cell: event.CellID(rt.newOutput()), Source: source, Replace: result.Offer.Replace,
	}
}
