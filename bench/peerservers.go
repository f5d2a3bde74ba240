package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

// measurePeers drives two sync servers that keep their documents in memory, with the loads of our
// server. They come from npm, and are skipped without it.
func measurePeers(ctx context.Context, e *env) ([]row, error) {
	if _, err := os.Stat("bench/peers/node_modules/yjs"); err != nil {
		cmd := exec.CommandContext(ctx, "npm", "ci", "--prefix", "bench/peers", "--no-audit", "--no-fund", "--silent")
		if out, err := cmd.CombinedOutput(); err != nil {
			return []row{{what: "y-websocket and Hocuspocus", got: "not measured", limit: fmt.Sprintf("npm ci: %v %.80s", err, out)}}, nil
		}
	}
	var rows []row
	for _, server := range []string{"y-websocket", "hocuspocus"} {
		for _, l := range []load{
			{notebooks: 50, clients: 2, edits: e.scale(300), window: 8},
			{notebooks: 1, clients: 10, edits: e.scale(1_000), window: 8},
			{notebooks: 1, clients: 100, edits: e.scale(40), window: 2},
		} {
			r, err := peer(ctx, server, l)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// peer runs one load on one server.
func peer(ctx context.Context, server string, l load) (row, error) {
	cmd := exec.CommandContext(ctx, "node", "bench/peers/sync.mjs", server,
		fmt.Sprint(l.notebooks), fmt.Sprint(l.clients), fmt.Sprint(l.edits), fmt.Sprint(l.window))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return row{}, fmt.Errorf("%s: %w", server, err)
	}
	var r struct {
		Edits, Deliveries int
		Seconds, P50, P99 float64
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return row{}, fmt.Errorf("%s: %w", server, err)
	}
	return row{
		what: fmt.Sprintf("%s in memory, %d × %d, window %d: edits", server, l.notebooks, l.clients, l.window),
		got:  perSecond(r.Edits, r.Seconds), limit: perSecond(r.Deliveries, r.Seconds),
		beside: fmt.Sprintf("deliveries; p50 %.1f ms, p99 %.1f ms", r.P50, r.P99),
	}, nil
}
