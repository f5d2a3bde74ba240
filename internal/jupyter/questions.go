package jupyter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quirehq/quire/core/lang"
)

// endOfInput is the answer that ipykernel takes for the end of the input: its program gets an
// EOFError.
const endOfInput = "\x04"

// rerunHint follows the reason for a missing answer.
const rerunHint = "run the cell again to be asked again"

// noUser is why there is no answer where no user is present.
const noUser = "no user can be asked here: set the value in the source, or pass it as a parameter"

// runStopped is why there is no answer for a program that has to stop.
const runStopped = "the run was stopped"

// errNotAsked is the cause with which a question is cancelled that the program has withdrawn.
var errNotAsked = errors.New("the program does not ask any more")

// questions are the input requests of one run, open one at a time.
type questions struct {
	ctx context.Context // of the run
	ask lang.Ask
	// catchUp returns once earlier output of the program is delivered.
	catchUp func(context.Context)
	// answer sends an answer to a request.
	answer func(to *header, value string)
	// giveUp reports why there is no answer.
	giveUp func(to *header, why string)

	cancel context.CancelCauseFunc // of the open question, nil if none is
	ended  chan struct{}           // closed when the question has returned
}

// begin asks the user the question in an input request.
func (q *questions) begin(m *message) {
	if q.ask == nil {
		q.giveUp(&m.header, noUser) // it was told allow_stdin=false, and asks nevertheless
		return
	}
	q.end()
	if q.ctx.Err() != nil { // Python's debugger asks again when it is interrupted
		q.giveUp(&m.header, runStopped)
		return
	}
	var asked struct {
		Prompt string `json:"prompt"`
		Secret bool   `json:"password"`
	}
	m.decode(&asked)
	ctx, cancel := context.WithCancelCause(q.ctx)
	ended := make(chan struct{})
	q.cancel, q.ended = cancel, ended
	go func() {
		defer close(ended)
		q.catchUp(ctx)
		text, err := q.ask(ctx, lang.Question{Prompt: asked.Prompt, Secret: asked.Secret})
		switch {
		case err == nil:
			q.answer(&m.header, text)
		case ctx.Err() == nil:
			q.giveUp(&m.header, why(err))
		}
	}()
}

// why words the reason for a missing answer, with a hint.
func why(err error) string {
	if errors.Is(err, lang.ErrEnd) {
		return err.Error()
	}
	return fmt.Sprintf("%v: %s", err, rerunHint)
}

// end cancels the open question and waits until it has returned.
func (q *questions) end() {
	if q.cancel == nil {
		return
	}
	q.cancel(errNotAsked)
	<-q.ended
	q.cancel = nil
}

const (
	// controlTimeout bounds the first request on control while a program waits for input. A kernel
	// that does not answer it is not asked on control again.
	controlTimeout = 2 * time.Second
	// channelDelay is the most that a message on one channel arrives after a later one on another.
	channelDelay = 50 * time.Millisecond
)

// catchUp waits until the output that the program wrote before its question is delivered. The
// question comes on another channel. A kernel that answers on control during a run gets a request
// there, and its status of that request follows the output on iopub. For other kernels a fixed
// delay has to do.
func (e *Engine) catchUp(ctx context.Context, l *link) {
	e.mu.Lock()
	controlSilent := e.controlSilent
	e.mu.Unlock()
	if controlSilent || !e.answersControl(ctx, l) {
		pause(ctx, channelDelay)
	}
	handled := make(chan struct{})
	l.inbox.put(item{call: func() { close(handled) }})
	select {
	case <-handled:
	case <-ctx.Done():
	}
}

// answersControl reports whether the kernel answers on control now, and notes if it does not.
func (e *Engine) answersControl(ctx context.Context, l *link) bool {
	w, err := e.request(l, control, "kernel_info_request", struct{}{})
	if err != nil {
		return false
	}
	defer e.forget(w)
	timer := time.NewTimer(controlTimeout)
	defer timer.Stop()
	select {
	case <-w.idle:
		return true
	case <-ctx.Done():
	case <-timer.C:
		e.mu.Lock()
		e.controlSilent = true
		e.mu.Unlock()
	}
	return false
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
