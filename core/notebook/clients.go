package notebook

import (
	"maps"

	"github.com/quirehq/quire/core/event"
)

// clients has the counter of the last event of each client, by which an event
// that comes twice is known.
type clients struct {
	counters map[event.ClientID]uint64

	// latest is the event that was seen last. Its counter is put into the map when
	// another client has a turn, for events of one author come in long rows.
	latest event.ID
}

// see remembers an event, and reports false if its client stated it or a later
// one before.
func (c *clients) see(id event.ID) bool {
	if id.Client != c.latest.Client {
		c.flush()
		c.latest = event.ID{Client: id.Client, N: c.counters[id.Client]}
	}
	if id.N <= c.latest.N {
		return false
	}
	c.latest.N = id.N
	return true
}

// seen returns the counter of a client's last event, 0 if there was none.
func (c *clients) seen(id event.ClientID) uint64 {
	if id == c.latest.Client {
		return c.latest.N
	}
	return c.counters[id]
}

// all returns the counters of all clients, which must not be changed.
func (c *clients) all() map[event.ClientID]uint64 {
	c.flush()
	return c.counters
}

// flush brings the map up to date.
func (c *clients) flush() {
	if c.latest.N > 0 {
		c.counters[c.latest.Client] = c.latest.N
	}
}

// clone returns an independent copy.
func (c *clients) clone() clients {
	c.flush()
	return clients{counters: maps.Clone(c.counters), latest: c.latest}
}
