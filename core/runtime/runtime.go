// Package runtime executes a notebook: a runtime attaches itself to a notebook as a replica, takes
// the runs of its code cells in their order, executes them with its engines, and
// states what they produce.
//
// It promises that a run finishes after its last output, that a run which another
// runtime may have taken is never executed, that a cancelled run ends within the
// grace and leaves the next one alone, and that what waits to be stored is
// bounded: a program that prints more than the room takes is held back. It goes on
// while the room is away. Who starts it, with which engines, and how it reaches
// the room is left to its host. spec/execution.md has the rules.
package runtime

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

// Config is what a runtime needs. Dial and Engines are required.
type Config struct {
	// Dial opens a connection to the room, as in [replica.SessionConfig].
	Dial func(context.Context) (protocol.Conn, error)
	// Client and Runtime name this one session of the runtime, and must be new:
	// random names if empty.
	Client  event.ClientID
	Runtime event.RuntimeID
	// Name is what people see.
	Name string
	// Engines is closed when Run returns.
	Engines *lang.Set
	// Language is that of code cells that name none; "python" if empty.
	Language string
	// Idle is after how long without a run and without company the runtime stops
	// by itself; never if 0.
	Idle time.Duration
	// Now is the clock that Idle is measured by; time.Now if nil.
	Now func() time.Time
	// Grace is how long an engine may take to stop its program, or to kill it,
	// before it is closed, and how long the room may take to hear that the runtime
	// leaves; 5 s if 0. It should be longer than the engines' own.
	Grace time.Duration
	// RunTimeout is how long a run may take, with what it waits for input; there is no
	// limit if 0.
	RunTimeout time.Duration
	// InputTimeout is how long a program that asks for input waits for a person; 1 h if
	// 0, and as long as it takes if negative.
	InputTimeout time.Duration
	// Unattended says that nobody can be asked for input. A program that asks is told so.
	Unattended bool
	Limits     Limits
	// Artifacts takes what is too large for the log. Without it such a value is left out,
	// with a notice in its place, and of a long text all but its beginning and its end.
	Artifacts artifact.Store
	// Scratch makes files for text that waits to be put into Artifacts, which needs it.
	Scratch func(Waiting) (Scratch, error)
	// Spool keeps what is stated until the room has it; nothing does if nil.
	Spool Spool
	// Limited is told of a run that is ended for what it produces, or has more left out of what
	// comes late, with the limit and its value. It must not block, nor call the runtime.
	Limited func(run event.RunID, limit, value string)
	// Progress is told how an engine is being loaded. It must not block.
	Progress func(language string, p lang.Progress)
	// Trouble is told of connections that were lost, and of events that the room
	// refused as malformed. It must not block, nor call the runtime.
	Trouble func(error)
}

// maxClient is what of a name remains for the client, so that an output's id,
// which begins with it, is a name as well.
const maxClient = event.MaxName - len("-o") - 20

func (c *Config) setDefaults() {
	c.Client = orElse(c.Client, event.ClientID(randomName()))
	c.Runtime = orElse(c.Runtime, event.RuntimeID(randomName()))
	c.Language = orElse(c.Language, "python")
	c.Grace = orElse(c.Grace, 5*time.Second)
	c.InputTimeout = orElse(c.InputTimeout, defaultInputTimeout)
	c.Limits.setDefaults(c.Artifacts != nil)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Limited == nil {
		c.Limited = func(event.RunID, string, string) {}
	}
	if c.Progress == nil {
		c.Progress = func(string, lang.Progress) {}
	}
	if c.Trouble == nil {
		c.Trouble = func(error) {}
	}
}

func orElse[T comparable](v, or T) T {
	var zero T
	if v == zero {
		return or
	}
	return v
}

// check reports all that is wrong at once.
func (c *Config) check() error {
	errs := []error{event.CheckName("client", string(c.Client)), event.CheckName("runtime", string(c.Runtime))}
	if c.Dial == nil {
		errs = append(errs, errors.New("it needs a way to its room"))
	}
	if c.Engines == nil {
		errs = append(errs, errors.New("it needs a set of engines"))
	}
	if c.Artifacts != nil && c.Scratch == nil {
		errs = append(errs, errors.New("it needs a place for text that waits to become an artifact"))
	}
	if len(c.Client) > maxClient {
		errs = append(errs, fmt.Errorf("client is %d bytes, at most %d fit", len(c.Client), maxClient))
	}
	return errors.Join(errs...)
}

// Runtime serves one notebook. It executes one run at a time.
type Runtime struct {
	cfg     Config
	session *replica.Session
	out     *writer
	comms   *comms
	started atomic.Bool
	inputs  atomic.Uint64  // how many ids of inputs were given
	outputs atomic.Uint64  // and of outputs
	serving sync.WaitGroup // the calls that are being answered

	// Owned by Run, and unchanged once the runtime has started.
	epoch event.Epoch

	// Owned by Run.
	elsewhere int64     // bytes of outputs that the notebook had besides those of the run's cell
	active    time.Time // when something last ran, or somebody was here
	hasUsers  bool      // whether somebody is here

	lateMu sync.Mutex
	late   map[lang.Engine]*lateOutput

	// Owned by whoever has the session's replica.
	presence    protocol.Presence
	online      bool // whether the room was told of the presence
	refusal     string
	spooled     uint64 // up to where the spool was dropped
	spoolFailed bool   // the last event could not be spooled
	// questions are those that programs wait on.
	questions map[event.InputID]*question
}

// New returns a runtime, which does nothing before Run.
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

// Run serves the notebook until ctx ends, nobody has used the runtime for the idle
// time, or it is not the notebook's runtime any more. In the first two cases it
// stops what runs, tells the room, and returns nil if the room has heard it; in the
// last it returns [ErrDisplaced] or [ErrStopped]. Any other error says that the
// room refused the connection. It closes the engines, and can be called once.
func (rt *Runtime) Run(ctx context.Context) error {
	if !rt.started.CompareAndSwap(false, true) {
		return errors.New("a runtime runs once")
	}
	link, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	var linked sync.WaitGroup
	linked.Go(func() { _ = rt.session.Run(link) }) // all who wait for the session get its error
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
			return nil // it was told to stop before it had begun
		}
		return fmt.Errorf("attach runtime %s: %w", rt.cfg.Runtime, err)
	}
	life, end := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	rt.comms.start(life)
	watching.Go(func() { end(rt.watch(life)) })
	watching.Go(func() { rt.serveCalls(life) })
	why := rt.work(life)
	end(nil)
	watching.Wait()
	rt.comms.finish()
	return errors.Join(rt.closeEngines(ctx, why), rt.leave(ctx, why))
}

// closeEngines closes the engines of a runtime that has to stop, and states what their
// programs had to say up to their ends.
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

// work takes and executes runs until there is a reason to stop, and returns it.
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

// randomName returns a name that nothing else has: 20 letters and digits.
func randomName() string {
	const letters = "abcdefghijklmnopqrstuvwxyz234567"
	name := make([]byte, 20)
	for i := range name {
		name[i] = letters[rand.IntN(len(letters))]
	}
	return string(name)
}
