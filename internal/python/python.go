// Package python executes Python in a child process: the CPython that the user
// has, 3.9 or newer, with nothing installed into it.
//
// An Engine starts the interpreter with a small driver that is embedded in the
// binary. Sources and messages travel on descriptors of their own, so that
// nothing a program prints can be taken for a message; text travels in the pipes
// that are the child's descriptors 1 and 2, so that what Python, C code and
// subprocesses print is captured alike. Marks in those pipes keep text and
// messages in one order; merge.go has the reader's half of that, and
// driver/channel.py the writer's.
//
// What Python prints to stdout and stderr keeps its order, between threads too.
// What is written to descriptors 1 and 2 past Python's streams keeps its order
// within its own stream, and comes after what was printed before a subprocess was
// started, before a display that follows it, and before what a later run prints.
//
// What threads, tasks, callbacks and other processes print belongs to the run that has
// started them, also when that has ended: driver/owner.py and driver/pipes.py. What C code
// writes past Python belongs to the run that goes on, or else to the last. The process, with
// all that it started, ends with the engine.
//
// Cells are in the language of notebooks: magics, commands of the system, questions
// about names. What Python and IPython do alike Python does; at the first thing that
// IPython would do otherwise its own shell is loaded, if it is installed, and has the
// say in that from then on, while cells run as before. Without IPython the driver
// has the magics that most notebooks use.
//
// What a program reads with input, getpass or sys.stdin it asks the person for who
// started the run, from any thread while the run goes on; when nobody answers,
// input raises EOFError and sys.stdin is at its end. Subprocesses and C code read
// nothing. Between two runs the engine completes, inspects and lists variables by
// looking at the live names; this runs no code of the program but attributes and,
// within bounds, __repr__.
package python

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/proc"
)

// Config says which Python to run, and how. Its zero value is useful.
type Config struct {
	// Python is the interpreter: a path, or a name to look for in PATH. Empty
	// means that of VIRTUAL_ENV or CONDA_PREFIX if there is one, else python3 or
	// python in PATH.
	Python string

	// Dir is where programs start; empty means the current directory.
	Dir string

	// Env is the whole environment, "key=value" each; nil means our own.
	Env []string

	// Limits bound what the process may take.
	Limits Limits

	// Isolated has the interpreter read no module but those that are installed: none of
	// the folder where it starts, which is the root if Dir is empty, and none that a
	// variable names.
	Isolated bool

	// Start starts the interpreter; nil means as a process of ours.
	Start proc.Starter

	// Grace is how long code that is asked to stop may take before the process
	// is killed; 0 means three seconds.
	Grace time.Duration
}

// Engine is one Python process. It implements lang.Engine.
type Engine struct {
	config Config
	python string // the path of the interpreter

	patience time.Duration // with a query
	turn     chan struct{} // full while there is a query

	mu      sync.Mutex
	info    lang.Info
	process *process // nil before Load
	number  uint64   // of the last run or query
	run     uint64   // the run that goes on, 0 between runs
	query   *query   // that the driver has not replied to
	closed  bool
	mail    mail
	comms   lang.CommSink // between runs; nil for nowhere
	killed  string        // why the process was killed, if it was
	dead    error         // once it has ended
	asked   uint64        // the run that was interrupted last
	askedAt time.Time

	// Owned by the goroutine that loads or executes.
	count uint64 // of executions
	merge *merge
	idle  *idle
	sinks sinks
}

// oneInterrupt is how long several interrupts of one run count as one. Python
// handles a signal within a handler of the same signal: without a pause between
// them it would do nothing else.
const oneInterrupt = 10 * time.Millisecond

// New finds the interpreter. It starts no process: Load does.
func New(config Config) (*Engine, error) {
	if err := checkLimits(config.Limits); err != nil {
		return nil, err
	}
	python, err := find(config)
	if err != nil {
		return nil, err
	}
	if config.Grace == 0 {
		config.Grace = 3 * time.Second
	}
	return &Engine{
		config:   config,
		python:   python,
		patience: patience,
		turn:     make(chan struct{}, 1),
		info:     lang.Info{Language: "python", Extension: ".py", MIME: "text/x-python"},
	}, nil
}

