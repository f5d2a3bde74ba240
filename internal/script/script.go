// Package script executes languages in child processes that speak the engine protocol of spec/engine-protocol.md.
//
// An [Engine] starts a command, and is the host's side of the protocol. The command is an interpreter of the user with
// a driver that is embedded in the binary ([Languages] is the table of those), or any program that a user has named.
// Nothing is installed into an interpreter.
//
// Text that a program prints through its language comes as messages, in one order with everything else. Bytes written to
// descriptors 1 and 2 past the language, by subprocesses and native code, come through pipes: all that were written
// before the end of a run are delivered before Execute returns, in their own order. Later ones belong to the executing
// run, or else to the last.
//
// Everything is bounded: the length of a message, the time of a call, and by back-pressure the output that waits. A
// process that breaks the protocol is killed with an error that names the line.
package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/pipehost"
	"github.com/quirehq/quire/internal/proc"
)

// Placeholders in a command for the driver: its source as an argument, and the path of a file with it.
const (
	driverInline = "{driver}"
	driverByFile = "{driver-file}"
)

// Pipes says which descriptors an engine uses.
type Pipes int

// The descriptors of an engine.
const (
	Stdio       Pipes = iota // requests on stdin, messages on stdout
	Descriptors              // requests on 3, messages on 4; stdout and stderr are the program's
)

// String returns the protocol's name.
func (p Pipes) String() string {
	if p == Descriptors {
		return "fds"
	}
	return "stdio"
}

// Config is the configuration of an engine.
type Config struct {
	// Info describes the engine until it has said more itself. The language is needed.
	Info lang.Info

	// Command is the program, a path or a name to look for in PATH, and its arguments. An argument {driver} becomes
	// the source of the driver, and {driver-file} the path of a file with it.
	Command []string

	// Driver is the source of the driver; empty if the command needs none.
	Driver string

	// Pipes are the descriptors. A driver by file needs Descriptors.
	Pipes Pipes

	// Dir is the working directory of programs; empty means the current directory.
	Dir string

	// Env is the whole environment, "key=value" each; nil means our own.
	Env []string

	// Translate, if not nil, returns what the engine executes of a source, which has that name in errors. A source with an
	// error is not executed.
	Translate func(name, source string) (Translation, *engineproto.Error)

	// Limits bound the resources of the process.
	Limits Limits

	// Start starts the process; nil starts a child process.
	Start proc.Starter

	// Grace bounds the time between an interrupt and the kill of the process; 0 means three seconds.
	Grace time.Duration
}

// Limits bound the resources of a process.
type Limits = proc.Limits

// Translation is what an engine executes of a source in a language that is not its own.
type Translation struct {
	Source string
	Map    json.RawMessage // a source map, version 3, from it to the source of the user
}

// Engine is one process that speaks the protocol. It implements lang.Engine.
type Engine struct {
	config   Config
	path     string        // of the program
	token    string        // of the marks
	patience time.Duration // bound of a call
	turn     chan struct{} // full during a call between runs

	mu        sync.Mutex
	info      lang.Info
	hello     *engineproto.Hello // nil before the engine has said it
	process   *pipehost.Process  // nil before Load
	requests  *requestWriter
	current   task  // the zero task between runs
	begun     bool  // the engine has begun it, and takes interrupts
	wanted    bool  // an interrupt waits for that
	resending bool  // a goroutine sends the signal again
	call      *call // the open call between runs, nil if there is none
	calls     int   // number of the last call
	question  int   // the open question, if asks is set
	asks      bool
	closed    bool
	killed    string // why the process was killed, if it was
	dead      error  // set once it has ended
	asked     task   // the last interrupted one
	askedAt   time.Time

	// Owned by the goroutine that loads or executes.
	runs   int // number of the last run
	count  int // of runs since the last reset
	merge  *merge
	reader *pipehost.Idle
	sinks  sinks
}

// interruptDedup is the time in which several interrupts of one run count as one.
const interruptDedup = 10 * time.Millisecond

