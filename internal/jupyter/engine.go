// Package jupyter makes an engine of any Jupyter kernel: it finds the kernels that
// are installed, starts one, and speaks the messaging protocol 5.x with it
// (jupyter-client.readthedocs.io/en/stable/messaging.html) over our own client of
// ZeroMQ's wire protocol.
//
// It promises the contract of package lang, as far as a kernel lets it: an execution
// ends when the kernel has both replied and said that it is idle, what its process
// writes outside the protocol is shown too, a kernel that prints more than is taken
// is stopped meanwhile and loses nothing, and one that dies, hangs or does not stop
// is ended with all that it has started. Its messages are signed, and what is not
// signed, or comes twice, is dropped. What the kernel publishes has a place each: text,
// values, errors and clears are outputs, a status and execute_input say how far the run
// is, and comms go to their objects; of a reply the payloads page, set_next_input and
// edit_magic are shown, and ask_exit ends the program. Only debug_event has none: no
// debugger is attached, so no kernel sends one. Which kernel executes which notebook is
// left to whoever makes the engine.
package jupyter

import (
	"encoding/json"
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
	// Grace is how long a program may take to stop when it is told to, and the kernel
	// to end; 3 s if 0.
	Grace  time.Duration
	Limits Limits

	// MaxMessage bounds the bytes of a message of the kernel: a larger one is left out, and
	// said to be. 0 means 64 MiB.
	MaxMessage int64

	// Start starts the kernel, which shares the folder of its connection with us; nil
	// means as a process of ours.
	Start proc.Starter
	// Offline says that what Start starts cannot be reached through the network: only
	// kernels that listen on Unix sockets can be used then.
	Offline bool
}

// Engine executes one language with a kernel. See [lang.Engine] for which methods may
// be called when.
type Engine struct {
	config Config
	// patience is how long the second of the two ends of a run may take after the first,
	// silence for how long the heart may not beat, and beatPause the time between two
	// looks at it.
	patience, silence, beatPause time.Duration

	mu      sync.Mutex
	info    lang.Info
	says    json.RawMessage // of its language, as it is in files
	link    *link
	ready   bool
	closed  bool
	killed  string // why we ended the kernel, if we did
	dead    error
	run     *run                // that goes on
	waiting map[string]*waiting // for replies, by the id of the request
	rested  time.Time           // when the last run ended
	lively  bool                // the heart beats during runs too
	comms   comms
	deaf    bool // no request on control is answered during a run

	draining atomic.Pointer[lang.Deadline] // is told what comes; nil if nobody waits for the end

	gone chan struct{} // closed when the kernel has ended and all is let go of

	// Owned by the goroutine that handles what comes.
	past  past
	words words
}

var _ lang.Engine = (*Engine)(nil)

// errExited is why an engine cannot be used after the program ended the kernel.
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
		config: cfg, patience: replyTime, silence: silence, beatPause: beatPause, info: lang.Info{Language: cfg.Kernel.Language},
		waiting: map[string]*waiting{}, comms: newComms(), gone: make(chan struct{}),
	}, nil
}

// Info implements lang.Engine. All but the language is known after Load.
func (e *Engine) Info() lang.Info {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.info
}

// LanguageInfo returns what the kernel says of its language in the form in which files have it,
// nil before Load.
func (e *Engine) LanguageInfo() json.RawMessage {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.says
}

// unfitLocked says why nothing can be asked of the kernel now.
func (e *Engine) unfitLocked() error {
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

// kill ends the kernel at once and keeps the reason for the error of the run.
func (e *Engine) kill(reason string) {
	e.mu.Lock()
	if e.killed == "" {
		e.killed = reason
	}
	l := e.link
	e.mu.Unlock()
	l.process.kill()
}

// Close implements lang.Engine. A kernel between runs is asked to end, and may take
// the grace for it; one in a run is killed.
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
		_, _ = l.send(control, "shutdown_request", nil, map[string]bool{"restart": false}) // else it is killed
	}
	l.process.end(grace)
	if !busy { // else the sink may hold up who handles what comes
		<-e.gone
	}
	return nil
}

// die ends everything once the kernel has ended, and says why.
func (e *Engine) die(l *link) {
	reason := l.process.reason()
	_ = l.close() // a folder that stays harms nobody
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.killed != "":
		e.dead = fmt.Errorf("%w: the kernel %s was killed: %s", lang.ErrDied, e.config.Kernel.Name, e.killed)
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
		if r.isGone() { // it was too quick to say that it is idle
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

// isClosed reports whether the engine was closed.
func (e *Engine) isClosed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
}
