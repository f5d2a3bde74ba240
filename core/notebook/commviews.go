package notebook

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/quirehq/quire/core/event"
)

// viewType is the MIME type of an output that shows a comm.
const viewType = "application/vnd.jupyter.widget-view+json"

// reference is the prefix of strings by which the state of one comm refers to another.
const reference = "IPY_MODEL_"

// viewOf returns the comm that an output shows, or none.
func viewOf(v *event.Output) event.CommID {
	raw, ok := v.Data[viewType]
	if !ok {
		return ""
	}
	var view map[string]json.RawMessage
	var id event.CommID
	if json.Unmarshal(raw, &view) != nil || json.Unmarshal(view["model_id"], &id) != nil {
		return ""
	}
	return id
}

// addView counts one more output that shows a comm.
func (c *commRows) addView(id event.CommID) {
	if id != "" {
		c.views[id]++
	}
}

// removeView counts one output less that shows a comm.
func (c *commRows) removeView(id event.CommID) {
	if id == "" {
		return
	}
	if c.views[id]--; c.views[id] == 0 {
		delete(c.views, id)
		c.sweepNeeded = true
	}
}

// references returns the comms that a state refers to, sorted.
func references(state map[string]json.RawMessage) (ids []event.CommID) {
	for _, value := range state {
		rest := value
		for {
			_, after, found := bytes.Cut(rest, []byte(`"`+reference))
			if !found {
				break
			}
			id, after, closed := bytes.Cut(after, []byte(`"`))
			if !closed {
				break
			}
			ids = append(ids, event.CommID(id))
			rest = after
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// sweepComms drops the dead comms that neither an output nor a shown dead comm shows. It must run after an event that
// may have changed that.
func (n *Notebook) sweepComms(dst []Change) []Change {
	n.comms.sweepNeeded = false
	if n.comms.dead == 0 {
		return dst
	}
	shown := n.shownComms()
	for _, id := range n.Comms() {
		if c := n.comms.rows[id]; c.Dead && !shown[id] {
			dst = n.dropComm(c, dst)
		}
	}
	return dst
}

// shownComms returns the dead comms that are shown.
func (n *Notebook) shownComms() map[event.CommID]bool {
	shown := make(map[event.CommID]bool, n.comms.dead)
	look := slices.Collect(maps.Keys(n.comms.views))
	for len(look) > 0 {
		id := look[len(look)-1]
		look = look[:len(look)-1]
		if c := n.comms.rows[id]; c != nil && c.Dead && !shown[id] {
			shown[id] = true
			look = append(look, c.names...)
		}
	}
	return shown
}