// New finds the program. It starts no process: Load does.
func New(config Config) (*Engine, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	path, err := lookPath(config.Command[0], config.Env, config.Dir)
	if err != nil {
		return nil, fmt.Errorf("find the program of %s: %w", config.Info.Language, err)
	}
	if config.Grace == 0 {
		config.Grace = 3 * time.Second
	}
	return &Engine{
		config: config, path: path, token: pipehost.NewToken(), patience: patience, turn: make(chan struct{}, 1), info: config.Info,
	}, nil
}

// check returns what is wrong with a configuration.
func (c *Config) check() error {
	switch {
	case c.Info.Language == "":
		return errors.New("an engine needs the name of its language")
	case len(c.Command) == 0 || c.Command[0] == "":
		return fmt.Errorf("the engine of %s has no command", c.Info.Language)
	case c.Pipes == Stdio && slices.Contains(c.Command, driverByFile):
		return errors.New("a driver by file needs the descriptors mode")
	}
	return c.Limits.Check(c.Info.Language)
}

// lookPath finds a program in the PATH of an environment. A relative path is relative to the folder.
func lookPath(name string, environ []string, dir string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		path, err := filepath.Abs(name)
		if err != nil {
			return "", err
		}
		return exec.LookPath(path)
	}
	if environ == nil {
		return exec.LookPath(name)
	}
	for _, folder := range filepath.SplitList(variable(environ, "PATH")) {
		if !filepath.IsAbs(folder) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// variable returns the value of a variable; the last one counts.
func variable(environ []string, name string) string {
	for _, entry := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// Info implements lang.Engine.
func (e *Engine) Info() lang.Info {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.info
}

// Load implements lang.Engine: it starts the process and waits until the engine is ready.
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
	if progress == nil {
		progress = func(lang.Progress) {}
	}
	progress(lang.Progress{Text: "starting " + e.path})
	process, err := startProcess(e.path, &e.config)
	if err != nil {
		return fmt.Errorf("start %s: %w", e.path, err)
	}
	if !e.adopt(process) {
		process.End(0)
		return lang.ErrClosed
	}
	return e.handshake(ctx, progress)
}

// adopt sets the engine's process, unless the engine was closed meanwhile.
func (e *Engine) adopt(process *pipehost.Process) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	e.process, e.requests = process, newRequestWriter(process)
	process.Go(func() { e.requests.run(process.Quit()) })
	return true
}

// handshake waits for the engine's first message.
func (e *Engine) handshake(ctx context.Context, progress func(lang.Progress)) error {
	stop := context.AfterFunc(ctx, func() { e.kill(context.Cause(ctx).Error()) })
	defer stop()
	e.merge = newMerge(e.process, e.token)
	for {
		m, err := e.merge.Next(nil, sinkOutput{sinks: &e.sinks})
		if err != nil {
			return fmt.Errorf("start %s: %w", e.path, errors.Join(e.die(err), e.sinks.early.problem()))
		}
		switch m := m.(type) {
		case *engineproto.Progress:
			progress(lang.Progress{Text: m.Text, Done: m.Done, Total: m.Total})
		case *engineproto.Hello:
			return e.greet(m)
		default:
			sinkOutput{sinks: &e.sinks}.message(m)
		}
	}
}

// greet takes what the engine says of itself.
func (e *Engine) greet(hello *engineproto.Hello) error {
	if problem := checkHello(hello); problem != nil {
		e.kill(problem.Error())
		return fmt.Errorf("start %s: %w", e.path, problem)
	}
	e.mu.Lock()
	e.hello = hello
	e.info.Version = hello.Version
	if hello.Extension != "" {
		e.info.Extension = hello.Extension
	}
	if hello.MIME != "" {
		e.info.MIME = hello.MIME
	}
	e.info.LosesState = hello.Interrupt == engineproto.Never
	e.mu.Unlock()
	if err := e.release(); err != nil {
		return e.die(err)
	}
	return nil
}

// checkHello returns why this host cannot use an engine.
func checkHello(m *engineproto.Hello) error {
	if m.Protocol != engineproto.Version {
		return fmt.Errorf("it speaks version %d of the engine protocol, and this Quire speaks version %d", m.Protocol, engineproto.Version)
	}
	switch m.Interrupt {
	case engineproto.BySignal, engineproto.ByMessage, engineproto.Never:
		return nil
	}
	return fmt.Errorf("its hello has the interrupt %q: it must be signal, message or none", m.Interrupt)
}

