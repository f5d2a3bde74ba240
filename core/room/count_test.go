package room_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
)

// countLog notes what batches say of the number of cells, -1 where they say nothing.
type countLog struct {
	room.Log
	said []int
}

func (l *countLog) Append(ctx context.Context, b room.Batch) error {
	said := -1
	if b.Cells != nil {
		said = *b.Cells
	}
	l.said = append(l.said, said)
	return l.Log.Append(ctx, b)
}

func TestABatchSaysHowManyCellsThereAreIfThatIsNew(t *testing.T) {
	log := &countLog{Log: newLog()}
	open := func(client event.ClientID) *roomtest.Member {
		return roomtest.NewSequencer(t, func(c *room.Config) { c.Log = log }).AddPerson(client, access.Owner)
	}
	ada := open("a")
	for _, p := range []event.Payload{
		roomtest.NewCell("c"), roomtest.NewCell("d"), &event.NotebookTitled{Title: "t"}, &event.CellDeleted{Cell: "c"},
		&event.CellDeleted{Cell: "c"}, &event.CellRestored{Cell: "c"},
	} {
		ada.Push(p)
		ada.Of.MustCommit()
	}
	bob := open("b") // in a room that has not seen the earlier batches
	bob.Push(&event.NotebookTitled{Title: "u"})
	bob.Of.MustCommit()
	if diff := cmp.Diff([]int{1, 2, -1, 1, 2, 2}, log.said); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
}
