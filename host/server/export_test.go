package server

import (
	"context"
	"time"
)

// Pattern is a route as tests see it.
type Pattern struct{ Method, Path string }

// Routes lists the routes, for tests that must cover all of them.
func (s *Server) Routes() []Pattern {
	var all []Pattern
	for _, r := range s.routes() {
		all = append(all, Pattern{r.method, r.path})
	}
	return all
}

// Recorded reports whether the use of a route is an act of the record.
func Recorded(p Pattern) bool { return acts[p.Method+" "+p.Path] != "" }

// Tick is tick.
func Tick(sockets int) time.Duration { return tick(sockets) }

// SweepArtifacts collects once.
func (s *Server) SweepArtifacts(ctx context.Context) error { return s.artifacts.Sweep(ctx) }

// Answers returns the most bytes that answers have used at once, and the number of reservations.
func (s *Server) Answers() (most int64, takes int) {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	return s.memory.most, s.memory.takes
}

// Inbound returns the most bytes of large messages that were read at once, and their number.
func (s *Server) Inbound() (most int64, messages int) {
	s.inbound.mu.Lock()
	defer s.inbound.mu.Unlock()
	return s.inbound.most, s.inbound.takes
}
