// Package conformance checks a command that speaks the engine protocol: by rules of the protocol itself, on its pipes, and
// by the rules that all engines of Quire are held to, as an engine of package script.
package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/internal/script"
)

// Outcome says how an engine does by a rule.
type Outcome string

// The outcomes of rules.
const (
	OK      Outcome = "ok"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped"
)

// Result is the outcome of one rule. Details say why it is not OK.
type Result struct {
	Rule    string
	Outcome Outcome
	Details []string
}

// Programs are the sources by which an engine is checked, in its language.
type Programs = langtest.Programs

// DecodePrograms decodes programs from a JSON object, whose keys are the names of the fields in any case.
func DecodePrograms(data []byte) (Programs, error) {
	var p Programs
	if err := json.Unmarshal(data, &p); err != nil {
		return Programs{}, fmt.Errorf("read the programs: %w", err)
	}
	return p, nil
}

// grace is the time for a program that does not stop.
const grace = 5 * time.Second

// Check checks an engine, and reports each rule in its turn.
func Check(ctx context.Context, config script.Config, programs Programs, report func(Result)) {
	config.Grace = grace
	t := &T{ctx: ctx, report: report}
	for _, rule := range rawRules() {
		t.Run(rule.name, func(t *T) { rule.test(t, config, programs) })
	}
	open := func(t *T) lang.Engine {
		engine, err := script.New(config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := engine.Close(); err != nil {
				t.Error(err)
			}
		})
		return engine
	}
	langtest.Suite(t, open, programs)
	t.cleanUp()
}

// T is the state of a rule, with the methods of a test that the rules use.
type T struct {
	ctx    context.Context
	report func(Result)
	rule   string

	mu       sync.Mutex
	failed   bool
	skipped  bool
	details  []string
	cleanups []func()
}

// Run checks one rule.
func (t *T) Run(rule string, test func(t *T)) bool {
	ctx, cancel := context.WithCancel(t.ctx)
	defer cancel()
	sub := &T{ctx: ctx, report: t.report, rule: rule}
	if ctx.Err() != nil {
		sub.Skipf("stopped")
	} else {
		sub.attempt(func() { test(sub) })
	}
	sub.attempt(sub.cleanUp)
	outcome := OK
	switch {
	case sub.failed:
		outcome = Failed
	case sub.skipped:
		outcome = Skipped
	}
	t.report(Result{Rule: rule, Outcome: outcome, Details: sub.details})
	return !sub.failed
}

// attempt calls a function in a goroutine of its own, which a fatal error or a skip ends.
func (t *T) attempt(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if wrong := recover(); wrong != nil {
				t.Errorf("the check itself failed: %v", wrong)
			}
		}()
		f()
	}()
	<-done
}

func (t *T) cleanUp() {
	for len(t.cleanups) > 0 {
		last := t.cleanups[len(t.cleanups)-1]
		t.cleanups = t.cleanups[:len(t.cleanups)-1]
		last()
	}
}

// Omit reports a rule for which there is no program.
func (t *T) Omit(rule string) {
	t.report(Result{Rule: rule, Outcome: Skipped, Details: []string{"there is no program for it"}})
}

// Helper does nothing: results name no lines.
func (t *T) Helper() {}

// Context returns a context that ends with the rule.
func (t *T) Context() context.Context { return t.ctx }

// Cleanup has a function called at the end of the rule.
func (t *T) Cleanup(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cleanups = append(t.cleanups, f)
}

// Failed reports whether the rule has failed so far.
func (t *T) Failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

// Error notes why the rule fails.
func (t *T) Error(args ...any) { t.fail(fmt.Sprint(args...)) }

// Errorf notes why the rule fails.
func (t *T) Errorf(format string, args ...any) { t.fail(fmt.Sprintf(format, args...)) }

func (t *T) fail(detail string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = true
	t.details = append(t.details, detail)
}

// Fatal notes why the rule fails, and ends it.
func (t *T) Fatal(args ...any) {
	t.Error(args...)
	runtime.Goexit()
}

// Fatalf notes why the rule fails, and ends it.
func (t *T) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	runtime.Goexit()
}

// Skipf notes why the rule does not apply, and ends it.
func (t *T) Skipf(format string, args ...any) {
	t.mu.Lock()
	t.skipped = true
	t.details = append(t.details, fmt.Sprintf(format, args...))
	t.mu.Unlock()
	if t.ctx.Err() == nil {
		runtime.Goexit()
	}
}
