package script

import (
	"context"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
)

// Reasons why a question is not answered, for the error that the program gets.
const (
	rerunHint = "run the cell again to be asked again"
	between   = "no user can be asked between runs: ask while the cell runs"
)

var (
	errNoUser   = errors.New("no user can be asked here: set the value in the source, or pass it as a parameter")
	errNotAsked = errors.New("the program does not ask any more")
)

// questions are the input requests of one run, open one at a time.
type questions struct {
	ctx   context.Context // of the run
	ask   lang.Ask
	write func(*engineproto.Answer)
	open  *question
}

// question is an open question to the user.
type question struct {
	id     int
	cancel context.CancelCauseFunc
	ended  chan struct{} // closed when Ask has returned
}

// begin asks the user. The goroutine keeps output flowing. It is not answered when its run has to stop: the interrupt must find the program asking, and not
// failing at the end of its input.
func (q *questions) begin(m *engineproto.Ask) {
	q.end()
	ctx, cancel := context.WithCancelCause(q.ctx)
	open := &question{id: m.ID, cancel: cancel, ended: make(chan struct{})}
	q.open = open
	ask := q.ask
	if ask == nil {
		ask = func(context.Context, lang.Question) (string, error) { return "", errNoUser }
	}
	go func() {
		defer close(open.ended)
		text, err := ask(ctx, lang.Question{Prompt: m.Prompt, Secret: m.Secret})
		switch {
		case err == nil:
			q.write(&engineproto.Answer{ID: open.id, Text: text})
		case ctx.Err() == nil:
			q.write(&engineproto.Answer{ID: open.id, End: true, Why: why(err)})
		}
	}()
}

// end cancels the open question and waits until Ask has returned.
func (q *questions) end() {
	if q.open == nil {
		return
	}
	q.open.cancel(errNotAsked)
	<-q.open.ended
	q.open = nil
}

// why words the reason for a missing answer, with a hint.
func why(err error) string {
	if errors.Is(err, errNoUser) || errors.Is(err, lang.ErrEnd) {
		return err.Error()
	}
	return fmt.Sprintf("%v: %s", err, rerunHint)
}
