package room

import "context"

// Do puts an operation into the room's mailbox.
func (r *Room) Do(ctx context.Context, op func(context.Context)) error { return r.enqueue(ctx, op) }

// EditBytes returns how many bytes the edits in memory take by the room's count, and Summed
// their sum.
func (s *Sequencer) EditBytes() (kept, summed int) {
	for _, h := range s.recent {
		for _, e := range h.edits {
			summed += e.Size()
		}
	}
	return s.editBytes, summed
}
