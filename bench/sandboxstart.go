package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	environment "github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/python"
)

// measureSandboxStart starts a program, and Python until it is ready, on the bare machine and in a sandbox,
// alternately, so both see the same load.
func measureSandboxStart(ctx context.Context, e *env) ([]row, error) {
	if err := environment.CheckSandbox(ctx); err != nil {
		return []row{{what: "a start in a sandbox", got: "not measured", beside: err.Error()}}, nil
	}
	dir := filepath.Join(e.dir, "sandbox")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	local, err := environment.NewLocal(environment.LocalConfig{ID: "local", Dir: dir})
	if err != nil {
		return nil, err
	}
	place, err := python.Locate(ctx, python.Config{})
	if err != nil {
		return nil, err
	}
	sandbox, err := environment.NewSandbox(ctx, environment.SandboxConfig{ID: "sandbox", Dir: dir, Read: place.Folders})
	if err != nil {
		return nil, err
	}
	rows, err := measureStarts(ctx, e, place.Executable, local, sandbox)
	return rows, errors.Join(err, local.Terminate(ctx), sandbox.Terminate(ctx))
}

func measureStarts(ctx context.Context, e *env, interpreter string, local, sandbox environment.Starting) ([]row, error) {
	var rows []row
	for _, c := range []struct {
		what  string
		start func(context.Context, environment.Starting) error
	}{
		{"a program, from start to end", runTrue},
		{"Python, from start to ready", func(ctx context.Context, s environment.Starting) error { return loadPython(ctx, interpreter, s) }},
	} {
		bare, boxed, err := inTurns(e.scale(60), func() error { return c.start(ctx, local) }, func() error { return c.start(ctx, sandbox) })
		if err != nil {
			return nil, err
		}
		more := middle(boxed) - middle(bare)
		rows = append(rows, row{
			what: c.what + ": in the sandbox more than without, p50", got: fmt.Sprintf("%.1f ms", more.Seconds()*1e3),
			limit: "< 30 ms", beside: fmt.Sprintf("budget; without p50 / p99 %s, in it %s", latency(bare), latency(boxed)),
		})
	}
	return rows, nil
}

// inTurns measures two operations, alternately.
func inTurns(times int, a, b func() error) (as, bs []time.Duration, err error) {
	for range times {
		for _, one := range []struct {
			do func() error
			to *[]time.Duration
		}{{a, &as}, {b, &bs}} {
			began := time.Now()
			if err := one.do(); err != nil {
				return nil, nil, err
			}
			*one.to = append(*one.to, time.Since(began))
		}
	}
	return as, bs, nil
}

// middle returns the median.
func middle(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}

func runTrue(ctx context.Context, place environment.Starting) error {
	child, err := place.Start(ctx, environment.Command{Argv: []string{"true"}}, environment.Grants{})
	if err != nil {
		return err
	}
	if exit := child.Wait(); !exit.OK() {
		return fmt.Errorf("true ended with %+v", exit)
	}
	return nil
}

func loadPython(ctx context.Context, interpreter string, place environment.Starting) error {
	engine, err := python.New(python.Config{Python: interpreter, Start: environment.StarterIn(place)})
	if err != nil {
		return err
	}
	return errors.Join(engine.Load(ctx, nil), engine.Close())
}
