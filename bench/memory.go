package main

import (
	"context"
	"fmt"
	"time"

	"github.com/quirehq/quire/core/replica"
)

// measureMemory looks at a server at rest, and with many notebooks open in which
// nothing happens.
func measureMemory(ctx context.Context, e *env) ([]row, error) {
	s, ready, err := startServer(ctx, e, "memory")
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.stop() }()
	time.Sleep(time.Second)
	rest := s.rss()
	n := e.scale(500)
	if err := openIdle(ctx, s, n); err != nil {
		return nil, err
	}
	time.Sleep(2 * time.Second)
	each := float64(s.rss()-rest) / float64(n)
	return []row{
		{what: "start to answering", got: millis(ready.Seconds() * 1e3), limit: "< 60 ms", beside: "budget; Zasper 64, Jupyter 566"},
		{what: "server at rest", got: fmt.Sprintf("%.1f MiB", float64(rest)/1024), limit: "< 20 MiB", beside: "budget; Zasper 12, Jupyter 66"},
		{what: fmt.Sprintf("each of %d open idle notebooks, its connection with it", n), got: fmt.Sprintf("%.1f KB", each), limit: "< 30 KB", beside: "budget, without the connection"},
	}, nil
}

// openIdle connects to n notebooks and keeps the connections until ctx ends.
func openIdle(ctx context.Context, s *server, n int) error {
	for range n {
		time.Sleep(11 * time.Millisecond) // the server takes a hundred requests a second
		id, err := s.notebook(ctx)
		if err != nil {
			return err
		}
		conn, err := s.connect(ctx, id)
		if err != nil {
			return err
		}
		data, err := replica.EncodeToRoom(&replica.Hello{Version: replica.Version, Client: "idle"})
		if err != nil {
			return err
		}
		if err := conn.Send(ctx, data); err != nil {
			return err
		}
		if _, err := conn.Receive(ctx); err != nil {
			return err
		}
		go func() { // answers pings until the server ends
			for err := error(nil); err == nil; {
				_, err = conn.Receive(ctx)
			}
		}()
	}
	return nil
}
