package main

import (
	"context"
	"fmt"
	"time"

	"github.com/quirehq/quire/core/protocol"
)

// measureMemory measures a server at rest, and with many idle open notebooks.
func measureMemory(ctx context.Context, e *env) ([]row, error) {
	s, ready, err := startServer(ctx, e, "memory")
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.stop() }()
	time.Sleep(time.Second)
	rest, n := s.rss(), e.scale(500)
	room, err := growth(s, n, func() error { return openRooms(ctx, s, n) })
	if err != nil {
		return nil, err
	}
	each, err := growth(s, n, func() error { return openIdle(ctx, s, n) })
	if err != nil {
		return nil, err
	}
	return []row{
		{what: "start to answering", got: millis(ready.Seconds() * 1e3), limit: "< 60 ms", beside: "budget; Zasper 64, Jupyter 566"},
		{what: "server at rest", got: fmt.Sprintf("%.1f MiB", float64(rest)/1024), limit: "< 20 MiB", beside: "budget; Zasper 12, Jupyter 66"},
		{what: fmt.Sprintf("each of %d open idle notebooks", n), got: fmt.Sprintf("%.1f KB", room), limit: "< 30 KB", beside: "budget"},
		{what: fmt.Sprintf("each of %d more with a client that is connected", n), got: fmt.Sprintf("%.1f KB", each)},
	}, nil
}

// growth returns the growth of the server in KiB for each of n things.
func growth(s *server, n int, do func() error) (float64, error) {
	before := s.rss()
	if err := do(); err != nil {
		return 0, err
	}
	time.Sleep(time.Second)
	return float64(s.rss()-before) / float64(n), nil
}

// openRooms opens the rooms of n notebooks, which stay open for a minute.
func openRooms(ctx context.Context, s *server, n int) error {
	for range n {
		time.Sleep(21 * time.Millisecond) // the server accepts a hundred requests a second
		id, err := s.notebook(ctx)
		if err != nil {
			return err
		}
		if err := s.request(ctx, "PATCH", "/api/notebooks/"+id, map[string]string{"title": "idle"}, nil); err != nil {
			return err
		}
	}
	return nil
}

// openIdle connects to n notebooks and keeps the connections until ctx ends.
func openIdle(ctx context.Context, s *server, n int) error {
	for range n {
		time.Sleep(11 * time.Millisecond) // the server accepts a hundred requests a second
		id, err := s.notebook(ctx)
		if err != nil {
			return err
		}
		conn, err := s.connect(ctx, id)
		if err != nil {
			return err
		}
		data, err := protocol.EncodeToRoom(&protocol.Hello{Version: protocol.Version, Client: "idle"})
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
