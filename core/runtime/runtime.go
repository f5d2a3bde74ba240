// Package runtime executes a notebook: a runtime attaches itself to the room as a replica,
// takes the runs of code cells in order, executes them with its engines, and appends their
// outputs.
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

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

// Config configures a runtime. Dial and Engines are required.
type Config struct {
	// Dial opens a connection to the room, as in [replica.SessionConfig].
	Dial func(context.Context) (protocol.Conn, error)
	// Client and Runtime are ids of this session, and must be new; random if empty.
	Client  event.ClientID
	Runtime event.RuntimeID
	// Name is shown to users.
	Name string
	// Engines is closed when Run returns.
	Engines *lang.Set
	// Language is the language of code cells that name none; "python" if empty.
	Language string
	// Idle is the time without a run or a connected user after which the runtime stops by
	// itself; never if 0.
	Idle time.Duration
	// Now is the clock that measures Idle; time.Now if nil.
	Now func() time.Time
	// Grace is how long an engine may take to stop or kill its program before it is closed,
	// and how long the room may take to acknowledge the stop of the runtime; 5 s if 0. It
	// should be longer than the engines' own.
	Grace time.Duration
	// RunTimeout is how long a run may take, including waits for input; no limit if 0.
	RunTimeout time.Duration
	// InputTimeout is how long a program waits for an answer of a user; 1 h if 0, and no
	// limit if negative.
	InputTimeout time.Duration
	// Unattended says that no user can answer questions. A program that asks gets an error.
	Unattended bool
	Limits     Limits
	// Artifacts stores outputs that are too large for the log. Without it a notice replaces
	// such a value, and a long text is cut to its beginning and end.
	Artifacts artifact.Store
	// Scratch makes files for text that waits to be stored; Artifacts requires it.
	Scratch func(Waiting) (Scratch, error)
	// Spool keeps appended events until the room has acknowledged them, if not nil.
	Spool Spool
	// Limited is called when the output of a run exceeds a limit, which ends the run or drops
	// its late output. It must not block, nor call the runtime.
	Limited func(run event.RunID, limit, value string)
	// Progress is called while an engine is being loaded. It must not block.
	Progress func(language string, p lang.Progress)
	// Trouble is called with errors of connections, and for events that the room refused as
	// malformed. It must not block, nor call the runtime.
	Trouble func(error)
}

// maxClient is the longest client id, such that an output's id, which begins with it, is a
// valid name.
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

// check returns all errors at once.
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
	inputs  atomic.Uint64  // the number of input ids so far
	outputs atomic.Uint64  // the number of output ids so far
	serving sync.WaitGroup // of calls being answered

	// Owned by Run, and unchanged once the runtime has started.
	epoch event.Epoch

	// Owned by Run.
	elsewhere int64     // bytes of the notebook's outputs besides those of the run's cell
	active    time.Time // when a run last ended, or a user was connected
	hasUsers  bool      // users are connected

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
