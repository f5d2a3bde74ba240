package notebook

import (
	"maps"
	"slices"

	"github.com/quirehq/quire/core/event"
)

// clients has the counter of the last event of each client, by which a duplicate is recognised, and the actor of its
// first, to whom the client's id belongs.
type clients struct {
	rows   map[event.ClientID]clientRow
	shared bool // with a clone: the map is copied before it is written to

	// latest is the client of the last event. Its row is written to the map when an event of another client comes:
	// events of one author come in long sequences.
	latest event.ClientID
	row    clientRow
}

type clientRow struct {
	n     uint64      // the counter of its last event
	first event.Actor // author of its first event
}

func newClients() clients { return clients{rows: map[event.ClientID]clientRow{}} }

// record records an event, and reports false if an event of its client with the same or a later counter was recorded
// before.
func (c *clients) record(id event.ID, actor event.Actor) bool {
	if id.Client != c.latest {
		c.flush()
		c.latest, c.row = id.Client, c.rows[id.Client]
	}
	if id.N <= c.row.n {
		return false
	}
	if c.row.n == 0 {
		c.row.first = actor
	}
	c.row.n = id.N
	return true
}

// lookup returns the row of a client.
func (c *clients) lookup(id event.ClientID) clientRow {
	if id == c.latest {
		return c.row
	}
	return c.rows[id]
}

// counters returns the counters of all clients.
func (c *clients) counters() map[event.ClientID]uint64 {
	c.flush()
	all := make(map[event.ClientID]uint64, len(c.rows))
	for id, row := range c.rows {
		all[id] = row.n
	}
	return all
}

// owners returns the clients of each actor, in their order.
func (c *clients) owners() map[event.Actor][]event.ClientID {
	c.flush()
	all := map[event.Actor][]event.ClientID{}
	for id, row := range c.rows {
		all[row.first] = append(all[row.first], id)
	}
	for _, ids := range all {
		slices.Sort(ids)
	}
	return all
}

// restore loads the results of [clients.counters] and [clients.owners].
func (c *clients) restore(counters map[event.ClientID]uint64, owners map[event.Actor][]event.ClientID) {
	for id, n := range counters {
		c.rows[id] = clientRow{n: n}
	}
	for actor, ids := range owners {
		for _, id := range ids {
			if row, ok := c.rows[id]; ok {
				c.rows[id] = clientRow{n: row.n, first: actor}
			}
		}
	}
}

// flush writes the row of the latest client to the map.
func (c *clients) flush() {
	if c.row.n == 0 {
		return
	}
	if c.shared {
		c.rows, c.shared = maps.Clone(c.rows), false
	}
	c.rows[c.latest] = c.row
}

// clone returns an independent copy, which shares the map until one of the two writes to it.
func (c *clients) clone() clients {
	c.shared = true
	return *c
}
