package server

import (
	"sync"
	"time"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/host/server/problem"
)

// Health reports that the server is up.
type Health struct {
	Status string `json:"status"`
}

// Version has the versions of the server and of the protocol.
type Version struct {
	Version  string `json:"version"`
	Protocol int    `json:"protocol" jsonschema:"the version of the messages of sockets"`
}

// health reports that the server is up, and, if the logs can tell, that it can store events.
func (s *Server) health(*call, none) (Health, error) {
	if logs, ok := s.cfg.Logs.(interface{ Health() error }); ok {
		if err := s.healthy.of(logs.Health); err != nil {
			return Health{}, unhealthy(err)
		}
	}
	return Health{Status: "ok"}, nil
}

// unhealthy returns the part of a storage failure that anyone may know.
func unhealthy(err error) error {
	if reason, known := room.Unwritten(err); known {
		return problem.New(protocol.CodeUnavailable, reason)
	}
	return problem.New(protocol.CodeUnavailable, "the server can store nothing now; its log says why")
}

// healthEvery is the least interval at which the logs are asked: anyone may ask the server.
const healthEvery = time.Second

// healthy caches the health of the logs.
type healthy struct {
	now func() time.Time

	mu    sync.Mutex
	asked time.Time
	err   error
}

func (h *healthy) of(ask func() error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := h.now(); h.asked.IsZero() || now.Sub(h.asked) >= healthEvery || now.Before(h.asked) {
		h.asked, h.err = now, ask()
	}
	return h.err
}

func (s *Server) version(*call, none) (Version, error) {
	return Version{Version: s.cfg.Version, Protocol: protocol.Version}, nil
}
