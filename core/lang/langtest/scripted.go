package langtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/quirehq/quire/core/lang"
)

// Scripted is an Engine for tests of the packages above engines. Its language has one command a line, nothing starts a
// goroutine and nothing depends on time:
//
//	print TEXT          a line on stdout
//	warn TEXT           a line on stderr
//	display MIME TEXT   show TEXT
//	display-id ID MIME TEXT
//	update ID MIME TEXT replace what ID shows
//	result TEXT         the value of the run
//	clear               and clear-wait
//	set NAME TEXT       keep TEXT for later runs
//	get NAME            the value of the run is what set kept
//	error NAME MESSAGE  the run fails here
//	fail NAME MESSAGE   shows an error and goes on; the run has failed
//	offer TEXT          the run offers TEXT for a cell of its own, and replace TEXT for its own cell
//	exit                the program ends itself, and well
//	exit-gone           and the engine can only be closed
//	wait NAME           until the test calls Release(NAME), or an interrupt
//	loop                until an interrupt
//	stubborn            until Release("stubborn"), whatever else happens, or Close
//	die                 the engine dies
//	get-killed          the engine is killed, since it did not stop
//	ask PROMPT          a line on stdout: the answer
//	secret PROMPT       a line on stdout: how many bytes were answered in secret
//	table NAME          a line on stdout: the table of another language, or why there is none
//	set-table NAME JSON sets a table of another language
//	at-close TEXT       a line on stdout when the engine is closed
//	import PACKAGE      fails unless Install has installed it
//	comm-open ID TARGET JSON
//	comm-send ID JSON BASE64
//	comm-close ID
//	comm-later ID JSON  as comm-send, when the run has ended
//
// A question without an answer fails with an EOFError that has the reason. The engine completes commands and the names
// of set, inspects both, and lists the variables of set; it installs every package except those whose names begin with
// "no-".
type Scripted struct {
	mu             sync.Mutex
	vars           map[string]string
	packages       map[string]bool
	gates          map[string]chan struct{}
	interrupt      chan struct{}      // of the executing run; nil when there is none
	cancelQuestion context.CancelFunc // cancels the open question; nil when there is none
	closed         chan struct{}
	dead           bool
	count          int
	comms          scriptedComms
	sinks          []lang.Sink // of the runs, in order
	atClose        []func()
}

// scriptedRun has the parts of a run that commands use.
type scriptedRun struct {
	interrupt chan struct{}
	ask       lang.Ask
	tables    lang.Tabler
	sink      lang.Sink
}

// NewScripted returns an engine with nothing set and nothing released.
func NewScripted() *Scripted {
	return &Scripted{
		vars:     map[string]string{},
		packages: map[string]bool{},
		gates:    map[string]chan struct{}{},
		closed:   make(chan struct{}),
	}
}

// errInterrupted ends a run that was asked to stop.
var errInterrupted = errors.New("interrupted")

// Info implements lang.Engine.
func (s *Scripted) Info() lang.Info {
	return lang.Info{Language: "scripted", Version: "1", Extension: ".txt", MIME: "text/plain"}
}

// Load implements lang.Engine.
func (s *Scripted) Load(ctx context.Context, progress func(lang.Progress)) error {
	if progress != nil {
		progress(lang.Progress{Text: "ready", Done: 1, Total: 1})
	}
	return ctx.Err()
}

// Release unblocks every present and future `wait name`.
func (s *Scripted) Release(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	gate := s.gateLocked(name)
	select {
	case <-gate:
	default:
		close(gate)
	}
}

// Interrupt implements lang.Engine.
func (s *Scripted) Interrupt() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.interrupt == nil {
		return nil
	}
	select {
	case s.interrupt <- struct{}{}:
	default: // asked already
	}
	s.cancelQuestionLocked()
	return nil
}

// Close implements lang.Engine.
func (s *Scripted) Close() error {
	for _, say := range s.close() {
		say()
	}
	return nil
}

// close closes the engine and returns the last outputs of its program.
func (s *Scripted) close() []func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	s.cancelQuestionLocked()
	last := s.atClose
	s.atClose = nil
	return last
}

// Execute implements lang.Engine.
func (s *Scripted) Execute(ctx context.Context, req lang.Request, sink lang.Sink) (lang.Result, error) {
	count, interrupt, err := s.begin(ctx, sink)
	if err != nil {
		return lang.Result{}, err
	}
	defer s.finishRun()
	run, cancel := ctx, context.CancelFunc(func() {})
	if req.Timeout > 0 {
		run, cancel = context.WithTimeout(ctx, req.Timeout)
	}
	defer cancel()
	commands := scriptedRun{interrupt: interrupt, ask: req.Ask, tables: req.Tables, sink: sink}
	result := lang.Result{Count: count}
	for i, line := range strings.Split(req.Source, "\n") {
		if exit, ok := exits[strings.TrimSpace(line)]; ok {
			result.Exit = exit
			s.exit(exit)
			return result, nil
		}
		if rest, ok := strings.CutPrefix(line, "fail "); ok {
			name, message, _ := strings.Cut(rest, " ")
			result.Err, result.Shown = &lang.Error{Name: name, Message: message}, true
			sink.Fail(result.Err)
			continue
		}
		if offer := offerIn(line); offer != nil {
			result.Offer = offer
			continue
		}
		err := s.step(run, commands, strings.TrimLeft(line, " \t"))
		var failed *lang.Error
		switch {
		case errors.Is(err, errInterrupted):
			failed = &lang.Error{Name: "Interrupt", Cause: lang.CauseInterrupted}
			if run.Err() != nil && ctx.Err() == nil {
				failed = &lang.Error{Name: "TimeOut", Cause: lang.CauseTimedOut}
			}
		case errors.As(err, &failed):
		case err != nil:
			return lang.Result{}, err
		default:
			continue
		}
		failed.Line = i + 1
		failed.Trace = []string{fmt.Sprintf("line %d", i+1), failed.Error()}
		return lang.Result{Count: count, Err: failed}, nil
	}
	return result, nil
}

