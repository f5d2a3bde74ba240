package notebook

import (
	"testing"

	"github.com/quirehq/quire/core/event"
)

func offered(run event.RunID, epoch event.Epoch) *event.SourceOffered {
	return &event.SourceOffered{Run: run, Epoch: epoch, Cell: "new", Source: "x = 1", Replace: true}
}

func TestRN40AStartedRunOffersASourceOnce(t *testing.T) {
	sc := batch(t, requested("r1", "a", "r2", "b", "r3", "c", "r4", "d"))
	sc.moot(MootConflict, offered("r1", 1))
	sc.moot(MootConflict, offered("r2", 2))
	sc.moot(MootNotFound, offered("none", 1))
	source, cells := sc.n.Cell("b").Source(), len(sc.n.Cells())
	sc.add(offered("r2", 1))
	check(t, "that it is noted", sc.n.Run("r2").Offered, true)
	check(t, "that it is kept", restored(t, sc.n).Run("r2").Offered, true)
	check(t, "the source", sc.n.Cell("b").Source(), source)
	check(t, "the cells", len(sc.n.Cells()), cells)
	sc.moot(MootConflict, offered("r2", 1))
	sc.add(finished("r2", 1, event.StatusOK))
	sc.moot(MootConflict, offered("r2", 1))
}
