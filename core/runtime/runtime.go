// Package runtime executes a notebook: a runtime attaches itself to the room as a replica,
// takes the runs of its kind in order, those of code cells or, as an assistant, those of ai
// cells, executes them with its engines, and appends their outputs.
//
// It promises that a run finishes after its last output, that no run is executed twice, that
// a cancelled run ends within the grace and does not affect the next one, and that pending
// output is bounded: a program that prints more than the room takes is held back. It goes on
// while the room is unreachable. Its host starts it, chooses the engines and dials the room.
// spec/execution.md has the rules.
package runtime

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/names"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

// Runtime serves one notebook. It executes one run at a time.
type Runtime struct {
	cfg     Config
	session *replica.Session
	out     *writer
	comms   *comms
	started atomic.Bool
	// sqlOfIPython says that %%sql is a magic of Python's, see noteExtension.
	sqlOfIPython atomic.Bool
	inputs       atomic.Uint64  // the number of input ids so far
	outputs      atomic.Uint64  // the number of output ids so far
	serving      sync.WaitGroup // of calls being answered

	// Owned by Run, and unchanged once the runtime has started.
	epoch event.Epoch

	// Owned by Run.
	elsewhere int64     // bytes of the notebook's outputs besides those of the run's cell
	active    time.Time // when a run last ended, or a user was connected
	hasUsers  bool      // users are connected

	use engineUse

	lateMu sync.Mutex
	late   map[lang.Engine]*lateOutput

	// Guarded by the session: used only with its replica.
	presence    protocol.Presence
	online      bool // the presence was sent on this connection
	refusal     string
	spooled     uint64 // the counter up to which the spool was dropped
	spoolFailed bool   // the last event could not be spooled
	// questions are the open questions of programs.
	questions map[event.InputID]*question
}

// New returns a runtime, which is started by Run.
func New(cfg Config) (*Runtime, error) {
	cfg.setDefaults()
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("new runtime: %w", err)
	}
	rt := &Runtime{
		cfg: cfg, presence: protocol.Presence{Name: cfg.Name}, questions: map[event.InputID]*question{},
		late: map[lang.Engine]*lateOutput{},
	}
	runtime := replica.NewRuntime(cfg.Client, cfg.Runtime)
	runtime.Take(cfg.Takes)
	runtime.ClaimRuns()
	rt.session = replica.NewSession(replica.SessionConfig{
		Dial:    cfg.Dial,
		Replica: runtime,
		Updated: rt.updated,
		Trouble: rt.connectionLost,
	})
	rt.comms = newComms(rt)
	rt.out = &writer{session: rt.session, limit: cfg.Limits.Pending, spool: rt.spool}
	return rt, nil
}

// Session returns the replica of the notebook that the runtime has. An assistant reads and edits the notebook by it; what
// the runtime appends of its runs does not need it. The room refuses edits of a runtime of code.
func (rt *Runtime) Session() *replica.Session { return rt.session }

// updated handles the changes of a message of the room, before any waiting call does.
func (rt *Runtime) updated(r *replica.Replica, _ replica.Update) {
	for _, no := range r.Refused() {
		rt.refusal = no.Message
		switch no.Code {
		case protocol.CodeInvalid, protocol.CodeForbidden, protocol.CodeInternal:
			rt.cfg.Trouble(fmt.Errorf("%s was refused (%s): %s", no.Draft.Payload.Type(), no.Code, no.Message))
		}
	}
	rt.dropSpooled(r.Confirmed().Seen(rt.cfg.Client))
	if r.Online() && !rt.online {
		rt.online = true
		r.SetPresence(rt.presence)
	}
}

// connectionLost notes that the presence must be sent again on the next connection.
func (rt *Runtime) connectionLost(err error) {
	_ = rt.session.With(func(*replica.Replica) error {
		rt.online = false
		return nil
	})
	rt.cfg.Trouble(err)
}

