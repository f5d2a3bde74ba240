// Package faulttiming has the clock of a server and of its runtimes, and for how long they wait. A program that users run has the
// defaults of the packages; a build tagged faults reads others from its environment, for the test of faults alone.
package faulttiming

import (
	"cmp"
	"net/http"
	"time"

	"github.com/quirehq/quire/cmd/quire/internal/datadir"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/internal/ws"
)

// Timing is the clock of a server, and for how long it and its runtimes wait. Zero values keep
// the packages' defaults. Only builds tagged `faults` set any.
type Timing struct {
	now   func() time.Time     // the wall's time
	age   func() time.Duration // by how much the monotonic clocks are ahead
	ping  time.Duration        // between two signs of life of a connection
	lease time.Duration        // for a runtime to come back
	start time.Duration        // for a launched runtime to connect
	idle  time.Duration        // for a room to stay open without users
	front string               // the URL that programs find instead of the server's own
}

// Socket returns the options of a socket.
func (t Timing) Socket() ws.Options { return ws.Options{Ping: t.ping} }

// upgrade takes a connection to a room.
func (t Timing) upgrade(w http.ResponseWriter, r *http.Request) (protocol.Conn, error) {
	return ws.Accept(w, r, t.Socket())
}

// Set sets the timing of a server.
func (t Timing) Set(cfg *server.Config) {
	cfg.Upgrade, cfg.Now = t.upgrade, t.now
	if t.age != nil {
		cfg.Clock = func() event.Time { return event.Time(t.Elapsed().UnixMilli()) }
	}
	cfg.Limits.Grace, cfg.Limits.LaunchStart, cfg.Limits.Idle = t.lease, t.start, t.idle
}

// Elapsed is the monotonic clock, to measure time by.
func (t Timing) Elapsed() time.Time {
	if t.age == nil {
		return time.Now()
	}
	return time.Now().Add(t.age())
}

// Found is how programs find the server.
func (t Timing) Found(r datadir.Running) datadir.Running {
	r.URL = cmp.Or(t.front, r.URL)
	return r
}
