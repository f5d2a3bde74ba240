package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quirehq/quire/core/event"
)

// measureExec runs cells on a real server with real runtimes, observed by a second client, beside
// the bare interpreter and the peers.
func measureExec(ctx context.Context, e *env) ([]row, error) {
	s, _, err := startServer(ctx, e, "exec")
	if err != nil {
		return nil, err
	}
	rows, err := measureRuns(ctx, e, s)
	return rows, errors.Join(err, s.stop())
}

func measureRuns(ctx context.Context, e *env, s *server) ([]row, error) {
	var rows []row
	for _, measure := range []func(context.Context, *env, *server) ([]row, error){measureSum, measureLines, measureMany} {
		more, err := measure(ctx, e, s)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// measureSum runs 1+1 repeatedly.
func measureSum(ctx context.Context, e *env, s *server) ([]row, error) {
	p, err := openPair(ctx, s)
	if err != nil {
		return nil, err
	}
	defer p.close()
	if _, err := p.run(ctx, "1+1"); err != nil { // starts the runtime
		return nil, err
	}
	cells := make([]event.CellID, e.scale(300))
	for i := range cells {
		if cells[i], err = p.cell(ctx, "1+1"); err != nil {
			return nil, err
		}
	}
	n, before := len(cells), s.cpu()
	var shown, done []time.Duration
	for _, cell := range cells {
		t, err := p.runCell(ctx, cell)
		if err != nil {
			return nil, err
		}
		shown, done = append(shown, t.shown), append(done, t.done)
	}
	cpu := float64((s.cpu() - before).Microseconds()) / float64(n) / 1e3
	return []row{
		{what: "1+1, request to result in a second client, p50 / p99", got: latency(shown), limit: "< 3 / 10 ms", beside: "budget, durable; Zasper 4.8 / 8.4, Jupyter 48 / 58 (ipykernel, nothing stored)"},
		{what: "  to its end", got: latency(done)},
		{what: "  server's CPU for one", got: fmt.Sprintf("%.2f ms", cpu), limit: "< 0.5 ms", beside: "budget; Zasper 1.0, Jupyter 3.6–4.7"},
	}, nil
}

// measureLines prints a hundred thousand lines, and twenty megabytes.
func measureLines(ctx context.Context, e *env, s *server) ([]row, error) {
	var rows []row
	for _, c := range []struct {
		what, source string
		bytes        int
		beside       string
	}{
		{"100,000 printed lines", "for i in range(100_000): print(i)", 588_890, "Zasper 0.24 s, Jupyter loses most"},
		{"20 MB in 200,000 lines", "for i in range(200_000): print('x' * 99)", 20_000_000, "Zasper 1.2 s, Jupyter 0–2 % delivered"},
	} {
		more, err := measurePrint(ctx, e, s, c.source)
		if err != nil {
			return nil, err
		}
		more[0].what = c.what + ", request to end"
		more[0].beside += "; " + c.beside
		rows = append(rows, more...)
	}
	return rows, nil
}

func measurePrint(ctx context.Context, e *env, s *server, source string) ([]row, error) {
	p, err := openPair(ctx, s)
	if err != nil {
		return nil, err
	}
	defer p.close()
	if _, err := p.run(ctx, "1+1"); err != nil {
		return nil, err
	}
	bare, err := bareProgram(ctx, e, source)
	if err != nil {
		return nil, err
	}
	before := s.rss()
	best := timing{done: time.Hour}
	for range 3 {
		t, err := p.run(ctx, source)
		if err != nil {
			return nil, err
		}
		if t.done < best.done {
			best = t
		}
	}
	return []row{
		{got: fmt.Sprintf("%.0f ms, %.2f×", best.done.Seconds()*1e3, best.done.Seconds()/bare.Seconds()), limit: fmt.Sprintf("%.0f ms", bare.Seconds()*1e3), beside: "the bare program into a file; budget 1.3×"},
		{what: "  first output / events / server grown by", got: fmt.Sprintf("%.0f ms / %d / %.1f MiB", best.shown.Seconds()*1e3, best.events, float64(s.rss()-before)/1024), limit: "< 100 ms / 500 / flat", beside: "budget"},
	}, nil
}

// bareProgram returns the time in which Python prints into a file, without its start.
func bareProgram(ctx context.Context, e *env, source string) (time.Duration, error) {
	best := time.Hour
	for range 3 {
		f, err := os.Create(filepath.Join(e.dir, "printed"))
		if err != nil {
			return 0, err
		}
		program := fmt.Sprintf("import time, sys\nt = time.perf_counter()\nexec(%q)\nsys.stdout.flush()\nsys.stderr.write(str(time.perf_counter() - t))", source)
		cmd := exec.CommandContext(ctx, "python3", "-c", program)
		cmd.Stdout = f
		var said seconds
		cmd.Stderr = &said
		if err := errors.Join(cmd.Run(), f.Close()); err != nil {
			return 0, err
		}
		best = min(best, said.duration())
	}
	return best, nil
}

// seconds is a number that a program writes.
type seconds struct{ text []byte }

// Write appends to the number.
func (s *seconds) Write(p []byte) (int, error) {
	s.text = append(s.text, p...)
	return len(p), nil
}

func (s *seconds) duration() time.Duration {
	var f float64
	if _, err := fmt.Sscan(string(s.text), &f); err != nil {
		return time.Hour
	}
	return time.Duration(f * float64(time.Second))
}

// measureMany has ten runtimes execute concurrently.
func measureMany(ctx context.Context, e *env, s *server) ([]row, error) {
	const runtimes = 10
	pairs := make([]*pair, runtimes)
	start := time.Now()
	var starting errgroup.Group
	for i := range pairs {
		starting.Go(func() (err error) {
			if pairs[i], err = openPair(ctx, s); err == nil {
				_, err = pairs[i].run(ctx, "1+1")
			}
			return err
		})
	}
	err := starting.Wait()
	for _, p := range pairs {
		if p != nil {
			defer p.close()
		}
	}
	if err != nil {
		return nil, err
	}
	started, n := time.Since(start), e.scale(100)
	all := make([][]time.Duration, runtimes)
	start = time.Now()
	var running errgroup.Group
	for i, p := range pairs {
		running.Go(func() error {
			for range n {
				t, err := p.run(ctx, "1+1")
				if err != nil {
					return err
				}
				all[i] = append(all[i], t.done)
			}
			return nil
		})
	}
	if err := running.Wait(); err != nil {
		return nil, err
	}
	took := time.Since(start)
	var flat []time.Duration
	for _, values := range all {
		flat = append(flat, values...)
	}
	return []row{
		{what: "10 runtimes from nothing to their first result", got: fmt.Sprintf("%.0f ms", started.Seconds()*1e3), limit: "3,447 ms", beside: "9 kernels at once in Jupyter, in the baselines"},
		{what: "10 runtimes × 100 runs of 1+1, p50 / p99", got: latency(flat), limit: "42 / 166 ms", beside: "Zasper in the baselines; Jupyter 73–80 / 359–513"},
		{what: "  in all", got: perSecond(n*runtimes, took.Seconds()), limit: "204/s", beside: "Zasper; Jupyter 75–105"},
	}, nil
}
