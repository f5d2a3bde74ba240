package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

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
