package main

import (
	"context"
	"fmt"
	"time"
)

// measureSockets drives a real server over real sockets with writers that wait until all others
// have their edits.
func measureSockets(ctx context.Context, e *env) ([]row, error) {
	var rows []row
	for _, c := range []struct {
		what, beside string
		load         load
	}{
		{"50 notebooks × 2 writers, window 8: durable events", "budget > 20,000/s; Hocuspocus 5.5k, y-websocket 8.0k in memory", load{notebooks: 50, clients: 2, edits: e.scale(2_000), window: 8}},
		{"10 writers on one notebook, window 8: durable events", "budget > 20,000/s; Hocuspocus 5.0k, y-websocket 3.4k in memory", load{notebooks: 1, clients: 10, edits: e.scale(10_000), window: 8}},
		{"10 writers on one notebook, window 64: durable events", "the same with more under way", load{notebooks: 1, clients: 10, edits: e.scale(20_000), window: 64}},
	} {
		r, err := onServer(ctx, e, c.load)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{what: c.what, got: perSecond(r.edits, r.took.Seconds()), limit: c.beside}, cost(r))
	}
	r, err := onServer(ctx, e, load{notebooks: 1, clients: 10, edits: 80, window: 1_000, pace: 100 * time.Millisecond})
	if err != nil {
		return nil, err
	}
	return append(rows, row{
		what: "10 writers × 10/s on one notebook, p50 / p99",
		got:  latency(r.latencies), limit: "< 2 / 15 ms", beside: "budget, durable; y-websocket 0.8 / 39 in memory",
	}), nil
}

// measureFanOut has a hundred clients on one notebook.
func measureFanOut(ctx context.Context, e *env) ([]row, error) {
	r, err := onServer(ctx, e, load{notebooks: 1, clients: 100, edits: e.scale(1_000), window: 16})
	if err != nil {
		return nil, err
	}
	rows := []row{{
		what: "100 clients on one notebook, all writing: deliveries",
		got:  perSecond(r.deliveries, r.took.Seconds()), limit: "> 300,000/s", beside: "budget; Hocuspocus 247k, y-websocket 41k",
	}, cost(r)}
	if r, err = onServer(ctx, e, load{notebooks: 1, clients: 100, edits: 16, window: 100, pace: 500 * time.Millisecond}); err != nil {
		return nil, err
	}
	return append(rows, row{
		what: "100 clients × 2/s, keystroke to all, p50 / p99",
		got:  latency(r.latencies), limit: "p99 < 30 ms", beside: "budget; Hocuspocus 3.7 / 105, y-websocket 23 / 747",
	}), nil
}

func onServer(ctx context.Context, e *env, l load) (result, error) {
	s, _, err := startServer(ctx, e, fmt.Sprintf("load-%d-%d-%d-%d", l.notebooks, l.clients, l.window, l.pace))
	if err != nil {
		return result{}, err
	}
	r, err := drive(ctx, s, l)
	if stopErr := s.stop(); err == nil {
		err = stopErr
	}
	return r, err
}

func cost(r result) row {
	return row{
		what: "  server's CPU an event / a delivery",
		got: fmt.Sprintf("%.1f / %.2f µs", float64(r.cpu.Microseconds())/float64(r.edits),
			float64(r.cpu.Microseconds())/float64(max(r.deliveries, 1))),
		limit: "< 2 µs a delivery", beside: "budget with 100 clients; Hocuspocus 2.8",
	}
}

// latency formats the median and the 99th percentile.
func latency(values []time.Duration) string {
	ms := func(d time.Duration) float64 { return d.Seconds() * 1e3 }
	return fmt.Sprintf("%.1f / %.1f ms", ms(quantile(values, 0.5)), ms(quantile(values, 0.99)))
}
