package notebook

import (
	"testing"

	"github.com/quirehq/quire/core/event"
)

func offered(run event.RunID, epoch event.Epoch) *event.SourceOffered {
	return &event.SourceOffered{Run: run, Epoch: epoch, Cell: "new", Source: "x = 1", Replace: true}
}

func TestRN40AStartedRunOffersASourceOnce(t *testing.T) {
	tl := batch(t, requested("r1", "a", "r2", "b", "r3", "c", "r4", "d"))
	tl.moot(MootConflict, offered("r1", 1))
	tl.moot(MootConflict, offered("r2", 2))
	tl.moot(MootNotFound, offered("none", 1))
	source, cells := tl.n.Cell("b").Source(), len(tl.n.Cells())
	tl.add(offered("r2", 1))
	check(t, "that it is noted", tl.n.Run("r2").Offered, true)
	check(t, "that it is kept", restored(t, tl.n).Run("r2").Offered, true)
	check(t, "the source", tl.n.Cell("b").Source(), source)
	check(t, "the cells", len(tl.n.Cells()), cells)
	tl.moot(MootConflict, offered("r2", 1))
	tl.add(finished("r2", 1, event.StatusOK))
	tl.moot(MootConflict, offered("r2", 1))
}