// Info implements lang.Engine. The version is known after Load.
func (e *Engine) Info() lang.Info {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.info
}

// Load implements lang.Engine: it starts the process and waits until the driver
// is ready.
func (e *Engine) Load(ctx context.Context, progress func(lang.Progress)) error {
	e.mu.Lock()
	loaded, closed := e.process != nil, e.closed
	e.mu.Unlock()
	if closed {
		return lang.ErrClosed
	}
	if loaded {
		return nil
	}
	if progress != nil {
		progress(lang.Progress{Text: "starting " + e.python})
	}
	process, err := startProcess(e.python, e.config)
	if err != nil {
		return fmt.Errorf("start %s: %w", e.python, err)
	}
	if !e.adopt(process) {
		process.end(0)
		return lang.ErrClosed
	}
	return e.greet(ctx)
}

// adopt makes the process the engine's, unless the engine was closed meanwhile.
func (e *Engine) adopt(process *process) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	e.process = process
	return true
}

// greet sends the driver and waits for its first message.
func (e *Engine) greet(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { e.kill(context.Cause(ctx).Error()) })
	defer stop()
	setup, err := newSetup()
	if err != nil {
		return err
	}
	setup.shared = e.config.Start != nil // by a sandbox, which has processes of its own
	e.merge = newMerge(e.process, setup.token)
	writeErr := writeSetup(e.process.requests, setup)
	message, err := e.merge.next(nil, sinkOutput{sinks: &e.sinks})
	if err != nil {
		return fmt.Errorf("start %s: %w", e.python, errors.Join(e.die(err), e.sinks.early.problem()))
	}
	if err := checkVersion(message.Version, e.python); err != nil {
		e.kill(err.Error())
		return err
	}
	if writeErr != nil {
		return fmt.Errorf("send the driver to %s: %w", e.python, writeErr)
	}
	e.mu.Lock()
	e.info.Version = message.Version
	e.mu.Unlock()
	if err := e.rest(); err != nil {
		return e.die(err)
	}
	return nil
}

// rest ends a run, if there was one, and reads on between runs. No interrupt is
// sent to the run after this, so the driver has them all before the next request.
// It fails when the process was closed or killed just as the run ended.
func (e *Engine) rest() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.run = 0
	if e.closed || e.killed != "" {
		return errStopped
	}
	e.idle = watchIdle(e.merge, sinkOutput{sinks: &e.sinks}, e.between)
	e.postLocked()
	return nil
}

// Interrupt implements lang.Engine. Several within ten milliseconds count as one.
func (e *Engine) Interrupt() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.run == 0 || e.asked == e.run && time.Since(e.askedAt) < oneInterrupt {
		return nil
	}
	e.asked, e.askedAt = e.run, time.Now()
	return e.process.interrupt(e.run)
}

// Close implements lang.Engine. A process between runs may end by itself, with
// its atexit functions, for up to the grace; one in a run is killed.
func (e *Engine) Close() error {
	e.mu.Lock()
	process, running, grace := e.process, e.run != 0, e.config.Grace
	e.closed = true
	e.mu.Unlock()
	if process == nil {
		return nil
	}
	if running {
		process.end(0)
	} else {
		process.end(grace)
	}
	return nil
}

// kill ends the process at once and keeps the reason for the error of the run.
func (e *Engine) kill(reason string) {
	e.mu.Lock()
	if e.killed == "" {
		e.killed = reason
	}
	process := e.process
	e.mu.Unlock()
	process.kill()
}

// die ends a run, if there was one, for good, and says why.
func (e *Engine) die(err error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.run = 0
	if e.killed != "" {
		e.dead = fmt.Errorf("%w: python was killed: %s", lang.ErrDied, e.killed)
	} else {
		e.dead = fmt.Errorf("%w: python ended: %w", lang.ErrDied, err)
	}
	if e.closed {
		return lang.ErrClosed
	}
	return e.dead
}
