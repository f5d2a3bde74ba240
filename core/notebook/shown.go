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

// reference begins the strings by which the state of one comm names another.
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

// showView notes that one more output shows a comm.
func (c *commRows) showView(id event.CommID) {
	if id != "" {
		c.views[id]++
	}
}

// hideView notes that one output less shows a comm.
func (c *commRows) hideView(id event.CommID) {
	if id == "" {
		return
	}
	if c.views[id]--; c.views[id] == 0 {
		delete(c.views, id)
		c.unseen = true
	}
}

// named returns the comms that a state names, sorted.
func named(state map[string]json.RawMessage) (ids []event.CommID) {
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

// sweepComms drops the dead comms that nothing shows: no output, and no dead comm
// that is shown. It is called after an event by which that may have changed.
func (n *Notebook) sweepComms(dst []Change) []Change {
	n.comms.unseen = false
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
