package python

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/lang"
)

// Texts of the program's EOFError: the reason, and a hint.
const (
	rerunHint = "run the cell again to be asked again"
	tooLate   = "the cell has ended: wait in it for the thread that asks"
	between   = "no user can be asked between runs: ask while the cell runs"
)

var (
	errNoUser   = errors.New("no user can be asked here: set the value in the source, or pass it as a parameter")
	errNotAsked = errors.New("the program does not ask any more")
)

// questions are the input requests of one run, open one at a time.
//
// Each is answered unless the program withdraws it, because a thread that waits for an answer
// delays the next run. Only when its run has to stop is it left open: the interrupt must find the
// program asking, and not failing with an EOFError.
type questions struct {
	ctx   context.Context // of the run
	ask   lang.Ask
	write func(frame []byte) error
	open  *question
}

// question is an open question to the user.
type question struct {
	number    uint64
	cancel    context.CancelCauseFunc
	withdrawn bool
	ended     chan struct{} // closed when Ask has returned
	answered  bool          // read after ended
}

// begin asks the user. The goroutine keeps output flowing, also while the answer is written, which
// blocks until the program reads it.
func (q *questions) begin(m *message) {
	q.end()
	ctx, cancel := context.WithCancelCause(q.ctx)
	open := &question{number: m.Run, cancel: cancel, ended: make(chan struct{})}
	q.open = open
	ask := q.ask
	if ask == nil {
		ask = func(context.Context, lang.Question) (string, error) { return "", errNoUser }
	}
	go func() {
		defer close(open.ended)
		text, err := ask(ctx, lang.Question{Prompt: m.Prompt, Secret: m.Secret})
		if err == nil {
			open.answered = q.write(answerFrame(open.number, answer{Text: &text})) == nil
		} else if ctx.Err() == nil {
			no := answer{Why: why(err), Unattended: errors.Is(err, errNoUser)}
			open.answered = q.write(answerFrame(open.number, no)) == nil
		}
	}()
}

// withdraw cancels a question that the program does not wait for any more.
func (q *questions) withdraw(number uint64) {
	if q.open != nil && q.open.number == number {
		q.open.withdrawn = true
		q.open.cancel(errNotAsked)
	}
}

// end cancels the open question and waits until Ask has returned.
func (q *questions) end() {
	open := q.open
	if open == nil {
		return
	}
	q.open = nil
	open.cancel(errNotAsked)
	<-open.ended
	if !open.answered && !open.withdrawn {
		_ = q.write(answerFrame(open.number, answer{Why: tooLate})) // fails if the process has ended
	}
}

// answer is the answer for the driver: the text, or why there is none.
type answer struct {
	Text *string `json:"text,omitempty"`
	Why  string  `json:"why,omitempty"`
	// Unattended says that no question of the run can be answered.
	Unattended bool `json:"unattended,omitempty"`
}

func answerFrame(number uint64, a answer) []byte {
	body, err := json.Marshal(a)
	if err != nil {
		panic(err) // strings always marshal
	}
	return frame(frameAnswer, number, body)
}

// why words the reason for a missing answer, with a hint.
func why(err error) string {
	if errors.Is(err, errNoUser) || errors.Is(err, lang.ErrEnd) {
		return err.Error()
	}
	return fmt.Sprintf("%v: %s", err, rerunHint)
}
