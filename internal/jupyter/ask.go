package jupyter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quirehq/quire/core/lang"
)

// endOfInput is what ipykernel takes for the end of the input: its program gets an
// EOFError.
const endOfInput = "\x04"

// again is what to do when nobody answered.
const again = "run the cell again to be asked again"

// nobody is why there is no answer where no person is.
const nobody = "nobody can be asked here: set the value in the source, or pass it as a parameter"

// stopped is why there is no answer for a program that has to stop.
const stopped = "the run was stopped"

// errNotAsked is why a question ends that the program does not ask any more.
var errNotAsked = errors.New("the program does not ask any more")

// questions are those of one run, one at a time.
type questions struct {
	ctx context.Context // of the run
	ask lang.Ask
	// catchUp returns once what the program wrote before is delivered.
	catchUp func(context.Context)
	// answer sends an answer to a request.
	answer func(to *header, value string)
	// giveUp is told why there is no answer.
	giveUp func(to *header, why string)

	cancel context.CancelCauseFunc // of the one that is open, nil if none is
	ended  chan struct{}           // closed when nobody is asked any more
}

// put asks what a kernel wants to know.
func (q *questions) put(m *message) {
	if q.ask == nil {
		q.giveUp(&m.header, nobody) // it was told so, and asks nevertheless
		return
	}
	q.end()
	if q.ctx.Err() != nil { // Python's debugger asks again when it is interrupted
		q.giveUp(&m.header, stopped)
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

// why says why there is no answer and what to do.
func why(err error) string {
	if errors.Is(err, lang.ErrEnd) {
		return err.Error()
	}
	return fmt.Sprintf("%v: %s", err, again)
}

// end takes the open question back and waits until nobody is asked any more.
func (q *questions) end() {
	if q.cancel == nil {
		return
	}
	q.cancel(errNotAsked)
	<-q.ended
	q.cancel = nil
}

const (
	// answersSoon is how long a request on control may take while a program asks,
	// the first time; a kernel that does not answer then is not asked again.
	answersSoon = 2 * time.Second
	// travels is how long a message may travel that was sent before another on
	// another channel.
	travels = 50 * time.Millisecond
)

// catchUp waits until what the program wrote before it asked has been delivered. It
// comes on another channel than the question, so a kernel that answers on control
// during a run is asked something: what it says of that comes behind the output. For
// one that does not we wait a little.
func (e *Engine) catchUp(ctx context.Context, l *link) {
	e.mu.Lock()
	deaf := e.deaf
	e.mu.Unlock()
	if deaf || !e.hears(ctx, l) {
		pause(ctx, travels)
	}
	handled := make(chan struct{})
	l.inbox.put(item{call: func() { close(handled) }})
	select {
	case <-handled:
	case <-ctx.Done():
	}
}

// hears says whether the kernel answers on control now, and notes if it does not.
func (e *Engine) hears(ctx context.Context, l *link) bool {
	w, err := e.request(l, control, "kernel_info_request", struct{}{})
	if err != nil {
		return false
	}
	defer e.forget(w)
	timer := time.NewTimer(answersSoon)
	defer timer.Stop()
	select {
	case <-w.idle:
		return true
	case <-ctx.Done():
	case <-timer.C:
		e.mu.Lock()
		e.deaf = true
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