// release ends the current run, if there is one, and starts the reader between runs. No interrupt is sent to the run
// afterwards. It fails when the process was closed or killed just as the run ended.
func (e *Engine) release() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.current, e.asks, e.begun, e.wanted = task{}, false, false, false
	if e.closed || e.killed != "" {
		return pipehost.ErrStopped
	}
	e.reader = e.idle()
	return nil
}

// Interrupt implements lang.Engine. Several within ten milliseconds count as one. An engine that cannot be interrupted
// is killed after the grace, unless its run has ended.
func (e *Engine) Interrupt() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || e.current == (task{}) || e.asked == e.current && time.Since(e.askedAt) < interruptDedup {
		return nil
	}
	e.asked, e.askedAt = e.current, time.Now()
	if e.current == starting || e.hello.Begins && e.current.run != 0 && !e.begun {
		e.wanted = true
		return nil
	}
	return e.interruptLocked(e.current)
}

// interruptLocked asks the engine to stop a run or a call.
func (e *Engine) interruptLocked(t task) error {
	e.wanted = false
	switch e.hello.Interrupt {
	case engineproto.BySignal:
		err := e.process.Signal(syscall.SIGINT)
		if e.asks { // the read of some languages goes on after a signal
			e.requests.put(&engineproto.Answer{ID: e.question, End: true, Interrupted: true})
		}
		if !e.hello.Begins && !e.resending {
			e.resending = true
			e.process.Go(func() { e.resendSignal(t) })
		}
		return err
	case engineproto.ByMessage:
		e.requests.put(&engineproto.Interrupt{Run: t.run, ID: t.call})
	case engineproto.Never:
		e.process.Go(func() { e.killAfterGrace(t) })
	}
	return nil
}

// noteBegun notes that the engine has begun a run, and from now on takes signals for it.
func (e *Engine) noteBegun(run int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.current.run != run || e.closed {
		return
	}
	e.begun = true
	if e.wanted {
		_ = e.interruptLocked(e.current) // fails if the process has ended
	}
}

const (
	firstResend = 250 * time.Millisecond
	lastResend  = 2 * time.Second
)

// resendSignal sends the signal again until the run ends. An engine that does not say when it begins a run may have had
// the first signal before that.
func (e *Engine) resendSignal(t task) {
	for pause := firstResend; e.isStill(t, pause); pause = min(2*pause, lastResend) {
		_ = e.process.Signal(syscall.SIGINT) // fails if the process has ended
	}
	e.mu.Lock()
	e.resending = false
	e.mu.Unlock()
}

// isStill waits, and reports whether a task is still going on.
func (e *Engine) isStill(t task, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-e.process.Quit():
		return false
	case <-e.process.Exited():
		return false
	case <-timer.C:
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.current == t
}

// killAfterGrace kills the process unless a run ends within the grace.
func (e *Engine) killAfterGrace(t task) {
	if e.isStill(t, e.config.Grace) {
		e.kill(fmt.Sprintf("it cannot be interrupted, and did not end within %v", e.config.Grace))
	}
}

// Close implements lang.Engine. A process between runs may end by itself within the grace; one in a run is killed.
func (e *Engine) Close() error {
	e.mu.Lock()
	process, running, grace := e.process, e.current != task{}, e.config.Grace
	e.closed = true
	e.mu.Unlock()
	switch {
	case process == nil:
	case running:
		process.End(0)
	default:
		process.End(grace)
	}
	return nil
}

// kill kills the process and keeps the reason for the error of the run.
func (e *Engine) kill(reason string) {
	e.mu.Lock()
	if e.killed == "" {
		e.killed = reason
	}
	process := e.process
	e.mu.Unlock()
	process.Kill()
}

// die marks the engine as dead, ends its run, and returns the reason.
func (e *Engine) die(err error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.current, e.asks, e.begun, e.wanted = task{}, false, false, false
	if e.killed != "" {
		e.dead = fmt.Errorf("%w: %s was %w: %s", lang.ErrDied, e.info.Language, lang.ErrKilled, e.killed)
	} else {
		e.dead = fmt.Errorf("%w: %s ended: %w", lang.ErrDied, e.info.Language, err)
	}
	if e.closed {
		return lang.ErrClosed
	}
	return e.dead
}
