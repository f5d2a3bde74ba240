// Package python executes Python in a child process: the user's CPython, 3.9 or
// newer, with nothing installed into it.
//
// An Engine starts the interpreter with a small driver that is embedded in the
// binary. Sources and messages travel on descriptors of their own, so that
// nothing a program prints can be taken for a message; text travels in the pipes
// that are the child's descriptors 1 and 2, so that what Python, C code and
// subprocesses print is captured alike. Marks in those pipes keep text and
// messages in one order; package pipehost has the reader's half of that, and
// driver/channel.py the writer's.
//
// Text that Python prints to stdout and stderr keeps its order, between threads too.
// Text that is written to descriptors 1 and 2 past Python's streams keeps its order
// within its own stream. It comes after text printed before the subprocess was started,
// before a later display, and before the output of a later run.
//
// Output of threads, tasks, callbacks and child processes belongs to the run that started
// them, also after its end: driver/owner.py and driver/pipes.py. Output of C code past
// Python's streams belongs to the current run, or else to the last. The process and its
// descendants end with the engine.
//
// Cells are in the language of notebooks: magics, shell commands, and name? for help.
// Plain Python is executed without IPython. At the first input that IPython would
// handle differently its shell is loaded, if it is installed, and handles such input from
// then on; the driver still executes the cells. Without IPython the driver has the magics
// that most notebooks use.
//
// input, getpass and sys.stdin ask the user who started the run, from any thread during
// the run; without an answer, input raises EOFError and sys.stdin is at its end.
// Subprocesses and C code have an empty input. Between two runs the engine completes,
// inspects and lists variables from the live names; of the program's code this runs
// only attributes and, within bounds, __repr__.
package python

import (
	"context"
	"embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/ipython"
	"github.com/quirehq/quire/internal/pipehost"
	"github.com/quirehq/quire/internal/proc"
)

// Config is the configuration of an engine. Its zero value is useful.
type Config struct {
	// Python is the interpreter: a path, or a name to look for in PATH. Empty means that of
	// VIRTUAL_ENV or CONDA_PREFIX if there is one, else python3 or python in PATH.
	Python string

	// Dir is the working directory of programs; empty means the current directory.
	Dir string

	// Env is the whole environment, "key=value" each; nil means our own.
	Env []string

	// Limits bound the resources of the process.
	Limits Limits

	// Isolated restricts the interpreter to installed modules: none from its working directory,
	// which is the root if Dir is empty, and none named by variables.
	Isolated bool

	// Start starts the interpreter; nil starts a child process.
	Start proc.Starter

	// Grace bounds the time between an interrupt and the kill of the process; 0 means three
	// seconds.
	Grace time.Duration
}

// Engine is one Python process. It implements lang.Engine.
type Engine struct {
	config Config
	python string // the path of the interpreter

	patience time.Duration // bound of a query
	turn     chan struct{} // full during a query

	mu        sync.Mutex
	info      lang.Info
	process   *process // nil before Load
	number    uint64   // of the last run or query
	run       uint64   // the current run, 0 between runs
	query     *query   // the open query, nil if none is
	closed    bool
	commQueue commQueue
	comms     lang.CommSink // for messages between runs; nil drops them
	killed    string        // why the process was killed, if it was
	dead      error         // set once it has ended
	asked     uint64        // the last interrupted run
	askedAt   time.Time

	// Owned by the goroutine that loads or executes.
	count  uint64 // of executions
	merge  *merge
	reader *pipehost.Idle
	sinks  sinks
}

// interruptDedup is the time in which several interrupts of one run count as one. Python handles a
// signal within a handler of the same signal: without a pause between signals it would do nothing
// else.
const interruptDedup = 10 * time.Millisecond

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

// fewestFiles is the minimum for the driver and an interpreter.
const fewestFiles = 20

// checkLimits returns which limit is too low for any program.
func checkLimits(l Limits) error {
	if err := l.Check("python"); err != nil {
		return err
	}
	if l.Files > 0 && l.Files < fewestFiles {
		return fmt.Errorf("python cannot run with %d open files; it needs %d", l.Files, fewestFiles)
	}
	return nil
}

// Info implements lang.Engine. The version is unknown before Load.
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
	return e.handshake(ctx)
}

// adopt sets the engine's process, unless the engine was closed meanwhile.
func (e *Engine) adopt(process *process) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	e.process = process
	return true
}

