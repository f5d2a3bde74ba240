package notebook

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

func TestNB33ThePresentHasNothingThatOnlyWas(t *testing.T) {
	sc := running(t, "a", "b").add(
		edited("a", 0, text.Insert(0, "secret ")), printed("o", "r", 1, "secret printed"),
		&event.CellMetadataSet{Cell: "a", Key: "k", Value: json.RawMessage(`"secret"`)},
		&event.InputAsked{Input: "i", Run: "r", Epoch: 1, Prompt: "secret?"},
		edited("b", 0, text.Insert(0, "stays")),
	)
	sc.add(&event.RunFinished{Run: "r", Epoch: 1, Status: event.StatusOK}, &event.CellDeleted{Cell: "a"})
	before := snapshotOf(t, sc.n)
	got := sc.n.Present()
	checkParts(t, got)
	if s := snapshotOf(t, got); strings.Contains(s, "secret") || !strings.Contains(s, "stays") {
		t.Errorf("got %s", s)
	}
	check(t, "the notebook itself", snapshotOf(t, sc.n), before)
	if got.Cell("a") == nil || !got.Cell("a").Deleted {
		t.Error("the deleted cell is not there as one that is deleted")
	}
	restored(t, got)
}

func TestNB33ThePresentHasNoDeadCommThatOnlyADeletedCellShows(t *testing.T) {
	sc := running(t, "a").add(opened("w", "value", `"secret"`), viewed("o", "r", "w"), finished("r", 1, event.StatusOK))
	sc.add(&event.RuntimeStopped{Runtime: "rt", Epoch: 1, Reason: event.StopIdle}, &event.CellDeleted{Cell: "a"})
	got := sc.n.Present()
	checkParts(t, got)
	check(t, "comms of the present", len(got.Comms()), 0)
	check(t, "comms of the notebook", len(sc.n.Comms()), 1)
}

func TestNB33ThePresentFoldsOnAsTheNotebookDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := histories().Draw(t, "events")
		at := rapid.IntRange(0, len(events)).Draw(t, "at")
		n := fold(New(), events[:at])
		p := n.Present()
		checkParts(t, p)
		restored(t, p)
		for i := range events[at:] {
			e := &events[at+i]
			if _, restores := e.Payload.(*event.CellRestored); restores {
				break // from here on, the present folds differently
			}
			n.Apply(e, nil) //nolint:errcheck // moot events are wanted
			p.Apply(e, nil) //nolint:errcheck // as above
		}
		checkParts(t, p)
		check(t, "present", snapshotOf(t, p.Present()), snapshotOf(t, n.Present()))
	})
}
