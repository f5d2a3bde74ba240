package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

// Console asks the user.
type Console interface {
	// Ask shows a prompt and returns the line that is typed, without its end. The
	// answer to a secret prompt is not shown. It is called by one goroutine.
	Ask(prompt string, secret bool) (string, error)
	// Ends reports that the end of the input is final: no user can type more.
	Ends() bool
	// Restore restores the terminal from an Ask that goes on.
	Restore()
}

// terminalConsole is the console of the terminal that stdin and stderr are.
type terminalConsole struct {
	in    *os.File
	lines *bufio.Reader
	out   io.Writer
	state *term.State // as the terminal was found
}

// NewConsole returns the console of the terminal that in is. Prompts are written to out.
func NewConsole(in *os.File, out io.Writer) (Console, error) {
	state, err := term.GetState(int(in.Fd()))
	if err != nil {
		return nil, fmt.Errorf("look at the terminal: %w", err)
	}
	return &terminalConsole{in: in, lines: bufio.NewReader(in), out: out, state: state}, nil
}

func (c *terminalConsole) Ask(prompt string, secret bool) (string, error) {
	if _, err := io.WriteString(c.out, prompt); err != nil {
		return "", err
	}
	if !secret {
		line, err := c.lines.ReadString('\n')
		return strings.TrimRight(line, "\r\n"), err
	}
	line, err := term.ReadPassword(int(c.in.Fd()))
	_, _ = io.WriteString(c.out, "\n") // it showed no line end
	return string(line), err
}

func (c *terminalConsole) Ends() bool { return false }

func (c *terminalConsole) Restore() { _ = term.Restore(int(c.in.Fd()), c.state) }

// NewPipedConsole returns the console of an input that is no terminal.
func NewPipedConsole(in io.Reader) Console { return &pipedConsole{bufio.NewReader(in)} }

// pipedConsole answers from an input that is no terminal, a line for each question. Nothing is
// read before there is one.
type pipedConsole struct{ lines *bufio.Reader }

func (c *pipedConsole) Ask(string, bool) (string, error) {
	line, err := c.lines.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		err = io.EOF // a stream that cannot be read has no more answers
	}
	if line != "" {
		err = nil
	}
	return strings.TrimRight(line, "\r\n"), err
}

func (c *pipedConsole) Ends() bool { return true }

func (c *pipedConsole) Restore() {}

// Asker puts the questions of programs to the user, one at a time, and gives the
// answers to the programs.
type Asker struct {
	console Console
	width   func() int // of the terminal, to erase an answer; nil to leave it
	out     io.Writer

	mu      sync.Mutex
	waiting []*event.InputAsked
	busy    bool
}

// NewAsker returns an asker that uses a console and writes to out. Answers are erased from out, which
// is a terminal of some width, unless width is nil.
func NewAsker(c Console, out io.Writer, width func() int) *Asker {
	return &Asker{console: c, out: out, width: width}
}

// put puts a question, after those before it.
func (a *Asker) put(ctx context.Context, j *Session, q *event.InputAsked) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = append(a.waiting, q)
	if a.busy {
		return
	}
	a.busy = true
	// Nothing can end the wait for the line that the user types. When the runs have ended, the
	// process does, and takes this along.
	go func() {
		for q := a.next(); q != nil; q = a.next() {
			a.answer(ctx, j, q)
		}
	}()
}

func (a *Asker) next() *event.InputAsked {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.waiting) == 0 {
		a.busy = false
		return nil
	}
	q := a.waiting[0]
	a.waiting = a.waiting[1:]
	return q
}

// answer asks the user, and passes the answer on. It is moot when another user has
// given one, or the run is over.
func (a *Asker) answer(ctx context.Context, j *Session, q *event.InputAsked) {
	prompt := Clean(q.Prompt)
	if to := StreamOf(a.out); to.Terminal && !to.Colours {
		prompt = stripEscapes(prompt)
	}
	line, err := a.console.Ask(prompt, q.Secret)
	if errors.Is(err, io.EOF) && line == "" && a.console.Ends() {
		_, _ = j.Call(ctx, protocol.MethodAnswer, protocol.Secret{Input: q.Input, End: true}) // in vain if it was answered or is over
		return
	}
	for errors.Is(err, io.EOF) && line == "" && ctx.Err() == nil {
		fmt.Fprintln(a.out, "\nthe program waits for a line; ctrl-C stops it")
		if line, err = a.console.Ask(prompt, q.Secret); errors.Is(err, io.EOF) && line == "" {
			return // there is no user
		}
	}
	if err != nil && line == "" {
		return
	}
	a.erase(prompt, line, q.Secret)
	if q.Secret {
		_, _ = j.Call(ctx, protocol.MethodAnswer, protocol.Secret{Input: q.Input, Value: line})
		return
	}
	_ = j.With(func(r *replica.Replica) error {
		_, _, err := r.Do(&event.InputAnswered{Input: q.Input, Value: line})
		return err
	})
}

// erase removes the question and the answer from the terminal, since both are among
// the outputs, which are about to be written.
func (a *Asker) erase(prompt, line string, secret bool) {
	if a.width == nil {
		return
	}
	if secret {
		line = ""
	}
	rows := len(rowsOf(prompt+line, max(a.width(), 1)))
	fmt.Fprintf(drawing(a.out), "\x1b[%dA\r\x1b[J", rows)
}
