package langtest

import (
	"context"
	"strconv"

	"github.com/quirehq/quire/core/lang"
)

// wait blocks until the gate opens, or the run must stop. When both have happened already the run stops, so the result
// does not depend on chance.
func (s *Scripted) wait(ctx context.Context, interrupt, gate chan struct{}) error {
	select {
	case <-interrupt:
		return errInterrupted
	default:
	}
	select {
	case <-gate:
		return nil
	case <-interrupt:
		return errInterrupted
	case <-ctx.Done():
		return errInterrupted
	case <-s.closed:
		return lang.ErrClosed
	}
}

func (s *Scripted) gate(name string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gateLocked(name)
}

func (s *Scripted) gateLocked(name string) chan struct{} {
	gate, ok := s.gates[name]
	if !ok {
		gate = make(chan struct{})
		s.gates[name] = gate
	}
	return gate
}

// ask runs the commands that ask. Like wait, it prefers to stop.
func (s *Scripted) ask(ctx context.Context, run scriptedRun, q lang.Question) error {
	if run.ask == nil {
		return &lang.Error{Name: "EOFError", Message: "no user can be asked"}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer s.closeQuestion(cancel)
	if err := s.openQuestion(run.interrupt, cancel); err != nil {
		return err
	}
	text, err := run.ask(ctx, q)
	select {
	case <-s.closed:
		return lang.ErrClosed
	case <-run.interrupt:
		return errInterrupted
	default:
	}
	switch {
	case err == nil && q.Secret:
		run.sink.Stream(lang.Stdout, strconv.Itoa(len(text))+"\n")
	case err == nil:
		run.sink.Stream(lang.Stdout, text+"\n")
	case ctx.Err() != nil:
		return errInterrupted
	default:
		return &lang.Error{Name: "EOFError", Message: err.Error()}
	}
	return nil
}

// openQuestion lets an interrupt and Close cancel a question, unless they came before.
func (s *Scripted) openQuestion(interrupt chan struct{}, cancel context.CancelFunc) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closed:
		return lang.ErrClosed
	case <-interrupt:
		return errInterrupted
	default:
	}
	s.cancelQuestion = cancel
	return nil
}

func (s *Scripted) closeQuestion(cancel context.CancelFunc) {
	cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancelQuestion = nil
}

func (s *Scripted) cancelQuestionLocked() {
	if s.cancelQuestion != nil {
		s.cancelQuestion()
	}
}