// spool adds an appended event to the spool. An error loses nothing while the runtime lives,
// so it is only reported, once until spooling works again. It is called with the session's
// replica.
func (rt *Runtime) spool(d event.Draft) {
	if rt.cfg.Spool == nil {
		return
	}
	err := rt.cfg.Spool.Keep(d)
	if err != nil && !rt.spoolFailed {
		rt.cfg.Trouble(fmt.Errorf("events that the room does not have are lost if the runtime is killed: %w", err))
	}
	rt.spoolFailed = err != nil
}

// dropSpooled removes acknowledged events from the spool. It is called with the session's
// replica.
func (rt *Runtime) dropSpooled(seen uint64) {
	if rt.cfg.Spool == nil || seen == rt.spooled {
		return
	}
	rt.spooled = seen
	if err := rt.cfg.Spool.Drop(seen); err != nil {
		rt.cfg.Trouble(err)
	}
}

// Run serves the notebook until ctx ends, the runtime was not used for the idle time, or the
// log ends the runtime. In the first two cases it stops the current run, appends the stop of
// the runtime, and returns nil if the room has acknowledged it; in the last it returns
// [ErrDisplaced] or [ErrStopped]. Any other error says that the room refused the connection.
// Run closes the engines, and can be called once.
func (rt *Runtime) Run(ctx context.Context) error {
	if !rt.started.CompareAndSwap(false, true) {
		return errors.New("a runtime runs once")
	}
	link, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	var linked sync.WaitGroup
	linked.Go(func() { _ = rt.session.Run(link) }) // waiting calls of the session get its error
	err := rt.serve(ctx)
	hangUp()
	linked.Wait()
	closed := rt.cfg.Engines.Close()
	rt.serving.Wait()
	if closed != nil {
		return errors.Join(err, fmt.Errorf("close the engines: %w", closed))
	}
	return err
}

func (rt *Runtime) serve(ctx context.Context) error {
	if err := rt.attach(ctx); err != nil {
		if ctx.Err() != nil {
			return nil // ctx ended before the runtime had started
		}
		return fmt.Errorf("attach runtime %s: %w", rt.cfg.Runtime, err)
	}
	life, end := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	rt.comms.start(life)
	watching.Go(func() { end(rt.watch(life)) })
	watching.Go(func() { rt.serveCalls(life) })
	watching.Go(func() { rt.unloadIdle(life) })
	why := rt.work(life)
	end(nil)
	watching.Wait()
	rt.comms.finish()
	return errors.Join(rt.closeEngines(ctx, why), rt.leave(ctx, why))
}

// closeEngines closes the engines of a runtime that stops, and appends the last outputs of
// their programs.
func (rt *Runtime) closeEngines(ctx context.Context, why error) error {
	var err error
	if ctx.Err() != nil && !isOver(why) {
		err = rt.cfg.Engines.Close()
	}
	rt.flushLate()
	if err != nil {
		return fmt.Errorf("close the engines: %w", err)
	}
	return nil
}

// work executes runs until there is a reason to stop, and returns it.
func (rt *Runtime) work(life context.Context) error {
	rt.active = rt.cfg.Now()
	for {
		run, err := rt.claim(life)
		switch {
		case life.Err() != nil:
			return context.Cause(life)
		case errors.Is(err, errIdle):
			err = rt.stopIdle(life)
		case err == nil:
			rt.execute(life, &run)
		}
		if err != nil {
			return err
		}
		rt.active = rt.cfg.Now()
	}
}

// randomName returns a unique name: 20 random letters and digits.
func randomName() string {
	const letters = "abcdefghijklmnopqrstuvwxyz234567"
	name := make([]byte, 20)
	for i := range name {
		name[i] = letters[rand.IntN(len(letters))]
	}
	return string(name)
}

// Reasons why a runtime has ended. It does not start again by itself: its variables would
// not be those that users expect.
var (
	// ErrDisplaced says that another runtime took the place of this one.
	ErrDisplaced = errors.New("another runtime has taken this one's place")
	// ErrStopped says that a user stopped the runtime, or that its lease ended while it
	// was cut off.
	ErrStopped = errors.New("the runtime was stopped")

	// errIdle says that the runtime was not used for the idle time.
	errIdle = errors.New("the runtime was not used for the idle time")
)

