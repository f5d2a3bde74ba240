package notebook

import "github.com/quirehq/quire/core/event"

// Admit folds an event that is to become the next of the log, numbered one beyond
// [Notebook.Seq]. It is [Notebook.Apply] for a room: an event that is moot, or that
// is in the log already, leaves no trace at all.
func (n *Notebook) Admit(e *event.Event, dst []Change) ([]Change, error) {
	if n.clients.of(e.ID.Client).n >= e.ID.N {
		return dst, conflict("event %s is in the log already", e.ID)
	}
	dst, err := n.fold(e, dst)
	if err != nil {
		return dst, err
	}
	n.seq = e.Seq
	n.clients.see(e.ID, e.Actor)
	return dst, nil
}