// handshake sends the driver and waits for its first message.
func (e *Engine) handshake(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { e.kill(context.Cause(ctx).Error()) })
	defer stop()
	setup, err := newSetup()
	if err != nil {
		return err
	}
	setup.shared = e.config.Start != nil // a sandbox starts it, and has processes of its own
	e.merge = newMerge(e.process, setup.token)
	writeErr := writeSetup(e.process, setup)
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
	e.info.Described = described(e.info)
	e.mu.Unlock()
	if err := e.release(); err != nil {
		return e.die(err)
	}
	return nil
}

func newMerge(p *process, token string) *merge {
	return &merge{Merge: pipehost.NewMerge[*message, output](p.Process, token, readMessages), process: p, token: token}
}

// problem returns the text as an error, for a process that failed to start.
func (e *early) problem() error {
	if text := strings.TrimSpace(strings.Join(e.texts, "")); text != "" {
		return errors.New(text)
	}
	return nil
}

func checkVersion(version, path string) error {
	var major, minor int
	if _, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil {
		return fmt.Errorf("%s does not say which Python it is: %q", path, version)
	}
	if major > oldestMajor || major == oldestMajor && minor >= oldestMinor {
		return nil
	}
	return fmt.Errorf("python %d.%d or newer is needed; %s is %s; %s", oldestMajor, oldestMinor, path, version, howToSet)
}

// described returns the language_info of Jupyter files. It has that of IPython's kernel too, since readers of files choose
// colours and writers by it.
func described(i lang.Info) json.RawMessage {
	data, err := json.Marshal(map[string]any{
		"name": i.Language, "version": i.Version, "mimetype": i.MIME, "file_extension": i.Extension,
		"codemirror_mode": map[string]any{"name": "ipython", "version": 3}, "nbconvert_exporter": "python", "pygments_lexer": "ipython3",
	})
	if err != nil {
		return nil // it has texts and a number alone
	}
	return data
}

// writeSetup writes a length and JSON: the driver is not loaded yet to read frames.
func writeSetup(w io.Writer, s setup) error {
	body, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode the driver: %w", err)
	}
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(body)), uint32(len(body)))
	_, err = w.Write(append(frame, body...))
	return err
}

// release ends the current run, if there is one, and starts the reader between runs. No interrupt
// is sent to the run afterwards, so the driver gets them all before the next request. It fails when
// the process was closed or killed just as the run ended.
func (e *Engine) release() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.run = 0
	if e.closed || e.killed != "" {
		return pipehost.ErrStopped
	}
	e.reader = e.merge.idle(sinkOutput{sinks: &e.sinks}, e.handleIdle)
	e.sendNextLocked()
	return nil
}

// Interrupt implements lang.Engine. Several within ten milliseconds count as one.
func (e *Engine) Interrupt() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.run == 0 || e.asked == e.run && time.Since(e.askedAt) < interruptDedup {
		return nil
	}
	e.asked, e.askedAt = e.run, time.Now()
	return e.process.interrupt(e.run)
}

// Close implements lang.Engine. A process between runs may end by itself within the grace, with its
// atexit functions; one in a run is killed.
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
	e.run = 0
	if e.killed != "" {
		e.dead = fmt.Errorf("%w: python was %w: %s", lang.ErrDied, lang.ErrKilled, e.killed)
	} else {
		e.dead = fmt.Errorf("%w: python ended: %w", lang.ErrDied, err)
	}
	if e.closed {
		return lang.ErrClosed
	}
	return e.dead
}

// Limits bound the resources of the process. Beyond the memory Python raises MemoryError. Beyond
// the processor time, which is the sum over all runs, the run fails with CPULimitExceeded, and so
// does every later one that computes for a second.
type Limits = proc.Limits

//go:embed driver/*.py
var driver embed.FS

//go:embed driver/boot.py
var boot string

// setup is the first request: the driver's source, the secret of the marks, and whether other
// processes may hold the pipes that the driver was started with.
type setup struct {
	token   string
	sources map[string]string
	shared  bool
}

func newSetup() (setup, error) {
	files, err := fs.Glob(driver, "driver/*.py")
	if err != nil {
		return setup{}, fmt.Errorf("list the driver: %w", err)
	}
	s := setup{token: pipehost.NewToken(), sources: map[string]string{"failing": ipython.Failing()}}
	for _, file := range files {
		source, err := driver.ReadFile(file)
		if err != nil {
			return setup{}, fmt.Errorf("read the driver: %w", err)
		}
		s.sources[strings.TrimSuffix(strings.TrimPrefix(file, "driver/"), ".py")] = string(source)
	}
	return s, nil
}

// MarshalJSON implements json.Marshaler.
func (s setup) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Token   string            `json:"token"`
		Sources map[string]string `json:"sources"`
		Shared  bool              `json:"shared"`
	}{s.token, s.sources, s.shared})
}
