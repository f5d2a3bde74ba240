package browser

import (
	"encoding/json"
	"fmt"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
)

// Flush is what the browser has to store at once, in the form that it gets it.
type Flush struct {
	State string `json:"state"`
	// Snapshot takes the place of the stored snapshot and of all stored events.
	Snapshot string    `json:"snapshot,omitempty"`
	Events   []string  `json:"events"` // behind those that are stored
	Seq      event.Seq `json:"seq"`
	Pending  int       `json:"pending"`
}

// Kept is what the browser has stored of a replica.
type Kept struct {
	State    string   `json:"state"`
	Snapshot string   `json:"snapshot"`
	Events   []string `json:"events"`
}

// Resume returns the replica that the JSON of a [Kept] is of, and a new one if that
// is empty. When what was kept is damaged, as much of it is resumed as can be, and
// the error says what can't.
func Resume(data []byte, newID func() string) (*replica.Replica, error) {
	if len(data) == 0 {
		return replica.New(event.ClientID(newID())), nil
	}
	var k Kept
	if err := json.Unmarshal(data, &k); err != nil {
		return replica.New(event.ClientID(newID())), fmt.Errorf("what this browser had kept cannot be read: %w", err)
	}
	kept := replica.Persisted{State: []byte(k.State), Snapshot: []byte(k.Snapshot)}
	for _, e := range k.Events {
		kept.Events = append(kept.Events, []byte(e))
	}
	if r, err := replica.Restore(kept); err == nil {
		return r, nil
	}
	r, err := replica.Restore(replica.Persisted{State: kept.State})
	if err != nil {
		return replica.New(event.ClientID(newID())), fmt.Errorf("what this browser had kept cannot be read: %w", err)
	}
	return r, nil
}

// Flush returns the JSON of what is to be stored now, nil if nothing is. The host is
// to be told with Stored what became of it, before the next.
func (h *Host) Flush() (data []byte, err error) {
	err = h.session.With(func(r *replica.Replica) error {
		f, err := r.Persist()
		if f == nil || err != nil {
			return err
		}
		out := Flush{State: string(f.State), Snapshot: string(f.Snapshot), Events: []string{}, Seq: f.Seq, Pending: f.Pending}
		for _, e := range f.Events {
			out.Events = append(out.Events, string(e))
		}
		data, err = json.Marshal(&out)
		return err
	})
	return data, err
}

// Stored says whether the last flush is stored.
func (h *Host) Stored(ok bool) {
	_ = h.session.With(func(r *replica.Replica) error {
		r.Stored(ok)
		return nil
	})
}