// attach appends the start of the runtime, and gets its epoch from the log.
func (rt *Runtime) attach(ctx context.Context) error {
	if err := rt.session.Wait(ctx, (*replica.Replica).Online); err != nil {
		return err
	}
	started, err := rt.out.append(&event.RuntimeStarted{
		Runtime: rt.cfg.Runtime, Name: rt.cfg.Name, Takes: rt.cfg.Takes, Languages: rt.cfg.Engines.Languages(),
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
	listed := book.Runtime(rt.cfg.Takes)
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
			rt.unload(language, engine, fmt.Sprintf("the runtime was not used for %v", rt.cfg.Idle))
		}
	}
	err := rt.stop(ctx, event.StopIdle, fmt.Sprintf("the runtime was not used for %v", rt.cfg.Idle))
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
		return fmt.Errorf("the runtime has stopped, and its room did not acknowledge that: %w", err)
	}
	return nil
}

// claim waits for a run that the log assigns to this runtime, and returns it. It returns
// errIdle when there was neither a run nor a connected user for the idle time.
func (rt *Runtime) claim(ctx context.Context) (run notebook.Run, err error) {
	given := func(r *replica.Replica) bool {
		rt.noteUsers(r)
		return rt.assigned(r, &run)
	}
	if rt.cfg.Idle == 0 {
		return run, rt.session.Wait(ctx, given)
	}
	for {
		limited, cancel := context.WithTimeout(ctx, rt.cfg.Idle-rt.cfg.Now().Sub(rt.active))
		err := rt.session.Wait(limited, given)
		ended := limited.Err() != nil
		cancel()
		if err == nil || ctx.Err() != nil || !ended {
			return run, err
		}
		if rt.noteUsersNow(); rt.cfg.Now().Sub(rt.active) >= rt.cfg.Idle {
			return run, errIdle
		}
	}
}

// assigned returns the run that the log has assigned to this runtime and that it has not
// finished. It asks the view too, in which the end of the run may be pending.
func (rt *Runtime) assigned(r *replica.Replica, run *notebook.Run) bool {
	if rt.whyOver(r) != nil {
		return false
	}
	book := r.Confirmed()
	for _, id := range book.Queue() {
		held := book.Run(id)
		if held.State != notebook.RunAssigned || held.Epoch != rt.epoch {
			continue
		}
		if seen := r.View().Run(id); seen == nil || seen.State != notebook.RunAssigned {
			continue
		}
		*run = *held
		rt.elsewhere = book.OutputSize(held.Cell)
		run.Language = rt.language(book, held.Language, held.Cell)
		return true
	}
	return false
}

// noteUsers notes whether users are connected: a user who is connected, or has just left,
// may be about to run a cell.
func (rt *Runtime) noteUsers(r *replica.Replica) {
	had := rt.hasUsers
	rt.hasUsers = rt.usersConnected(r)
	if had || rt.hasUsers {
		rt.active = rt.cfg.Now()
	}
}

func (rt *Runtime) noteUsersNow() {
	_ = rt.session.With(func(r *replica.Replica) error {
		rt.noteUsers(r)
		return nil
	})
}

// usersConnected reports whether other members are connected.
func (rt *Runtime) usersConnected(r *replica.Replica) bool {
	for client := range r.Peers() {
		if client != rt.cfg.Client {
			return true
		}
	}
	return false
}

// language returns the language of a source: the named one, if any, else that of its cell. An assistant has one.
func (rt *Runtime) language(book *notebook.Notebook, named string, cell event.CellID) string {
	if rt.cfg.Takes == event.TakesAI {
		return rt.cfg.Language
	}
	if named != "" {
		return named
	}
	if c := book.Cell(cell); c != nil && c.Kind == event.KindSQL {
		return names.SQL
	}
	return rt.cfg.Language
}
