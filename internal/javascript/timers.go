package javascript

import (
	"context"
	"time"

	"modernc.org/quickjs"

	"github.com/quirehq/quire/core/engineproto"
)

// nextTimer returns the timer that is due next, of a run or, with 0, of all; 0 for none.
func (in *Interpreter) nextTimer(run int, repeating bool) (id int, due time.Duration, err error) {
	next, err := in.call("nextTimer", run, repeating)
	if err != nil {
		return 0, 0, err
	}
	if id, _ = next.(int); id == 0 {
		return 0, 0, nil
	}
	at, err := in.call("timerDue", id)
	return id, time.Duration(number(at) * float64(time.Millisecond)), err
}

func number(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

// wait waits until a time since the start, and reports whether it has come before ctx or wake.
func (in *Interpreter) wait(ctx context.Context, due time.Duration, wake <-chan struct{}) bool {
	timer := time.NewTimer(due - time.Since(in.started))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-wake:
	}
	return false
}

// fire calls the function of a timer on behalf of its run. An error of it belongs to that run's output, unless that is
// the executing one and has not ended: then it is returned, and fails the run.
func (in *Interpreter) fire(ctx context.Context, id int, executes bool) error {
	of, err := in.call("timerRun", id)
	if err != nil {
		return err
	}
	before := in.current
	defer func() { in.current = before }()
	in.current = int(number(of))
	fails := executes && in.current == before
	if _, err = in.ours["fireTimer"].Call(quickjs.UndefinedValue, id); err == nil {
		err = in.jobs(ctx)
	}
	if ctx.Err() != nil {
		return nil
	}
	if err != nil && fails {
		return err
	}
	if err != nil {
		if err := in.output().Fail(in.shape(err, nil)); err != nil {
			return err
		}
	}
	return in.rejections(in.output(), fails)
}

// Idle implements engineproto.Idler: it runs timers between runs.
func (in *Interpreter) Idle(ctx context.Context, wake <-chan struct{}) {
	in.ctx = ctx
	for ctx.Err() == nil {
		id, due, err := in.nextTimer(0, true)
		if err != nil || id == 0 || !in.wait(ctx, due, wake) {
			return
		}
		in.guard(ctx, func() { err = in.fire(ctx, id, false) })
		if err != nil {
			return // the host is gone
		}
		in.forgetOutputs()
	}
}

// rejections reports the promises that were rejected and that nothing handles. The first one fails a run that has
// succeeded so far, the others are shown.
func (in *Interpreter) rejections(out *engineproto.Output, fails bool) error {
	for first := true; ; first = false {
		described, err := in.call("rejected")
		if err != nil {
			return err
		}
		failed, _ := described.(string)
		if failed == "" {
			return nil
		}
		if fails && first {
			return &thrownError{failed}
		}
		if err := out.Fail(in.shape(&thrownError{failed}, nil)); err != nil {
			return err
		}
	}
}

// forgetOutputs forgets the outputs of runs that have no timers.
func (in *Interpreter) forgetOutputs() {
	for run := range in.outputs {
		if id, _, err := in.nextTimer(run, true); err == nil && id == 0 {
			delete(in.outputs, run)
		}
	}
}