// offerIn returns the offer of a line, or nil.
func offerIn(line string) *lang.Offer {
	command, text, _ := strings.Cut(line, " ")
	if command != "offer" && command != "replace" {
		return nil
	}
	return &lang.Offer{Source: text, Replace: command == "replace"}
}

// exits are the commands that end a run, with their kind.
var exits = map[string]lang.Exit{"exit": lang.Exited, "exit-gone": lang.ExitedGone}

func (s *Scripted) exit(how lang.Exit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead = s.dead || how == lang.ExitedGone
}

// Late runs an output command on behalf of a run that has ended. Runs count from 1, and no run may produce output
// concurrently.
func (s *Scripted) Late(run int, command string) {
	s.mu.Lock()
	sink := s.sinks[run-1]
	s.mu.Unlock()
	name, rest, _ := strings.Cut(command, " ")
	if err := show(name, rest, sink); err != nil {
		panic(err)
	}
}

func (s *Scripted) begin(ctx context.Context, sink lang.Sink) (int, chan struct{}, error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.unfitLocked(); err != nil {
		return 0, nil, err
	}
	s.count++
	s.sinks = append(s.sinks, sink)
	s.interrupt = make(chan struct{}, 1)
	return s.count, s.interrupt, nil
}

// unfitLocked returns the reason why the engine cannot answer now.
func (s *Scripted) unfitLocked() error {
	select {
	case <-s.closed:
		return lang.ErrClosed
	default:
	}
	switch {
	case s.dead:
		return lang.ErrDied
	case s.interrupt != nil:
		return lang.ErrBusy
	}
	return nil
}

func (s *Scripted) finishRun() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interrupt = nil
	s.endCommsLocked()
}

// step runs one command. An error of type *lang.Error is the program's.
func (s *Scripted) step(ctx context.Context, run scriptedRun, line string) error {
	command, rest, _ := strings.Cut(line, " ")
	first, second, _ := strings.Cut(rest, " ")
	switch command {
	case "", "#":
	case "error":
		return &lang.Error{Name: first, Message: second}
	case "wait":
		return s.wait(ctx, run.interrupt, s.gate(first))
	case "loop":
		return s.wait(ctx, run.interrupt, nil)
	case "stubborn":
		return s.wait(context.Background(), nil, s.gate(command))
	case "die":
		return fmt.Errorf("%w: it was told to", s.die())
	case "get-killed":
		return fmt.Errorf("%w: it was %w: it did not stop", s.die(), lang.ErrKilled)
	case "set":
		s.set(first, second)
	case "get":
		run.sink.Result(lang.Text("text/plain", s.get(first)), "")
	case "table", "set-table":
		return shareTable(ctx, run, first, second)
	case "at-close":
		s.mu.Lock()
		defer s.mu.Unlock()
		s.atClose = append(s.atClose, func() { run.sink.Stream(lang.Stdout, rest+"\n") })
	case "ask", "secret":
		return s.ask(ctx, run, lang.Question{Prompt: rest, Secret: command == "secret"})
	case "import":
		return s.imports(first)
	default:
		if !s.comm(run, command, rest) {
			return show(command, rest, run.sink)
		}
	}
	return nil
}

// show runs the commands that only produce output.
func show(command, rest string, sink lang.Sink) error {
	first, second, _ := strings.Cut(rest, " ")
	mime, text, _ := strings.Cut(second, " ")
	switch command {
	case "print":
		sink.Stream(lang.Stdout, rest+"\n")
	case "warn":
		sink.Stream(lang.Stderr, rest+"\n")
	case "display":
		sink.Display(lang.Text(first, second), "")
	case "display-id":
		sink.Display(lang.Text(mime, text), first)
	case "update":
		sink.Update(first, lang.Text(mime, text))
	case "result":
		sink.Result(lang.Text("text/plain", rest), "")
	case "clear", "clear-wait":
		sink.Clear(command == "clear-wait")
	default:
		return &lang.Error{Name: "SyntaxError", Message: "unknown command " + command}
	}
	return nil
}

func (s *Scripted) die() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead = true
	return lang.ErrDied
}

func (s *Scripted) set(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.vars[name] = value
}

func (s *Scripted) get(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.vars[name]
}

// shareTable executes the commands for tables of another language: the second argument is that to set, or empty.
func shareTable(ctx context.Context, run scriptedRun, name, table string) error {
	if run.tables == nil {
		return &lang.Error{Name: "NoTables", Message: "there is no other language"}
	}
	if table != "" {
		return run.tables.SetTable(ctx, name, []byte(table))
	}
	got, err := run.tables.Table(ctx, name)
	if err != nil {
		got = []byte(err.Error())
	}
	run.sink.Stream(lang.Stdout, string(got)+"\n")
	return nil
}
