// Package jupyter makes an engine of any Jupyter kernel: it finds the kernels that
// are installed, starts one, and speaks the messaging protocol 5.x with it
// (jupyter-client.readthedocs.io/en/stable/messaging.html) over our own client of
// ZeroMQ's wire protocol.
//
// It promises the contract of package lang, within the limits of kernels. An execution ends
// when the kernel has both replied and reported that it is idle. Output that its process
// writes outside the protocol is shown too. A kernel that prints faster than its output is
// consumed is stopped meanwhile, and loses nothing. A kernel that dies, hangs or does not stop
// is killed with all processes that it has started. Messages are signed; unsigned and repeated
// ones are dropped. All published messages but debug_event are handled: text, values, errors
// and clears are outputs, status and execute_input are the progress of the run, and comms go
// to their objects. The payloads page, set_next_input and edit_magic of a reply are shown, and
// ask_exit ends the program. No kernel sends debug_event, since no debugger is attached. The
// caller chooses which kernel executes which notebook.
package jupyter

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/proc"
)

// Config says which kernel to start, and how.
type Config struct {
	Kernel Kernel
	Dir    string   // where programs start; the current directory if empty
	Env    []string // their environment; ours if nil
	// Grace bounds the time in which a program has to stop after an interrupt, and the kernel after
	// a shutdown request; 3 s if 0.
	Grace  time.Duration
	Limits Limits

	// MaxMessage bounds the bytes of a message of the kernel: a larger one is dropped, and the
	// output says so. 0 means 64 MiB.
	MaxMessage int64

	// Start starts the kernel, with access to the folder of its connection; nil starts a child
	// process.
	Start proc.Starter
	// Offline says that the kernel has no network where Start starts it: only kernels that listen
	// on Unix sockets can be used then.
	Offline bool
}

// Limits bound the resources of a kernel; the processor time is the sum over all runs.
type Limits = proc.Limits

// Engine executes one language with a kernel. See [lang.Engine] for which methods may
// be called when.
type Engine struct {
	config Config
	// patience bounds the time between the two ends of a run, the reply and the idle status.
	// heartbeatTimeout is the longest time without an answer to a heartbeat, and heartbeatInterval
	// the time between two heartbeats.
	patience, heartbeatTimeout, heartbeatInterval time.Duration

	mu            sync.Mutex
	info          lang.Info
	link          *link
	ready         bool
	closed        bool
	killed        string // why the engine killed the kernel, if it did
	dead          error
	run           *run                // the current one, nil between runs
	waiting       map[string]*waiting // callers that wait for replies, by the id of the request
	rested        time.Time           // when the last run ended
	beatsInRuns   bool                // the kernel answers heartbeats during runs
	comms         comms
	controlSilent bool // the kernel does not answer on control during a run

	draining atomic.Pointer[lang.Deadline] // restarted by output; nil unless Drain waits

	gone chan struct{} // closed when the kernel has ended and everything is released

	// Owned by the goroutine of handle.
	ended endedRuns
	words words
}

var _ lang.Engine = (*Engine)(nil)

// errExited is the error of an engine whose program ended the kernel.
var errExited = fmt.Errorf("%w: the program ended itself", lang.ErrDied)

// New returns an engine. It starts no process: Load does.
func New(cfg Config) (*Engine, error) {
	if err := cfg.Limits.Check("a kernel"); err != nil {
		return nil, err
	}
	if cfg.Kernel.Fault != nil {
		return nil, fmt.Errorf("the kernel %s cannot be used: %w", cfg.Kernel.Name, cfg.Kernel.Fault)
	}
	if len(cfg.Kernel.Argv) == 0 {
		return nil, errors.New("a jupyter engine needs a kernel")
	}
	if cfg.Grace == 0 {
		cfg.Grace = 3 * time.Second
	}
	return &Engine{
		config: cfg, patience: replyTime, heartbeatTimeout: heartbeatTimeout, heartbeatInterval: heartbeatInterval, info: lang.Info{Language: cfg.Kernel.Language},
		waiting: map[string]*waiting{}, comms: newComms(), gone: make(chan struct{}),
	}, nil
}

// Info implements lang.Engine. Only the language is known before Load.
func (e *Engine) Info() lang.Info {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.info
}

// unavailableLocked returns why the kernel can take no request now.
func (e *Engine) unavailableLocked() error {
	switch {
	case e.closed:
		return lang.ErrClosed
	case e.dead != nil:
		return e.dead
	case !e.ready:
		return fmt.Errorf("the kernel %s is not loaded", e.config.Kernel.Name)
	case e.run != nil:
		return lang.ErrBusy
	}
	return nil
}

// kill kills the kernel and keeps the reason for the error of the run.
func (e *Engine) kill(reason string) {
	e.mu.Lock()
	if e.killed == "" {
		e.killed = reason
	}
	l := e.link
	e.mu.Unlock()
	l.process.kill()
}

// Close implements lang.Engine. A kernel between runs gets a shutdown request and the grace to end;
// one in a run is killed.
func (e *Engine) Close() error {
	e.mu.Lock()
	l, busy := e.link, e.run != nil || !e.ready
	e.closed = true
	e.mu.Unlock()
	if l == nil {
		return nil
	}
	l.inbox.release()
	grace := e.config.Grace
	if busy {
		grace = 0
	} else {
		_, _ = l.send(control, "shutdown_request", nil, map[string]bool{"restart": false}) // if it fails, the kernel is killed
	}
	l.process.end(grace)
	if !busy { // in a run, the sink may block the goroutine of handle
		<-e.gone
	}
	return nil
}

// die fails the run and all requests once the kernel has ended.
func (e *Engine) die(l *link) {
	reason := l.process.reason()
	_ = l.close() // a folder that stays is harmless
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.killed != "":
		e.dead = fmt.Errorf("%w: the kernel %s was %w: %s", lang.ErrDied, e.config.Kernel.Name, lang.ErrKilled, e.killed)
	default:
		e.dead = fmt.Errorf("%w: the kernel %s ended: %w", lang.ErrDied, e.config.Kernel.Name, reason)
	}
	if last := e.words.String(); last != "" {
		e.dead = fmt.Errorf("%w; the last it wrote to stderr: %s", e.dead, last)
	}
	err := e.dead
	if e.closed {
		err = lang.ErrClosed
	}
	if r := e.run; r != nil {
		r.asking.end()
		if r.isGone() { // it ended before its idle status was sent
			r.done <- outcome{result: lang.Result{Count: r.number(), Exit: lang.ExitedGone}}
		} else {
			r.done <- outcome{err: err}
		}
		e.run = nil
	}
	for id, w := range e.waiting {
		w.fail(err)
		delete(e.waiting, id)
	}
	close(e.gone)
}

// isGone reports whether the program ended itself and its kernel.
func (r *run) isGone() bool {
	exit, _ := r.exit()
	return exit == lang.ExitedGone
}
