package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/jupyter"
)

// measureKernels has IPython's kernel compute 1+1 through our engine, and through ZeroMQ's own
// library alone, alternately, because the differences are small compared with the noise of the
// machine.
func measureKernels(ctx context.Context, e *env) ([]row, error) {
	kernel, ok := ipykernel(ctx)
	if !ok {
		return []row{{what: "1+1 in IPython's kernel", got: "not measured", limit: "it needs python3-ipykernel"}}, nil
	}
	var ours, theirs kernelTimes
	for range 3 {
		if err := errors.Join(ours.addOurs(ctx, e, kernel), theirs.addTheirs(ctx, e, kernel)); err != nil {
			return nil, err
		}
	}
	more := func(share float64) string {
		return fmt.Sprintf("%+.2f ms", (quantile(ours.runs, share)-quantile(theirs.runs, share)).Seconds()*1e3)
	}
	return []row{
		{what: "1+1 in IPython's kernel, through our engine, p50 / p99", got: latency(ours.runs), limit: latency(theirs.runs), beside: "pyzmq with nothing between"},
		{what: "  more than that, at the median / in the quickest tenth", got: more(0.5) + " / " + more(0.1), limit: "< 0.3 ms", beside: "budget; the tenth is what a busy machine disturbs less"},
		{what: "  engine from nothing to ready, median", got: millis(median(ours.starts).Seconds() * 1e3), limit: millis(median(theirs.starts).Seconds() * 1e3), beside: "pyzmq"},
	}, nil
}

// ipykernel returns IPython's kernel, if it and the measuring program's libraries are installed.
func ipykernel(ctx context.Context) (k jupyter.Kernel, ok bool) {
	kernels := jupyter.Search{Env: os.Environ()}.List()
	i := slices.IndexFunc(kernels, func(k jupyter.Kernel) bool { return k.Name == "python3" && k.Fault == nil })
	if i < 0 || exec.CommandContext(ctx, kernels[i].Argv[0], "-c", "import ipykernel, zmq").Run() != nil {
		return k, false
	}
	return kernels[i], true
}

// kernelTimes are the durations of starts and runs.
type kernelTimes struct{ starts, runs []time.Duration }

func (k *kernelTimes) addOurs(ctx context.Context, e *env, kernel jupyter.Kernel) error {
	engine, err := jupyter.New(jupyter.Config{Kernel: kernel, Dir: e.dir})
	if err != nil {
		return err
	}
	began := time.Now()
	if err := engine.Load(ctx, nil); err != nil {
		return errors.Join(err, engine.Close())
	}
	k.starts = append(k.starts, time.Since(began))
	for n := range 30 + e.scale(300) {
		t := time.Now()
		if _, err := engine.Execute(ctx, lang.Request{Source: "1+1"}, unheard{}); err != nil {
			return errors.Join(err, engine.Close())
		}
		if n >= 30 {
			k.runs = append(k.runs, time.Since(t))
		}
	}
	return engine.Close()
}

func (k *kernelTimes) addTheirs(ctx context.Context, e *env, kernel jupyter.Kernel) error {
	bare, err := executeBare(ctx, kernel, e.scale(300), 30, "1+1")
	if err != nil {
		return err
	}
	k.starts = append(k.starts, milliseconds(bare.Start))
	for _, t := range bare.Times {
		k.runs = append(k.runs, milliseconds(t))
	}
	return nil
}

// bareRuns is the result of a kernel with pyzmq alone.
type bareRuns struct {
	Start float64   // in milliseconds
	Times []float64 // likewise
	Shown int       // received displays
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// executeBare has a kernel execute a source for some rounds, after warm-up rounds.
func executeBare(ctx context.Context, kernel jupyter.Kernel, rounds, before int, source string) (b bareRuns, err error) {
	args := append([]string{"bench/peers/kernel.py", strconv.Itoa(rounds), strconv.Itoa(before), source}, kernel.Argv...)
	cmd := exec.CommandContext(ctx, kernel.Argv[0], args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &b)
	}
	if err != nil {
		return b, fmt.Errorf("pyzmq: %w", err)
	}
	return b, nil
}

// unheard is a sink that drops all output.
type unheard struct{}

// Stream implements [lang.Sink].
func (unheard) Stream(string, string) {}

// Display implements [lang.Sink].
func (unheard) Display(lang.Bundle, string) {}

// Update implements [lang.Sink].
func (unheard) Update(string, lang.Bundle) {}

// Result implements [lang.Sink].
func (unheard) Result(lang.Bundle, string) {}

// Fail implements [lang.Sink].
func (unheard) Fail(*lang.Error) {}

// Clear implements [lang.Sink].
func (unheard) Clear(bool) {}
