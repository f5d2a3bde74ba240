package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/internal/jupyter"
)

const (
	floodKernels = 10
	floodPace    = 1_000 // displays a second and kernel
)

// flood displays numbers at the pace, if the machine is fast enough, and first identifies IPython's
// kernel.
const flood = `
import time
assert "ZMQ" in type(get_ipython()).__name__
began = time.perf_counter()
for i in range(%d):
    display({"text/plain": str(i)}, raw=True)
    time.sleep(max(began + (i + 1) / %d - time.perf_counter(), 0))
`

// measureFlood has many kernels display concurrently and checks that another client has all of it,
// in order, when their runs have ended.
func measureFlood(ctx context.Context, e *env) ([]row, error) {
	kernel, ok := ipykernel(ctx)
	if !ok {
		return []row{{what: "many displays from many kernels", got: "not measured", limit: "it needs python3-ipykernel"}}, nil
	}
	s, _, err := startServer(ctx, e, "flood")
	if err != nil {
		return nil, err
	}
	n := e.scale(3 * floodPace)
	took := make([]time.Duration, floodKernels)
	lost := make([]int, floodKernels)
	var all errgroup.Group
	for i := range floodKernels {
		all.Go(func() (err error) {
			took[i], lost[i], err = floodOne(ctx, s, n)
			return err
		})
	}
	err = all.Wait()
	if stopErr := s.stop(); err == nil {
		err = stopErr
	}
	if err != nil {
		return nil, err
	}
	slowest, missing := time.Duration(0), 0
	for i := range took {
		slowest, missing = max(slowest, took[i]), missing+lost[i]
	}
	bare, dropped, err := floodBare(ctx, kernel, n)
	if err != nil {
		return nil, err
	}
	return []row{
		{
			what: fmt.Sprintf("%d kernels, %s displays each: kept durable, a second and kernel", floodKernels, thousands(n)),
			got:  perSecond(n, slowest.Seconds()), limit: perSecond(floodPace, 1), beside: "budget; the pace that the programs keep to if they can",
		},
		{what: "  missing or out of order", got: strconv.Itoa(missing), limit: "0", beside: "budget"},
		{what: "  the same kernels read by pyzmq, which keeps nothing", got: "", limit: perSecond(n, bare.Seconds()), beside: fmt.Sprintf("pyzmq; %d missing", dropped)},
	}, nil
}

// floodBare has as many kernels display the same for pyzmq. It returns the time of the slowest and
// the number of missing displays.
func floodBare(ctx context.Context, kernel jupyter.Kernel, n int) (slowest time.Duration, missing int, err error) {
	var all errgroup.Group
	runs := make([]bareRuns, floodKernels)
	for i := range runs {
		all.Go(func() (err error) {
			runs[i], err = executeBare(ctx, kernel, 1, 0, fmt.Sprintf(flood, n, floodPace))
			return err
		})
	}
	err = all.Wait()
	for _, run := range runs {
		for _, t := range run.Times {
			slowest = max(slowest, milliseconds(t))
		}
		missing += n - run.Shown
	}
	return slowest, missing, err
}

// floodOne has one kernel display n numbers. It returns the duration of the run and the number of
// displays that the observer has missing or in the wrong place.
func floodOne(ctx context.Context, s *server, n int) (took time.Duration, wrong int, err error) {
	p, err := openPair(ctx, s)
	if err != nil {
		return 0, 0, err
	}
	defer p.close()
	choice := &event.NotebookMetadataSet{Key: "quire", Value: json.RawMessage(`{"kernel":"python3"}`)}
	if err := p.asks.Do(ctx, choice); err != nil {
		return 0, 0, err
	}
	if _, err := p.run(ctx, "1+1"); err != nil { // the kernel is ready then
		return 0, 0, err
	}
	cell, err := p.cell(ctx, fmt.Sprintf(flood, n, floodPace))
	if err != nil {
		return 0, 0, err
	}
	t, err := p.runCell(ctx, cell)
	if err != nil {
		return 0, 0, err
	}
	err = p.looks.With(func(r *replica.Replica) error {
		book := r.Confirmed()
		outputs := book.Cell(cell).Outputs
		wrong = max(len(outputs)-n, 0)
		for i := range n {
			want := strconv.Quote(strconv.Itoa(i))
			if i >= len(outputs) || string(book.Output(outputs[i]).Value().Data["text/plain"]) != want {
				wrong++
			}
		}
		return nil
	})
	return t.done, wrong, err
}
