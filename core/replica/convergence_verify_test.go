package replica_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

// verify wants the same notebook everywhere, and in the log every acknowledged
// event once and without gaps.
func (w *world) verify(ctx context.Context) error {
	want, err := w.Room.Notebook().Hash()
	if err != nil {
		return err
	}
	for i, l := range w.Links {
		if n := l.Replica.Pending(); n != 0 {
			return fmt.Errorf("client %d: %d events still pending", i, n)
		}
		if l.Replica.View() != l.Replica.Confirmed() {
			return fmt.Errorf("client %d: its view differs from what is confirmed", i)
		}
		if got, err := l.Replica.Confirmed().Hash(); err != nil || got != want {
			return fmt.Errorf("client %d: hash %x, the room has %x (%v)", i, got, want, err)
		}
		for _, no := range l.Replica.Refused() {
			if _, ok := no.Draft.Payload.(*event.SourceEdited); ok {
				return fmt.Errorf("client %d: edit %s was refused: %s", i, no.Draft.ID, no.Message)
			}
		}
	}
	if err := w.verifyLog(ctx); err != nil {
		return err
	}
	if err := w.verifyRuns(ctx); err != nil {
		return err
	}
	return w.verifyTyped()
}

func (w *world) verifyLog(ctx context.Context) error {
	seen := map[event.ID]bool{}
	next := event.Seq(1)
	err := w.Log.Read(ctx, 0, func(r event.Record) error {
		e, err := event.Decode(r.Data)
		if err != nil {
			return err
		}
		if e.Seq != next || r.Seq != next {
			return fmt.Errorf("event %d (record %d) stands at %d", e.Seq, r.Seq, next)
		}
		if seen[e.ID] {
			return fmt.Errorf("event %s is there twice", e.ID)
		}
		seen[e.ID] = true
		next++
		return nil
	})
	if err != nil {
		return err
	}
	for id := range w.acked {
		if !seen[id] {
			return fmt.Errorf("event %s was acknowledged and is not in the log", id)
		}
	}
	return nil
}

// verifyTyped wants every word that anybody typed to be somewhere once, whole
// unless another word was typed into it. It holds while no client deletes text.
func (w *world) verifyTyped() error {
	if w.erases {
		return nil
	}
	units := 0
	for _, word := range w.typed {
		units += text.NewText(word).Len()
	}
	got := 0
	for i := 1; i <= w.made; i++ {
		if c := w.Room.Notebook().Cell(event.CellID(fmt.Sprintf("cell%d", i))); c != nil {
			got += c.Text().Len()
			if strings.Count(c.Source(), "<") != strings.Count(c.Source(), ">") {
				return fmt.Errorf("cell %s has half a word: %q", c.ID, c.Source())
			}
		}
	}
	if got != units {
		return fmt.Errorf("%d units of text are left of the %d that were typed", got, units)
	}
	return nil
}
