package notebook

import (
	"maps"
	"slices"

	"github.com/quirehq/quire/core/event"
)

// clients has the counter of the last event of each client, by which an event
// that comes twice is known, and the actor of its first, to whom the id belongs.
type clients struct {
	rows map[event.ClientID]clientRow

	// latest is the client of the event that was seen last. Its row is put into the map
	// when another client has a turn, for events of one author come in long rows.
	latest event.ClientID
	row    clientRow
}

// clientRow is what is known of one client.
type clientRow struct {
	n     uint64      // the counter of its last event
	first event.Actor // that stated its first event
}

func newClients() clients { return clients{rows: map[event.ClientID]clientRow{}} }

// see remembers an event, and reports false if its client stated it or a later
// one before.
func (c *clients) see(id event.ID, actor event.Actor) bool {
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

// of returns what is known of a client.
func (c *clients) of(id event.ClientID) clientRow {
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

// restore takes in what [clients.counters] and [clients.owners] returned.
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

// flush brings the map up to date.
func (c *clients) flush() {
	if c.row.n > 0 {
		c.rows[c.latest] = c.row
	}
}

// clone returns an independent copy.
func (c *clients) clone() clients {
	c.flush()
	return clients{rows: maps.Clone(c.rows), latest: c.latest, row: c.row}
}
