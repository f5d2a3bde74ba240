package browser

import (
	"encoding/json"
	"fmt"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
)

// Flush is a part of the replica that the browser has to store in one transaction.
type Flush struct {
	State string `json:"state"`
	// Snapshot replaces the stored snapshot and all stored events.
	Snapshot string    `json:"snapshot,omitempty"`
	Events   []string  `json:"events"` // to append to the stored ones
	Seq      event.Seq `json:"seq"`
	Pending  int       `json:"pending"`
}

// Kept is a replica as the browser has stored it.
type Kept struct {
	State    string   `json:"state"`
	Snapshot string   `json:"snapshot"`
	Events   []string `json:"events"`
}

// Resume returns the replica of the JSON of a [Kept], or a new one if that is empty. From a damaged one
// it resumes as much as it can; the error reports that the copy could not be read.
func Resume(data []byte, newID func() string) (*replica.Replica, error) {
	if len(data) == 0 {
		return replica.New(event.ClientID(newID())), nil
	}
	var k Kept
	if err := json.Unmarshal(data, &k); err != nil {
		return replica.New(event.ClientID(newID())), fmt.Errorf("the copy of the notebook in this browser cannot be read: %w", err)
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
		return replica.New(event.ClientID(newID())), fmt.Errorf("the copy of the notebook in this browser cannot be read: %w", err)
	}
	return r, nil
}

// Flush returns the JSON of the next [Flush] to store, nil if there is none. The caller must report its
// result with Stored before it calls Flush again.
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

// Stored reports whether the last flush was stored.
func (h *Host) Stored(ok bool) {
	_ = h.session.With(func(r *replica.Replica) error {
		r.Stored(ok)
		return nil
	})
}
